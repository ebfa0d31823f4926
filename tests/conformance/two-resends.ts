import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { messageOf } from '../support/message-of.ts';

/** Two that claim to be Resend, over real sockets: ours, which most tests use, and one that somebody else wrote. */
export interface OneResend {
  url: string;
  close(): Promise<void>;
}

export const fullKey = 're_full_access_0123456789';
/** Of another account. */
export const otherKey = 're_other_account_0123456789';

export const resends = { fake: startOurs, emulate: startEmulate } as const;
export type ResendName = keyof typeof resends;

function startOurs(): Promise<OneResend> {
  return startFakeResend({
    keys: [
      { apiKey: fullKey, account: 'one' },
      { apiKey: otherKey, account: 'two' },
    ],
    // So high that it is never met, and told in every answer.
    limits: { ratePerSecond: 1000 },
  });
}

export async function startEmulate(): Promise<OneResend> {
  const file = fileURLToPath(new URL('./emulate-process.ts', import.meta.url));
  const child = fork(file, [], { execArgv: ['--import', 'tsx'] });
  const port = await messageOf(child);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
