import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The folder and those above it. Step by step, because Node's own `recursive` never comes back where the system says "no
 * such folder" of one whose parent is there (/proc).
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have been quicker.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
