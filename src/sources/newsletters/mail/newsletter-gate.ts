import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, seqsOf } from '../../../db/dialect.ts';
import type { RunStatus } from '../../../db/newsletters-schema.ts';
import type { Verdict } from '../../../outbox/begin.ts';
import type { Claimed } from '../../../outbox/claim.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Notifications, Standing } from '../notifications/notifications.ts';

/**
 * The last look before a newsletter leaves, in that transaction: do they still want it, and is its run still on? Everything is read
 * anew, for the whole batch at once.
 */
export interface NewsletterGateParts {
  db: Database;
  clock: Clock;
  notifications: Pick<Notifications, 'recheckRows'>;
}

export function createNewsletterGate({ db: { dialect }, clock, notifications }: NewsletterGateParts) {
  return async (batch: readonly Claimed[], tx: Tx): Promise<ReadonlyMap<number, Verdict>> => {
    if (batch.length === 0) return new Map();
    const standings = await notifications.recheckRows(
      tx,
      batch.map(({ recipient }) => recipient),
    );
    const runs = await readRuns(tx, dialect, batch);
    return new Map(
      batch.flatMap(({ seq, recipient }): [number, Verdict][] => {
        const verdict = byTheWish(standings.get(recipient)) ?? byTheRun(runs.get(seq), clock.now());
        return verdict ? [[seq, verdict]] : [];
      }),
    );
  };
}

/** By the newest run that has taken it up: who was left out of one may be in the next. */
async function readRuns(
  tx: Tx,
  dialect: DialectName,
  batch: readonly Claimed[],
): Promise<ReadonlyMap<number, RunStatus>> {
  const input = seqsOf(
    dialect,
    batch.map(({ seq }) => seq),
  );
  const { rows } = await sql<{ seq: number; status: RunStatus }>`
    SELECT input.seq, runs.status FROM ${input}
    JOIN notification_run_items AS items ON items.delivery_seq = input.seq AND items.state IN ('collected', 'composed')
    JOIN notification_runs AS runs ON runs.run_id = items.run_id
    ORDER BY runs.created_at
  `.execute(tx);
  return new Map(rows.map(({ seq, status }) => [seq, status]));
}

function byTheWish(standing: Standing | undefined): Verdict | undefined {
  if (!standing) return ending('ineligible', 'gone', 'What was asked for is no longer in the database.');
  const { isOptedOut, inactiveBecause: why } = standing;
  if (isOptedOut) return ending('unsubscribed', 'globally_off', 'They want no notifications at all.');
  if (why === null) return undefined;
  return why === 'bounced' || why === 'complained'
    ? ending('ineligible', why, 'An earlier mail bounced or was complained about.')
    : ending('unsubscribed', why, 'They have said that they want no more of these mails.');
}

/** What waits is held back with its run; this is for what a worker had in hand just then. */
const lookAgainMs = 60_000;

function byTheRun(status: RunStatus | undefined, now: number): Verdict | undefined {
  if (status === 'cancelled') {
    return ending('ineligible', 'run_cancelled', 'The run that it belonged to was cancelled.');
  }
  if (status !== 'paused' && status !== 'halted') return undefined;
  const error = { code: 'run_paused', message: `Its run is ${status}.` };
  return { event: 'deferred', dueAt: now + lookAgainMs, error };
}

function ending(event: 'unsubscribed' | 'ineligible', code: string, message: string): Verdict {
  return { event, error: { code, message } };
}
