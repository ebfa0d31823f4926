import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../../../db/dialect.ts';
import { type Status, statuses } from '../../../domain/status.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import type { Chore } from '../../source.ts';
import { type Failures, readFailures } from './failures.ts';

/**
 * Second tries, and how they went. What ends in the same way again is told to people, once, whoever notices: nobody should press the
 * same button a third time. What may be tried again is decided by the story of the delivery and not by these lines.
 */
export interface Replay {
  deliverySeq: number;
  jobId: string;
  errorClass: string;
  code: string;
  by: string;
}

const columns = {
  delivery_seq: 'number',
  job_id: 'text',
  error_class: 'text',
  code: 'text',
  requested_by: 'text',
  requested_at: 'number',
} as const;

/** In the transaction that requeues them. */
export async function insertReplays(
  tx: Tx,
  dialect: DialectName,
  replays: readonly Replay[],
  now: number,
): Promise<void> {
  if (replays.length === 0) return;
  const rows = replays.map(({ deliverySeq, jobId, errorClass, code, by }) => ({
    ...{ delivery_seq: deliverySeq, job_id: jobId, error_class: errorClass, code },
    ...{ requested_by: by, requested_at: now },
  }));
  const names = namesOf(columns);
  await sql`
    INSERT INTO review_replays (${names}) SELECT ${names} FROM ${rowsOf(dialect, columns, rows)}
  `.execute(tx);
}

interface ReplayParts {
  db: Database;
  clock: Clock;
  log: Log;
}

const pageMax = 200;

/** Answers how many have come to an end. */
export async function settleReplays(parts: ReplayParts): Promise<number> {
  let settled = 0;
  let after = 0;
  for (;;) {
    const page = await openAfter(parts.db, after);
    settled += await settlePage(parts, page);
    if (page.length < pageMax) return settled;
    after = page.at(-1)?.replay_seq ?? after;
  }
}

interface OpenReplay {
  replay_seq: number;
  delivery_seq: number;
  job_id: string;
  error_class: string;
  code: string;
  id: string;
  status: Status;
  last_attempt_at: number | null;
}

async function openAfter({ read }: Database, after: number): Promise<OpenReplay[]> {
  const { rows } = await sql<OpenReplay>`
    SELECT replays.replay_seq, replays.delivery_seq, replays.job_id, replays.error_class, replays.code,
      deliveries.id, deliveries.status, deliveries.last_attempt_at
    FROM review_replays AS replays JOIN deliveries ON deliveries.seq = replays.delivery_seq
    WHERE replays.settled_at IS NULL AND replays.replay_seq > ${after} ORDER BY replays.replay_seq LIMIT ${pageMax}
  `.execute(read);
  return rows;
}

async function settlePage({ db, clock, log }: ReplayParts, page: readonly OpenReplay[]): Promise<number> {
  const ended = page.filter((replay) => isOver(replay, clock.now()));
  const failuresOf = await readFailures(
    db.read,
    db.dialect,
    ended.map(({ delivery_seq }) => delivery_seq),
  );
  for (const replay of ended) {
    const outcome = outcomeOf(replay.status, failuresOf(replay.delivery_seq));
    // It was put back since its status was read: what comes of that will be said.
    if (outcome === undefined) continue;
    const ours = await db.write
      .updateTable('review_replays')
      .set({ settled_at: clock.now(), outcome })
      .where('replay_seq', '=', replay.replay_seq)
      .where('settled_at', 'is', null)
      .returning('replay_seq')
      .execute();
    // Of several processes that notice, one tells.
    if (ours.length === 0 || outcome !== 'escalated') continue;
    const { id: deliveryId, job_id: jobId, error_class: errorClass, code } = replay;
    log.error('review.escalated', { deliveryId, jobId, errorClass, code });
  }
  return ended.length;
}

/**
 * What the provider has accepted may still come back, and then it has ended as before. Of a mail of which nothing was heard for so long
 * nothing more is expected: the engine asks no longer, either.
 */
const comesBackWithinMs = 3 * 24 * 3_600_000;

function isOver({ status, last_attempt_at }: OpenReplay, now: number): boolean {
  if (status === 'sent') return now >= (last_attempt_at ?? 0) + comesBackWithinMs;
  return statuses[status].isFinal;
}

type Outcome = 'sent' | 'escalated' | 'ended';

function outcomeOf(status: Status, { isEscalated, hasArrived, ending }: Failures): Outcome | undefined {
  if (statuses[status].mailExists === 'yes' || hasArrived) return 'sent';
  if (ending === null) return undefined;
  return isEscalated ? 'escalated' : 'ended';
}

/** Nobody waits for it: who looks at the list sees it at once. */
const pauseMs = 5_000;

export function createReplayChore(parts: ReplayParts): Chore {
  return {
    ...{ name: 'review-replays', pauseMs },
    async once() {
      await settleReplays(parts);
      return 'pause';
    },
  };
}
