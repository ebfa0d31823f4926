import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isOpenToAll } from '../support/open-to-all.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isRoot = process.getuid?.() === 0;

/** A checkout that nobody may write to, and that has no build. Root may write everywhere; then it is run as nobody. */
function makeCheckout(): string {
  const parent = [process.env.TIDINGS_TEST_TMP ?? tmpdir(), tmpdir(), '/tmp'].find(isOpenToAll) ?? tmpdir();
  const folder = mkdtempSync(join(isRoot ? parent : tmpdir(), 'tidings-checkout-'));
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'src'));
  for (const name of ['package.json', 'package-lock.json'])
    writeFileSync(join(folder, name), '{"type":"module"}');
  chmodSync(folder, 0o555);
  return folder;
}

test.skipIf(process.platform === 'win32')(
  'who may not write to the checkout is told who has to build it, without a stack',
  () => {
    const folder = makeCheckout();
    try {
      const user = isRoot ? { uid: 65_534, gid: 65_534 } : {};
      const program = join(folder, 'scripts', 'tidings.mjs');
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'doctor'], {
        ...{ cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } },
        ...user,
      });
      expect({ status, stdout, stderr }).toEqual({
        ...{ status: 1, stdout: '' },
        stderr:
          "This folder is not this user's, and its build is missing or old: run `npm ci && npm run build` as its owner.\n",
      });
    } finally {
      chmodSync(folder, 0o755);
      rmSync(folder, { recursive: true });
    }
  },
);
