import type { DeliveryRow } from '../db/schema.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { OutboxQueries, Unproven } from '../outbox/queries.ts';
import type { Report } from '../outbox/record.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';

/**
 * Whatever is due and nobody looks after: claims and sends whose worker is gone, rows that say `sent` without
 * proof, intents whose last moment has passed, requests of operators, bookkeeping that is owed, mails that have been kept long
 * enough, lines of counts that one line can say. It decides nothing that the table does not: a row that moved meanwhile is left alone.
 */
export interface Sweep {
  /** Answers how many rows it moved. */
  runOnce(): Promise<Swept>;
}

interface Swept {
  recovered: number;
  doubted: number;
  /** What is said to be sent without proof: looked through; or more follows, at once or when fewer doubts are due. */
  unproven: 'none' | 'more' | 'later';
  expired: number;
  requests: number;
  owed: number;
  forgotten: number;
}

export interface SweepParts {
  outbox: Outbox;
  queries: OutboxQueries;
  clock: Clock;
  log: Log;
  /** Whoever else keeps something of people. */
  keepers: readonly { forget?(before: number): Promise<void> }[];
  /** How long a mail is kept after the last that was heard of it. */
  retentionMs: number;
  /** How long a row may say that it was sent with nothing to prove it. */
  doubtAfterMs: number;
}

const batchMax = 200;
/** Rule: twice in a batch, then alone; five deaths of its worker are the row's own doing. */
const lapsesMax = 5;
/** Between two looks for mails that are old enough; while there are more, they go batch by batch. */
const forgetEveryMs = 10 * 60_000;
/** A busy process adds some hundred lines of counts in this time; reading them all takes a millisecond. */
const foldEveryMs = 10_000;
/** Between two looks for what is sent without proof: only an import, or a hand in the database, makes such rows. */
const doubtEveryMs = 60_000;
/** While so many doubts are due, no more are made of what has waited for an hour at least. */
const doubtsMax = 50;

export function createSweep(parts: SweepParts): Sweep {
  const { outbox, queries, keepers, clock, log, retentionMs, doubtAfterMs } = parts;
  let doubtAt = clock.monotonic();
  let doubtedUpTo: Unproven | null = null;
  let unproven: Swept['unproven'] = 'none';
  let forgetAt = clock.monotonic();
  let forgottenUpTo = 0;
  let foldAt = clock.monotonic();

  async function forget(): Promise<number> {
    if (clock.monotonic() < forgetAt) return 0;
    const before = clock.now() - retentionMs;
    const { count, next } = await outbox.forget({ before, above: forgottenUpTo, limit: batchMax });
    if (next === null) for (const keeper of keepers) await keeper.forget?.(before);
    forgottenUpTo = next ?? 0;
    if (next === null) forgetAt = clock.monotonic() + forgetEveryMs;
    if (count > 0) log.info('sweep.forgotten', { deliveries: count });
    return count;
  }

  async function fold(): Promise<number> {
    if (clock.monotonic() < foldAt) return 0;
    foldAt = clock.monotonic() + foldEveryMs;
    await outbox.foldCounts();
    return 0;
  }

  async function recover(): Promise<number> {
    const lost = await queries.overdue(['claimed', 'sending', 'reconciling'], true, clock.now(), batchMax);
    const answers = await outbox.record(lost.map((row) => reportOf(row, clock.now())));
    const recovered = answers.filter(({ changed }) => changed).length;
    if (recovered > 0) log.warn('sweep.recovered', { recovered });
    return recovered;
  }

  /** 003-8.3-2: before anything more is sent, the provider is asked. That this can happen at all is an alert (003-8.2-9). */
  async function doubt(): Promise<number> {
    unproven = 'none';
    if (clock.monotonic() < doubtAt) return 0;
    const now = clock.now();
    const { rows, next } = await queries.unproven(now - doubtAfterMs, doubtedUpTo, batchMax);
    if (rows.length > 0) {
      // A look-up may take many questions: a whole import at once would stand in front of every doubt of today.
      const waiting = await queries.overdue(['reconciling'], false, now, doubtsMax);
      if (waiting.length >= doubtsMax) {
        unproven = 'later';
        return 0;
      }
    }
    doubtedUpTo = next;
    if (next !== null) unproven = 'more';
    if (next === null) doubtAt = clock.monotonic() + doubtEveryMs;
    const answers = await outbox.record(
      rows.map(({ seq, id, trace_id: traceId }) => ({
        ...{ seq, id, traceId, actor: 'sweep', event: 'doubted', dueAt: now },
      })),
    );
    const doubted = rows.filter((_, index) => answers[index]?.changed);
    for (const { id, trace_id } of doubted) {
      log.error('delivery.doubted', { deliveryId: id, ...(trace_id !== null && { traceId: trace_id }) });
    }
    return doubted.length;
  }

  return {
    async runOnce() {
      const failures: unknown[] = [];
      // What one of them cannot do must not keep the others from theirs.
      const counted = (work: () => Promise<number>) =>
        work().catch((error: unknown) => {
          failures.push(error);
          return 0;
        });
      const swept = {
        recovered: await counted(recover),
        doubted: await counted(doubt),
        expired: await counted(() => outbox.expire(batchMax)),
        requests: await counted(outbox.performRequests),
        owed: await counted(outbox.tellOwedFacts),
        forgotten: await counted(forget),
        unproven,
      };
      await counted(fold);
      if (failures.length > 0) throw failures[0];
      return swept;
    },
  };
}

function reportOf(row: DeliveryRow, now: number): Report {
  const base = { seq: row.seq, id: row.id, traceId: row.trace_id, actor: 'sweep', dueAt: now };
  if (row.status === 'reconciling') return { ...base, event: 'lease_expired' };
  if (row.status === 'sending') {
    // 002-P9-03, word for word.
    const error = { code: 'lease_expired', message: 'Recovered from stuck sending state' };
    return { ...base, event: 'lease_expired', error };
  }
  if (row.lapses + 1 < lapsesMax) return { ...base, event: 'lapsed' };
  const message = `The worker died ${lapsesMax} times while it held this delivery, the last times with no other in hand.`;
  return { ...base, event: 'gave_up', error: { code: 'crashes_worker', message } };
}
