import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** A file of the bench in a process of its own, so that its costs and memory are nobody else's; one question at a time. */
export interface Child {
  ask<Answer>(question: unknown): Promise<Answer>;
  close(): Promise<void>;
}

const root = new URL('../../', import.meta.url);

/** With a map beside it, for whoever wants to know where a function came from, and removes it. */
export function startChild(file: URL, { hasMap = false } = {}): Child {
  const built = build(file, hasMap);
  const child = fork(built, { execArgv: [] });
  child.once('exit', () => rmSync(built, { force: true }));
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`${file.pathname} ended with ${code}`)));
  });
  ended.catch(() => {}); // Heard by whoever waits for an answer; at the close nobody does.
  return {
    async ask<Answer>(question: unknown) {
      child.send(question as object);
      return (await Promise.race([once(child, 'message'), ended]))[0] as Answer;
    },
    async close() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/**
 * Built as the program itself is: what runs TypeScript as it is names every function anew each time it is made, which the program does not
 * pay for. Beside the peers' packages, so that they are found.
 */
function build(file: URL, hasMap: boolean): string {
  const folder = fileURLToPath(new URL('bench/results/built/', root));
  mkdirSync(folder, { recursive: true });
  const name = file.pathname.split('/').at(-1)?.replace(/\.ts$/, '');
  const outfile = join(folder, `${name}-${process.pid}-${++builds}.mjs`);
  buildSync({
    ...{ entryPoints: [fileURLToPath(file)], outfile, packages: 'external', logLevel: 'error' },
    sourcemap: hasMap ? 'external' : false,
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'node20.19', jsx: 'automatic' },
    // Migrations are looked for where the source is.
    define: { 'import.meta.url': JSON.stringify(new URL('src/bundle.js', root).href) },
  });
  return outfile;
}

let builds = 0;

/** The child's side. It ends when whoever started it is gone. */
export function answerParent(answer: (question: never) => Promise<unknown>): void {
  process.on('message', async (question) => {
    process.send?.((await answer(question as never)) ?? null);
  });
  process.on('disconnect', () => process.exit());
}
