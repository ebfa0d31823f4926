import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVictim } from '../../simulation/crashtest/victim.ts';
import { createPauses, everything } from '../../src/dispatch/pauses.ts';
import type { Intent } from '../../src/domain/delivery.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { createSender } from '../send/sender.ts';

/** Some `tidings serve`, each in a process of its own, on one database: the embedded runner, or queues where there is a Redis. */
export interface Workers {
  /** Lets all of them send these, and resolves when all are recorded as sent. */
  send(intents: readonly Intent[]): Promise<void>;
  close(): Promise<void>;
}

export interface WorkersOrder {
  count: number;
  databaseUrl: string;
  providerUrl: string;
  redisUrl?: string | undefined;
}

const lookEveryMs = 100;
const patienceMs = 180_000;

export async function startWorkers(order: WorkersOrder): Promise<Workers> {
  const { count, databaseUrl, providerUrl, redisUrl } = order;
  const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
  // It makes the tables, and puts intents; it sends nothing.
  const sender = await createSender({ databaseUrl, providerUrl, connections: 1 });
  const pauses = createPauses(sender.db, clock);
  const pause = () => pauses.pause(everything, { reason: 'until all are there', operator: 'bench' });
  const env = {
    ...{ HOST: '127.0.0.1', PROCESS_ROLE: 'worker', DATABASE_URL: databaseUrl },
    ...{ MAIL_PROVIDER: 'resend', RESEND_API_KEY: 're_bench_0123456789abcdef', RESEND_BASE_URL: providerUrl },
    // As much as may be set: many times what a machine can do.
    ...{ RESEND_MAX_RPS: '10000', EMAIL_FROM_ADDRESS: 'bench@example.org' },
    ...{ PLATFORM_BASE_URL: 'http://127.0.0.1:1', TOKEN_SECRET: 'a-secret-for-the-bench-alone-0123456789' },
    ...(redisUrl ? { JOBS_ENABLED: 'true', REDIS_URL: redisUrl } : {}),
  };
  await pause();
  const lives = Array.from({ length: count }, (_, place) =>
    startVictim({ folder, name: `worker-${place}`, env }),
  );
  await Promise.all(lives.map(({ up }) => up));
  const failed = lives.findIndex(({ url }) => !url);
  const problem = failed < 0 ? null : readFileSync(join(folder, `worker-${failed}.log`), 'utf8');
  let wanted = 0;

  async function close(): Promise<void> {
    await Promise.all(lives.map((life) => life.stop()));
    await sender.close();
    rmSync(folder, { recursive: true, force: true });
  }

  if (problem !== null) {
    await close();
    throw new Error(`a worker does not start: ${problem}`);
  }
  return {
    async send(intents) {
      await sender.enqueue(intents);
      wanted += intents.length;
      await pauses.resume(everything);
      for (const until = clock.monotonic() + patienceMs; ; await clock.sleep(lookEveryMs)) {
        const { sent = 0 } = await sender.tally();
        if (sent === wanted) break;
        if (clock.monotonic() > until) throw new Error(`only ${sent} of ${wanted} were sent`);
      }
      await pause();
    },
    close,
  };
}
