// `npm run docs`: writes the pages and pictures under docs/ that are made from the code.
//   npm run docs -- --check   writes nothing, names those that are out of date, and fails if there are any
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './docs/generated.ts';

const isCheck = process.argv.includes('--check');
const stale = Object.entries(generatedFiles).flatMap(([path, make]) => {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const text = make();
  return existsSync(file) && readFileSync(file, 'utf8') === text ? [] : [{ path, file, text }];
});

if (isCheck) {
  for (const { path } of stale) console.error(`${path} is out of date. Run: npm run docs`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { path, file, text } of stale) {
    writeFileSync(file, text);
    console.log(`${path} written`);
  }
  if (stale.length === 0) console.log('Everything under docs/ that is made from the code is up to date.');
}
