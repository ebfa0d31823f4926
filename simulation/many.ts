import { type ChildProcess, fork } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RuleOff } from './rules-off.ts';
import type { Message } from './seeds.ts';

/** Many seeds, in several processes. It stops at the first promise that is broken. */
export interface Result {
  /** Seeds that were run. */
  count: number;
  broken: Extract<Message, { kind: 'broken' }> | null;
  ms: number;
}

export interface Order {
  first: number;
  count: number;
  workers: number;
  /** Where `src` and `simulation` are. */
  folder: string;
  onProgress?: (count: number) => void;
}

export const root = fileURLToPath(new URL('..', import.meta.url));

export async function runMany({ first, count, workers, folder, onProgress }: Order): Promise<Result> {
  const startedAt = performance.now();
  const result: Result = { count: 0, broken: null, ms: 0 };
  const children: ChildProcess[] = [];
  const end = () => {
    for (const child of children) child.kill();
  };
  process.once('exit', end);
  const work = Array.from({ length: workers }, (_, index) => {
    const args = [first + index, count - index, workers].map(String);
    const child = fork(join(folder, 'simulation/seeds.ts'), args, {
      cwd: folder,
      execArgv: ['--import', 'tsx'],
    });
    children.push(child);
    child.on('message', (message: Message) => {
      if (message.kind === 'broken') {
        result.broken ??= message;
        end();
        return;
      }
      result.count += message.count;
      onProgress?.(result.count);
    });
    return new Promise<void>((resolve, reject) => {
      child.on('exit', (code, signal) => {
        // A worker that ends by itself for any other reason has proved nothing.
        if (code === 0 || (signal !== null && result.broken)) resolve();
        else reject(new Error(`a worker ended with ${signal ?? `exit code ${code}`}`));
      });
    });
  });
  try {
    await Promise.all(work);
  } finally {
    end();
    process.off('exit', end);
  }
  result.ms = performance.now() - startedAt;
  return result;
}

/** The same, on a copy of the source from which one rule is taken away. */
export async function runWithout(rule: RuleOff, order: Omit<Order, 'folder'>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-without-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    for (const name of ['src', 'simulation', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const { file, find, replace } of rule.edits) {
      const path = join(folder, 'src', file);
      const parts = readFileSync(path, 'utf8').split(find);
      if (parts.length !== 2) {
        throw new Error(`${rule.name}: src/${file} has this ${parts.length - 1} times, not once: ${find}`);
      }
      writeFileSync(path, parts.join(replace));
    }
    return await runMany({ ...order, folder });
  } finally {
    remove();
    process.off('exit', remove);
  }
}
