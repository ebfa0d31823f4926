import { readdirSync, readFileSync } from 'node:fs';
import { clausesIn, testNamesIn } from './test-names.ts';

/** A test that carries a clause's number in its name. */
export interface Proof {
  file: string;
  /** The test's name without numbers. */
  words: string;
}

export interface TestFile {
  name: string;
  text: string;
}

const folder = new URL('./', import.meta.url);

export function readContractTests(): TestFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && name !== 'complete.test.ts')
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
}

/** By which tests each clause is proved, in the order of the files. */
export function proofsIn(files: readonly TestFile[]): Map<string, Proof[]> {
  const proofs = new Map<string, Proof[]>();
  for (const { name, text } of files) {
    for (const testName of testNamesIn(text)) {
      const words = wordsOf(testName);
      for (const clause of clausesIn(testName)) {
        proofs.set(clause, [...(proofs.get(clause) ?? []), { file: name, words }]);
      }
    }
  }
  return proofs;
}

/** `002-P11-05, 002-D4-01 At most two calls: %s` is `At most two calls`. */
function wordsOf(testName: string): string {
  return clausesIn(testName)
    .reduce((name, clause) => name.replace(clause, ''), testName)
    .replace(/: %[sij]$/, '')
    .replace(/%[sij]/g, '…')
    .replace(/^[\s,]+/, '')
    .replace(/ +/g, ' ');
}
