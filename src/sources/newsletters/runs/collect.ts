import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { rowsOf, seqsOf } from '../../../db/dialect.ts';
import type { InactiveBecause, RunRow } from '../../../db/newsletters-schema.ts';
import { heldAt, type Intent } from '../../../domain/delivery.ts';
import type { Enqueued } from '../../../outbox/enqueue.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Report } from '../../../outbox/record.ts';
import type { Clock } from '../../../std/clock.ts';
import { newsletterSource } from '../notification-type.ts';
import { recipientOf } from '../recipient.ts';
import { countCanary, isCanary, roomIn } from './canary.ts';
import { isOfCancelledRun } from './candidates.ts';
import { type Item, type ItemChange, lockRun, readItems, writeItems } from './run-rows.ts';

/**
 * From a run's list to deliveries: page by page, each page one transaction that looks again at who still wants it, puts the
 * intents into the outbox, held back until they are composed, and writes down what became of each. A crash anywhere leaves
 * nobody out; whoever has a delivery for this period already keeps that one.
 */
export interface CollectParts {
  db: Database;
  outbox: Pick<Outbox, 'enqueue' | 'record'>;
  clock: Clock;
  /** For who has no thousands to try it with. */
  pageMax?: number;
}

const pageMost = 1_000;
/** When to look again at a line whose delivery a cancelled run has not let go yet. */
const againMs = 1_000;

/** One page. Answers how many it has taken further. */
export async function collectPage({ run_id: runId }: RunRow, parts: CollectParts): Promise<number> {
  const { db, outbox, clock, pageMax = pageMost } = parts;
  return db.transaction(async (tx) => {
    const run = await lockRun(tx, db.dialect, runId, ['running']);
    if (!run) return 0;
    const room = isCanary(run) ? roomIn(await countCanary(tx, run), run) : pageMax;
    const which = sql`state = 'planned' AND items.due_at <= ${clock.now()}`;
    const items = await readItems(tx, runId, which, Math.max(0, Math.min(room, pageMax)));
    if (items.length === 0) return 0;
    const wishes = await readWishes(tx, db.dialect, items);
    const wanted = items.filter(({ notification_id }) => wishes.get(notification_id)?.reason === null);
    const made = await outbox.enqueue(
      wanted.map((item) => intentOf(item, wishes.get(item.notification_id)?.locale ?? null, run)),
      tx,
    );
    const again = made.filter(({ isNew, status }) => !isNew && status === 'skipped_ineligible');
    await outbox.record(
      again.flatMap(({ seq }) => startedAnew(seq, runId)),
      tx,
    );
    await takeOver(
      tx,
      db.dialect,
      runId,
      again.map(({ seq }) => seq),
    );
    const others = made.filter((one) => !isOurs(one));
    const undecided = await readUndecided(tx, db.dialect, others);
    const byId = new Map(wanted.map((item, index) => [item.notification_id, made[index]]));
    const changes = items.map(({ notification_id }): ItemChange => {
      const one = byId.get(notification_id);
      if (one && undecided.has(one.seq))
        return { notification_id, state: 'planned', due_at: clock.now() + againMs };
      return changeOf(notification_id, one, wishes.get(notification_id)?.reason);
    });
    await writeItems(tx, db.dialect, runId, changes);
    return changes.filter(({ state }) => state !== 'planned').length;
  });
}

interface Wish {
  locale: string | null;
  /** Why they are not told after all. */
  reason: InactiveBecause | 'globally_off' | null;
}

async function readWishes(
  tx: Tx,
  dialect: Database['dialect'],
  items: readonly Item[],
): Promise<ReadonlyMap<string, Wish>> {
  const input = rowsOf(
    dialect,
    { id: 'text' },
    items.map(({ notification_id }) => ({ id: notification_id })),
  );
  const { rows } = await sql<Wish & { id: string }>`
    SELECT notifications.id, notifications.locale,
      CASE WHEN opt_outs.user_id IS NOT NULL THEN 'globally_off' ELSE inactive_because END AS reason
    FROM ${input} JOIN notifications ON notifications.id = input.id
    LEFT JOIN notification_opt_outs AS opt_outs ON opt_outs.user_id = notifications.user_id
  `.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

function intentOf(item: Item, locale: string | null, { trace_id }: RunRow): Intent {
  return {
    source: newsletterSource,
    occasion: item.period_key,
    recipient: recipientOf({ userId: item.user_id, notificationId: item.notification_id }),
    lane: 'bulk',
    dueAt: heldAt,
    traceId: trace_id,
    ...(locale !== null && { locale }),
  };
}

/** It had ended before any mail could exist: nothing to tell then, or a run that was cancelled. */
function startedAnew(seq: number, runId: string): Report[] {
  const actor = `run ${runId}`;
  return [
    { seq, event: 'requeued', actor, detail: { reason: 'a new run' } },
    { seq, event: 'deferred', dueAt: heldAt, actor, detail: { reason: 'to be composed' } },
  ];
}

/** What an earlier run had composed is this one's from now on: the last look asks no other. */
async function takeOver(
  tx: Tx,
  dialect: Database['dialect'],
  runId: string,
  seqs: readonly number[],
): Promise<void> {
  if (seqs.length === 0) return;
  const input = seqsOf(dialect, seqs);
  await sql`
    UPDATE notification_run_items SET state = 'left_out', reason = 'another_run'
    WHERE delivery_seq IN (SELECT seq FROM ${input}) AND run_id <> ${runId} AND state IN ('collected', 'composed')
  `.execute(tx);
}

const isOurs = ({ isNew, status }: Enqueued) => isNew || status === 'skipped_ineligible';

/** What a cancelled run has not let go, or lets go at this very moment: nobody can say yet whether it was told. */
async function readUndecided(
  tx: Tx,
  dialect: Database['dialect'],
  others: readonly Enqueued[],
): Promise<ReadonlySet<number>> {
  if (others.length === 0) return new Set();
  const input = seqsOf(
    dialect,
    others.map(({ seq }) => seq),
  );
  const { rows } = await sql<{ seq: number }>`
    SELECT deliveries.seq FROM ${input} JOIN deliveries ON deliveries.seq = input.seq
    WHERE deliveries.status || '' = 'skipped_ineligible' OR ${isOfCancelledRun}
  `.execute(tx);
  return new Set(rows.map(({ seq }) => seq));
}

function changeOf(
  notification_id: string,
  made: Enqueued | undefined,
  reason: Wish['reason'] | undefined,
): ItemChange {
  if (!made) return { notification_id, state: 'left_out', reason: reason ?? 'gone' };
  if (!isOurs(made)) return { notification_id, state: 'left_out', reason: 'already_delivered' };
  return { notification_id, state: 'collected', delivery_seq: made.seq };
}
