import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../root.mjs';
import { withFigures } from './figures.mjs';

/** Of a run in which all was right; whoever calls this has made sure. */
export function writeFigures(name, text) {
  const path = join(root, 'docs/proof.md');
  writeFileSync(path, withFigures(readFileSync(path, 'utf8'), name, text));
}
