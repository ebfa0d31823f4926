import { clauses, clausesThatTell, filesByClause, specs } from '../../tests/contracts/clauses.ts';
import { type Proof, proofsIn, readContractTests } from '../../tests/contracts/proofs.ts';
import { madeFrom, table } from './markdown.ts';

const source = 'tests/contracts/clause-files.ts and the names of the tests beside it';
const specNumbers = Object.keys(specs) as (keyof typeof specs)[];

/** docs/contracts: of every clause of the specifications what it comes to here, the files that keep it, and the tests that prove it. */
export const contractPages: Readonly<Record<string, () => string>> = {
  'docs/contracts/README.md': indexPage,
  ...Object.fromEntries(specNumbers.map((spec) => [`docs/contracts/${spec}.md`, () => specPage(spec)])),
};

function indexPage(): string {
  return `${madeFrom(source)}

# Contracts

Tidings implements five specifications, whose ${clauses.length + Object.keys(clausesThatTell).length} clauses are numbered. These pages say of each in a sentence what it comes to
here, which files keep it and which tests prove it. The sentences are the names of those tests, in our words; where we depart from a
specification on purpose, a [decision](../decisions/README.md) says why. A clause without a file or a test fails \`npm test\`.

${table(
  ['specification', 'clauses', 'tests'],
  specNumbers.map((spec) => [
    `[${spec}](${spec}.md): ${specs[spec]}`,
    String(clauses.filter((clause) => isOf(spec, clause)).length),
    [
      ...new Set(
        [...proofs()].filter(([clause]) => isOf(spec, clause)).flatMap(([, of]) => of.map(linkToTest)),
      ),
    ].join(', '),
  ]),
)}

${Object.keys(clausesThatTell).length} more only tell and demand nothing:

${table(['clause', 'what it tells'], Object.entries(clausesThatTell))}

To run them: \`npm test -- --only tests/contracts\`; one of them: \`npm test -- --only tests/contracts -t 003-6.4-7\`.
`;
}

function specPage(spec: keyof typeof specs): string {
  const proofsOf = proofs();
  return `${madeFrom(source)}

# ${spec}: ${specs[spec]}

${table(
  ['clause', 'what it comes to here', 'kept by', 'proved by'],
  clauses
    .filter((clause) => isOf(spec, clause))
    .map((clause) => {
      const found = proofsOf.get(clause) ?? [];
      return [
        clause,
        found.map(({ words }) => words).join('. '),
        (filesByClause.get(clause) ?? []).map(linkToFile).join(', '),
        [...new Set(found.map(linkToTest))].join(', '),
      ];
    }),
)}
`;
}

function proofs(): Map<string, Proof[]> {
  return proofsIn(readContractTests());
}

function isOf(spec: string, clause: string): boolean {
  return clause.startsWith(`${spec}-`);
}

function linkToFile(path: string): string {
  return `[${path.split('/').at(-1)}](../../${path})`;
}

function linkToTest({ file }: Proof): string {
  return `[${file.replace('.test.ts', '')}](../../tests/contracts/${file})`;
}
