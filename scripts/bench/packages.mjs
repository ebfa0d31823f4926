import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from '../prepare/lock.mjs';
import { runStep } from '../prepare/run-step.mjs';
import { root } from '../root.mjs';

const folder = join(root, 'bench');
const stamp = join(folder, 'node_modules/.tidings-stamp');

/** What Tidings is measured against is a package of its own: installed by whoever measures, and by nobody else. */
export function installPeers() {
  withLock('bench', () => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, 'package-lock.json')))
      .digest('hex');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
    const args = ['ci', '--prefix', folder, '--no-audit', '--no-fund'];
    runStep('Installing the peers of the bench (npm ci in bench/, which may compile SQLite)', 'npm', args);
    writeFileSync(stamp, digest);
  });
}
