import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-first-install-'));
  for (const name of ['scripts', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'src'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A clone in which nothing is installed, with an npm that fails with these words. */
async function setUpWith(words: string): Promise<{ code: unknown; told: string }> {
  const npm = join(folder, 'bin/npm');
  writeFileSync(npm, `#!/bin/sh\nprintf '%s\\n' '${words}' >&2\nexit 1\n`);
  chmodSync(npm, 0o755);
  const PATH = [join(folder, 'bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH };
  return new Promise((resolve) => {
    execFile(process.execPath, [join(folder, 'scripts/setup.mjs')], { env }, (error, _, told) =>
      resolve({ code: error?.code, told }),
    );
  });
}

const advice =
  'The npm registry cannot be reached. Is there a network, or a proxy that npm must be told of (npm config set proxy)?\n';

test.each(['EAI_AGAIN', 'ENOTFOUND', 'ECONNREFUSED', 'ETIMEDOUT'])(
  'a first start that cannot reach the npm registry says so last: %s',
  async (code) => {
    const words = `npm error code ${code}`;
    expect(await setUpWith(words)).toEqual({
      code: 1,
      told: `Installing packages (npm ci) … failed\nInstalling packages (npm ci) failed (exit code 1).\n${words}\n\n${advice}`,
    });
  },
);

test('what else npm fails with is told as it is', async () => {
  const { code, told } = await setUpWith('npm error code ENOSPC');
  expect([code, told.endsWith('npm error code ENOSPC\n')]).toEqual([1, true]);
});
