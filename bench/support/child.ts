import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A file of the bench in a process of its own, so that its costs and memory are nobody else's; one question at a time. */
export interface Child {
  ask<Answer>(question: unknown): Promise<Answer>;
  close(): Promise<void>;
}

export function startChild(file: URL): Child {
  const child = fork(fileURLToPath(file), { execArgv: ['--import', 'tsx'] });
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

/** The child's side. It ends when whoever started it is gone. */
export function answerParent(answer: (question: never) => Promise<unknown>): void {
  process.on('message', async (question) => {
    process.send?.((await answer(question as never)) ?? null);
  });
  process.on('disconnect', () => process.exit());
}
