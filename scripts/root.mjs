import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The script behind an installed package's command, to be run with `node`: no shell, no `.cmd`, no npx. */
export function commandOf(packageName, command = packageName) {
  const folder = join(root, 'node_modules', packageName);
  return join(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin[command]);
}
