import { clauseFiles } from './clause-files.ts';

/** The clauses of the specifications that have tests, by their numbers, each with the files that keep it. `complete.test.ts` compares
 * them with the names of the tests, and with the table of all clauses. */
export const filesByClause: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(clauseFiles).flatMap(([range, files]) =>
    inRange(range).map((clause) => [clause, files.split(' ')] as const),
  ),
);

export const clauses: readonly string[] = [...filesByClause.keys()];

/** What each specification is about, by its number. */
export const specs = {
  '000': 'the worker that mails about seats',
  '001': 'how its attempts are counted',
  '002': 'newsletters and alerts',
  '003': 'code reviews',
  '004': 'open events, and how the feed is asked',
} as const;

/** Not to be tested: they tell, and demand nothing. The table marks them so. */
export const clausesThatTell: Readonly<Record<string, string>> = {
  '002-O-04': 'which products are chosen',
  '002-A-03': 'what files are called',
  '002-P2-13': 'what to type to install packages',
  '002-P9-07': 'why 002-P9-02 is safe',
  '002-Q-03': 'answers that repeat other clauses',
};

/** `000-08..10` is 000-08, 000-09 and 000-10: with as many digits as the first. */
export function inRange(range: string): string[] {
  const [, start, first, last] = /^(.+-)(\d+)\.\.(\d+)$/.exec(range) ?? [];
  if (start === undefined || first === undefined) throw new Error(`not a range of clauses: ${range}`);
  const count = Number(last) - Number(first) + 1;
  return Array.from(
    { length: count },
    (_, place) => `${start}${String(Number(first) + place).padStart(first.length, '0')}`,
  );
}
