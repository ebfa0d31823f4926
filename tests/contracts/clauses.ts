/**
 * The clauses of the specifications that have tests here, by their numbers. Of those in `wholeSpecs` it is all there are, together with
 * those below that have none and say why; of the others as many as are built. `complete.test.ts` compares them with the names of the
 * tests, and with the table of all clauses.
 */
export const clauses: readonly string[] = [
  '000-01..87',
  '001-01..09',
  '002-O-01..03',
  '002-O-05..05',
  '002-D1-01..06',
  '002-D2-01..01',
  '002-D3-01..03',
  '002-D4-01..01',
  '002-D5-01..03',
  '002-D6-01..02',
  '002-D7-01..02',
  '002-A-01..02',
  '002-P1-01..15',
  '002-P2-01..12',
  '002-P3-01..14',
  '002-P4-01..15',
  '002-P5-01..13',
  '002-P6-01..09',
  '002-P7-01..21',
  '002-P8-01..05',
  '002-P9-01..06',
  '002-P10-01..06',
  '002-P11-01..11',
  '002-V-01..07',
  '002-C-01..10',
  '002-Q-01..02',
  '003-6.1-1..3',
  '003-6.2-1..3',
  '003-6.3-1..3',
  '003-6.4-1..9',
  '003-6.5-1..2',
  '003-8.1-1..4',
  '003-8.2-1..10',
  '003-8.3-1..2',
  '003-10.1-1..3',
  '003-10.2-1..2',
  '003-10.3-1..5',
  '003-10.4-1..2',
  '004-01..67',
].flatMap(inRange);

export const wholeSpecs: readonly string[] = ['000', '001', '002', '003', '004'];

/** Built later, and why not now. One that is proved by a test has no business here. */
export const clausesToCome: Readonly<Record<string, string>> = {};

/** Not to be tested: they tell, and demand nothing. The table marks them so. */
export const clausesThatTell: Readonly<Record<string, string>> = {
  '002-O-04': 'which products are chosen',
  '002-A-03': 'what files are called',
  '002-P2-13': 'what to type to install packages',
  '002-P9-07': 'why 002-P9-02 is safe',
  '002-Q-03': 'answers that repeat other clauses',
};

/** `000-08..10` is 000-08, 000-09 and 000-10: with as many digits as the first. */
function inRange(range: string): string[] {
  const [, start, first, last] = /^(.+-)(\d+)\.\.(\d+)$/.exec(range) ?? [];
  if (start === undefined || first === undefined) throw new Error(`not a range of clauses: ${range}`);
  const count = Number(last) - Number(first) + 1;
  return Array.from(
    { length: count },
    (_, place) => `${start}${String(Number(first) + place).padStart(first.length, '0')}`,
  );
}
