import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RefusalCode, refusals } from '../../src/std/refusals.ts';
import { regionsOf } from '../architecture/source-text.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const codes = refusals.map(({ code }) => code);

export interface TextFile {
  path: string;
  text: string;
}

/** The files of TypeScript below these folders, from the project's folder on. */
export function filesBelow(...folders: string[]): TextFile[] {
  return folders.flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => /\.tsx?$/.test(path))
      .sort()
      .map((path) => ({ path, text: readFileSync(root + path, 'utf8') })),
  );
}

/** Which tests expect a code, those first that call it one. */
export function testsByCode(): Map<RefusalCode, string[]> {
  const files = filesBelow('tests', 'src')
    .filter(({ path }) => path.endsWith('.test.ts'))
    .map(({ path, text }) => ({ path, ...codesIn(text) }));
  return new Map(
    codes.map((code) => [
      code,
      [
        ...files.filter(({ called }) => called.has(code)),
        ...files.filter(({ called, named }) => named.has(code) && !called.has(code)),
      ].map(({ path }) => path),
    ]),
  );
}

/** Those in texts, not in comments: `called` as the code of something, and `named` otherwise, where a word is no other than a code. */
function codesIn(text: string): { called: Set<string>; named: Set<string> } {
  const called = new Set<string>();
  const named = new Set<string>();
  for (const { kind, start, end } of regionsOf(text)) {
    if (kind !== 'string' && kind !== 'template') continue;
    const word = text.slice(start, end);
    if (/\bcode: .$|refusedWith\(.$/.test(text.slice(Math.max(0, start - 16), start))) called.add(word);
    else if (word.includes('_')) for (const one of word.match(/[a-z]+(?:_[a-z]+)+/g) ?? []) named.add(one);
  }
  return { called, named };
}
