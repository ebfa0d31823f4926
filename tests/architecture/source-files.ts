import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A file as the rules see it: where it is, from the project's folder on, and what it says. */
export interface SourceFile {
  path: string;
  text: string;
}

/** What is wrong in these files, one sentence each: what is where, what is allowed, and why. */
export type Rule = (files: readonly SourceFile[]) => string[];

const root = fileURLToPath(new URL('../../', import.meta.url));

export function readSources(folder = 'src'): SourceFile[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
}

/** In this folder, or this very file. */
export function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** The program without its tests, and without the places that a rule does not concern. */
export function programOutside(files: readonly SourceFile[], places: readonly string[]): SourceFile[] {
  return files.filter(
    ({ path }) => !/\.test\.tsx?$/.test(path) && !places.some((place) => isIn(path, place)),
  );
}

/** A file with a mistake in it, to see that a rule finds it. */
export function planted(path: string, ...lines: string[]): SourceFile[] {
  return [{ path, text: `${lines.join('\n')}\n` }];
}
