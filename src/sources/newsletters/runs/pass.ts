import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import type { RunRow } from '../../../db/newsletters-schema.ts';
import { heldAt, heldFrom } from '../../../domain/delivery.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Report } from '../../../outbox/record.ts';
import type { Clock } from '../../../std/clock.ts';
import { type Item, type ItemChange, lockRun, readItems, setRun, writeItems } from './run-rows.ts';

/**
 * What a change of mind does to the deliveries of a run that wait: a pause holds them back, a resumption lets them go, a
 * cancellation ends them. Page by page by their places, each page under the run's lock, so that two changes of mind never mix. What
 * a worker holds meanwhile is met by the gate.
 */
export interface PassParts {
  db: Database;
  outbox: Pick<Outbox, 'record'>;
  clock: Clock;
  pageMax?: number;
}

const pageMost = 1_000;

/** One page. Answers whether there is more. */
export async function passPage(
  { run_id: runId }: RunRow,
  { db, outbox, clock, pageMax = pageMost }: PassParts,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const run = await lockRun(tx, db.dialect, runId, ['running', 'paused', 'halted', 'cancelled']);
    if (run?.pass_after === null || run === undefined) return false;
    const now = clock.now();
    const items = await readItems(
      tx,
      runId,
      sql`items.place > ${run.pass_after} AND items.place <= ${run.pass_after + pageMax}`,
      pageMax,
    );
    // What was left out of this run is another's, or nobody's: it is not this one's to hold or to end.
    const own = items.filter(({ state }) => state === 'collected' || state === 'composed');
    const waiting = own.filter(({ delivery_status }) => isWaiting(delivery_status));
    const reports = waiting.flatMap((item) => reportOf(item, run, now));
    const answers = await outbox.record(reports, tx);
    if (run.status === 'cancelled') {
      const ended = new Set(answers.filter(({ changed }) => changed).map(({ seq }) => seq));
      await writeItems(
        tx,
        db.dialect,
        runId,
        items.flatMap((item) => cancelled(item, ended)),
      );
    }
    const isMore = await isBehind(tx, runId, run.pass_after + pageMax);
    await setRun(tx, runId, { pass_after: isMore ? run.pass_after + pageMax : null }, now);
    return isMore;
  });
}

const isWaiting = (status: Item['delivery_status']) => status === 'pending' || status === 'failed_transient';

async function isBehind(tx: Parameters<typeof setRun>[0], runId: string, place: number): Promise<boolean> {
  const found = await tx
    .selectFrom('notification_run_items')
    .select('place')
    .where('run_id', '=', runId)
    .where('place', '>', place)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function reportOf(item: Item, run: RunRow, now: number): Report[] {
  const { delivery_seq: seq, due_at } = item;
  if (seq === null || due_at === null) return [];
  const actor = `run ${run.run_id}`;
  const detail = { reason: run.status_because ?? `the run is ${run.status}` };
  if (run.status === 'cancelled') {
    const error = { code: 'run_cancelled', message: 'The run that it belonged to was cancelled.' };
    return [{ seq, event: 'ineligible', actor, detail, error }];
  }
  const isHeld = due_at >= heldFrom;
  if (run.status === 'running') {
    // What is not composed yet stays held: whoever composes it lets it go.
    return isHeld && item.state === 'composed' ? [{ seq, event: 'deferred', dueAt: now, actor, detail }] : [];
  }
  // What is due later, after a bounce for one, keeps its time: by then the gate meets it, or the run has gone on.
  return isHeld || due_at > now ? [] : [{ seq, event: 'deferred', dueAt: heldAt, actor, detail }];
}

function cancelled(item: Item, ended: ReadonlySet<number>): ItemChange[] {
  const { notification_id, delivery_seq } = item;
  const isUntold = item.state === 'planned' || (delivery_seq !== null && ended.has(delivery_seq));
  return isUntold ? [{ notification_id, state: 'left_out', reason: 'run_cancelled' }] : [];
}
