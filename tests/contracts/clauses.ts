/**
 * The clauses of the specifications that have tests here, by their numbers. Of those in `wholeSpecs` it is all there are; of the
 * others as many as are built. `complete.test.ts` compares them with the names of the tests.
 */
export const clauses: readonly string[] = [
  '000-01..87',
  '001-01..09',
  '002-O-01..03',
  '002-O-05..05',
  '002-D1-01..06',
  '002-D2-01..01',
  '002-D3-01..03',
  '002-D5-01..03',
  '002-D6-01..02',
  '002-A-01..02',
  '002-P1-01..15',
  '002-P2-01..04',
  '002-P2-07..09',
  '002-P3-01..14',
  '002-P4-01..15',
  '002-P5-03..11',
  '002-P6-01..09',
  '002-P7-01..21',
  '002-P8-01..05',
  '002-P9-01..06',
  '002-P10-03..03',
  '002-P10-05..06',
  '002-P11-01..11',
  '002-V-01..07',
  '002-C-02..03',
  '002-C-05..10',
  '002-Q-01..02',
  '003-8.1-1..4',
  '003-8.2-1..10',
  '003-8.3-1..2',
  '004-01..67',
].flatMap(inRange);

export const wholeSpecs: readonly string[] = ['000', '001', '004'];

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
