import { sql } from 'kysely';
import { createConsent } from '../../src/consent/consent.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createDatabaseClock } from '../../src/db/database-clock.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createDispatch } from '../../src/dispatch/dispatch.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import { createWidth } from '../../src/dispatch/width.ts';
import type { Intent } from '../../src/domain/delivery.ts';
import type { Sender as From, Mail } from '../../src/domain/message.ts';
import { mailOf } from '../../src/outbox/mails.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createResend } from '../../src/providers/resend.ts';
import { handsOf } from '../../src/runners/embedded.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createCompany } from '../../src/std/company.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { systemRandom } from '../../src/std/random.ts';

/** The engine as it is put together for production, less what looks after accidents: there are none here. */
export interface Sender {
  readonly db: Database;
  enqueue(intents: readonly Intent[]): Promise<void>;
  /** Sends what waits and records what came of it, until so many are through. */
  send(count: number): Promise<void>;
  /** How many deliveries there are in each status. */
  tally(): Promise<Record<string, number>>;
  /** What has left, as it was frozen. */
  mails(): Promise<Mail[]>;
  close(): Promise<void>;
}

export interface SenderParts {
  databaseUrl: string;
  providerUrl: string;
  connections: number;
}

export async function createSender({ databaseUrl, providerUrl, connections }: SenderParts): Promise<Sender> {
  const log = silentLog;
  const db = await openDatabase(databaseUrl, { clock: systemClock, log });
  await migrate(db, { clock: systemClock, ids: systemIds });
  const clock = await createDatabaseClock(db, systemClock, log);
  const consent = createConsent({
    ...{ db, clock, ids: systemIds, log },
    ...{ secrets: ['only for the bench'], baseUrl: () => 'https://mail.example.com' },
  });
  const listeners = { consent: consent.learn, source: () => plainSource.changed };
  const outbox = createOutbox({ db, clock, log, namespace: await readNamespace(db), listeners });
  const resend = createResend({ apiKey: 're_bench', baseUrl: providerUrl, clock, connections });
  // As one that has no limit: the pace is asked, and never in the way.
  const provider = { ...resend, guarantees: { ...resend.guarantees, ratePerSecond: null } };
  const pace = createPace({ db, provider, clock, log });
  const company = createCompany(clock);
  const hands = handsOf(provider.guarantees);
  const width = createWidth(Math.floor(connections / hands.length));
  const dispatches = hands.map((hand) =>
    createDispatch({
      outbox,
      pace,
      width,
      company,
      sources: [plainSource],
      consent,
      provider,
      clock,
      log,
      worker: `bench/${hand + 1}`,
      from: 'Tidings <tidings@example.com>' as From,
      environment: 'bench',
      random: systemRandom,
    }),
  );
  const signal = new AbortController().signal;

  return {
    db,
    async enqueue(intents) {
      await outbox.enqueue(intents);
    },
    async send(count) {
      let handled = 0;
      await Promise.all(
        dispatches.map(async (dispatch) => {
          for (;;) {
            const turn = await dispatch.runOnce(signal);
            handled += turn.handled;
            if (turn.handled === 0 && turn.waitMs === 0) return;
            if (turn.waitMs > 0) await clock.sleep(turn.waitMs);
          }
        }),
      );
      if (handled < count) throw new Error(`only ${handled} of ${count} were found`);
    },
    async tally() {
      const { rows } = await sql<{ status: string; count: number }>`
        SELECT status, count(*) AS count FROM deliveries GROUP BY status`.execute(db.read);
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
    async mails() {
      const rows = await db.read.selectFrom('delivery_mails').selectAll().where('round', '>', 0).execute();
      return rows.map(mailOf);
    },
    async close() {
      await provider.close?.();
      await db.close();
    },
  };
}
