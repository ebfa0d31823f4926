import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { addUp } from './count.ts';

/** Adds up what the files have counted: for people as one line, for a program in the file that TIDINGS_PROOF_OUT names. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { home, remove } = await homeOfRun();
  const folder = mkdtempSync(join(home, 'tidings-pairs-'));
  project.provide('pairsFolder', folder);
  return async () => {
    const total = addUp(folder);
    rmSync(folder, { recursive: true });
    await remove();
    const missing = total.missing.length > 0 ? `; nothing from ${total.missing.join(', ')}` : '';
    process.stdout.write(`${total.points} points, ${total.pairs} pairs, ${total.broken} broken${missing}\n`);
    const out = process.env.TIDINGS_PROOF_OUT;
    if (out) writeFileSync(out, `${JSON.stringify(total)}\n`);
  };
}

/** The folder of whoever started this, or one of our own that somebody deletes however this ends. */
async function homeOfRun(): Promise<{ home: string; remove: () => Promise<void> }> {
  const given = process.env.TIDINGS_TEST_TMP;
  if (given) return { home: given, remove: async () => {} };
  const { createGuard } = await script<{ createGuard(): Guard }>('servers/guard.mjs');
  const { folderForTests } = await script<{ folderForTests(): string }>('test/folder.mjs');
  const guard = createGuard();
  return { home: guard.folder(folderForTests()), remove: guard.end };
}

interface Guard {
  folder(path: string): string;
  end(): Promise<void>;
}

/** Scripts are no TypeScript: they run before anything is installed. */
const script = <T>(path: string) =>
  import(new URL(`../../../scripts/${path}`, import.meta.url).href) as Promise<T>;
