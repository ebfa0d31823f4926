import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './root.mjs';

/** Of files, and of all files in folders. Contents, not times: a checkout or a copy changes every time stamp and nothing else. */
export function digestOf(paths, isLeftOut = () => false) {
  const hash = createHash('sha256');
  for (const path of filesOf(paths).filter((path) => !isLeftOut(path))) {
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** The files themselves, and all files in the folders, by their paths from `from`. */
export function filesOf(paths, from = root) {
  return paths.flatMap((path) => {
    const folder = join(from, path);
    if (!statSync(folder).isDirectory()) return [path];
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(from, join(entry.parentPath ?? entry.path, entry.name)))
      .sort();
  });
}
