import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../scripts/tidings.mjs', import.meta.url));
const run = (...args: string[]) => execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' });

it('which version it is can be asked alone, which takes no longer than Node itself, or with something else', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  for (const args of [['--version'], ['-V'], ['--version', '--no-color']])
    expect(run(...args)).toBe(`${version}\n`);
});
