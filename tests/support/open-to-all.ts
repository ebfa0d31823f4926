import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Whether every user may pass through this and all folders above it. */
export function isOpenToAll(path: string): boolean {
  const above = dirname(path);
  return (above === path || isOpenToAll(above)) && (statSync(path).mode & 0o005) !== 0;
}
