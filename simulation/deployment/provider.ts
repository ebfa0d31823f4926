import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Books, Ledger } from './provider-process.ts';

/** The provider of a deployment, in its own process; one question at a time. */
export interface LimitedProvider {
  /** The settings of a process that sends through it. */
  readonly env: Readonly<Record<string, string>>;
  books(): Promise<Books>;
  /** Everybody who was mailed, once for each mail. */
  mailed(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startLimitedProvider(order: { seed: number; limit: number }): Promise<LimitedProvider> {
  const path = fileURLToPath(new URL('provider-process.ts', import.meta.url));
  const child = fork(path, [String(order.seed), String(order.limit)], { execArgv: ['--import', 'tsx'] });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the provider's process ended with ${code}`)));
  });
  ended.catch(() => {}); // Heard by whoever waits for an answer; at the close nobody does.
  const answer = async <T>() => (await Promise.race([once(child, 'message'), ended]))[0] as T;
  let turn: Promise<unknown> = Promise.resolve();
  const ask = <T>(question: 'books' | 'ledger') => {
    const asked = turn.then(() => {
      child.send(question);
      return answer<T>();
    });
    turn = asked.catch(() => {});
    return asked;
  };
  const { port } = await answer<{ port: number }>();
  return {
    env: {
      ...{ MAIL_PROVIDER: 'resend', RESEND_API_KEY: 're_crashtest_0123456789abcdef' },
      ...{ RESEND_BASE_URL: `http://127.0.0.1:${port}`, RESEND_MAX_RPS: String(order.limit) },
      ...{ EMAIL_FROM_ADDRESS: 'crash@example.org', PLATFORM_BASE_URL: 'http://127.0.0.1:1' },
      TOKEN_SECRET: 'a-secret-for-the-crash-test-alone-0123456789',
    },
    books: () => ask<Books>('books'),
    async mailed() {
      const ledger = await ask<Ledger>('ledger');
      return ledger.flatMap(([address, mails]) => Array<string>(mails).fill(address));
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
