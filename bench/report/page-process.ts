import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bars } from './bars.ts';
import { contendersTable, goalsTable, profileTable, runLines } from './page.ts';
import type { Result } from './result.ts';

/** Prints the table of all goals from what the benches have left; with --write also into docs/performance.md, with the picture. */
const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = process.env.TIDINGS_BENCH_RESULTS || join(root, 'bench/results');
const results = (existsSync(folder) ? readdirSync(folder) : [])
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Result);

console.log(`\n${goalsTable(results)}\n`);
if (process.argv.includes('--write')) {
  const { withFigures, runAndMachine } = (await import(join(root, 'scripts/test/figures.mjs'))) as {
    withFigures(page: string, name: string, text: string): string;
    runAndMachine(): string;
  };
  const path = join(root, 'docs/performance.md');
  const parts = {
    goals: goalsTable(results),
    contenders: contendersTable(results),
    profile: profileTable(results),
    run: runLines(results, runAndMachine()),
  };
  let page = readFileSync(path, 'utf8');
  for (const [name, text] of Object.entries(parts)) page = withFigures(page, name, text);
  writeFileSync(path, page);
  writeFileSync(join(root, 'docs/pictures/performance.svg'), bars(results));
  console.log('docs/performance.md and docs/pictures/performance.svg written');
}
