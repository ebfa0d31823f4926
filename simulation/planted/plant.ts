import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Order, type Result, root, runMany } from '../many.ts';
import type { PlantedBug } from './planted-bug.ts';

/** Runs seeds on a copy of the source that has this bug. */
export async function runPlanted(bug: PlantedBug, order: Omit<Order, 'folder'>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-planted-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    for (const name of ['src', 'simulation', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    plant(bug, folder);
    return await runMany({ ...order, folder });
  } finally {
    remove();
    process.off('exit', remove);
  }
}

function plant({ edits }: PlantedBug, folder: string): void {
  for (const { file, find, replace } of edits) {
    const path = join(folder, 'src', file);
    const parts = readFileSync(path, 'utf8').split(find);
    if (parts.length !== 2) {
      throw new Error(`src/${file} has this ${parts.length - 1} times, not once: ${find}`);
    }
    writeFileSync(path, parts.join(replace));
  }
}
