import type { Retried } from '../../src/sources/code-reviews/dead-letters/retry.ts';
import type { Ledger } from '../ledger.ts';
import type { Violate } from '../promises.ts';
import type { Endings } from './endings.ts';
import { hasEnded, personOf } from './reading.ts';
import type { ReviewTables, Told } from './review-tables.ts';
import type { Change } from './review-watch.ts';

/** Second tries: of what is over and was not told, for a reason that is kept, by who may. */
export interface TryWatch {
  tried(order: TryOrder): Try;
  answered(one: Try, outcome: TryOutcome, tables: ReviewTables): void;
  look(change: Change): void;
  /** When it is known what was told in it. */
  lookAfter(change: Change): void;
  atTheEnd(tables: ReviewTables): void;
}

export interface TryOrder {
  jobId: string;
  reason: string;
  by: string;
  recipients?: readonly string[] | undefined;
  isOperator: boolean;
}

export interface Try {
  order: TryOrder;
  /** Deliveries that were put back by it. */
  requeued: Set<number>;
}

export type TryOutcome =
  | { kind: 'answer'; recipients: readonly Retried[] }
  | { kind: 'refusal'; code: string }
  | { kind: 'error'; message: string };

interface Parts {
  violate: Violate;
  ledger: Ledger;
  endings: Endings;
}

export function createTryWatch({ violate, ledger, endings }: Parts): TryWatch {
  /** By whoever asked, which is another name each time. */
  const tries = new Map<string, Try>();
  /** By delivery; undefined for an operator who has not asked for a second try of the review. */
  const lastBy = new Map<number, string | undefined>();
  const say = (sentence: string) => violate('a second try', sentence);

  function checkRequeued({ delivery_seq: seq, detail }: Told, one: Try, change: Change): void {
    const { order, requeued } = one;
    const name = `#${seq} is tried again by ${order.by}`;
    requeued.add(seq);
    const row = change.rowsBefore.find((each) => each.seq === seq);
    const line = change.before.lines.get(order.jobId)?.find(({ delivery_seq }) => delivery_seq === seq);
    const { reason } = JSON.parse(detail ?? '{}') as { reason?: string };
    if (reason !== order.reason) say(`${name}, and the story does not say why`);
    const isNamed = order.recipients?.some((email) => personOf(email) === line?.recipient) ?? true;
    if (!row || !line || !isNamed) {
      say(`${name}, who has not asked for it`);
      return;
    }
    if (!hasEnded(row)) say(`${name}, and is ${row.status}`);
    if (row.said_no === 1) say(`${name}, and its recipient has said no`);
    if (row.first_possible_accept_at !== null) say(`${name}, and a mail may exist`);
    const has = ledger.entries.some(
      (entry) => entry.deliveryId === row.id && !entry.isDenied && ledger.isLive(entry),
    );
    if (has && !ledger.invented.has(row.id)) say(`${name}, and its recipient has it`);
    if (endings.isEscalated(seq) === 'yes' && !order.isOperator)
      say(`${name}, and it is for an operator to decide`);
    const isKept = change.after.replays.some(
      (replay) => replay.delivery_seq === seq && replay.requested_by === order.by,
    );
    if (!isKept) say(`${name}, and nobody will hear what comes of it`);
  }

  function checkAnswer({ order, requeued }: Try, recipients: readonly Retried[], tables: ReviewTables): void {
    const lines = tables.lines.get(order.jobId) ?? [];
    const name = `what ${order.by} is answered`;
    for (const { recipient, isRequeued } of recipients) {
      const line = lines.find((each) => each.recipient === recipient);
      if (isRequeued !== requeued.has(line?.delivery_seq ?? 0))
        say(`${name} of ${recipient} is ${isRequeued ? 'a second try' : 'none'}, which is not so`);
    }
    const told = recipients.map(({ recipient }) => recipient).toSorted();
    const named = [...new Set(order.recipients?.map(personOf) ?? told)].sort();
    if (told.join() !== named.join()) say(`${name} is of ${told.join()}, and not of ${named.join()}`);
    const untold = [...requeued].find(
      (seq) => !told.includes(lines.find(({ delivery_seq }) => delivery_seq === seq)?.recipient ?? ''),
    );
    if (untold) say(`${name} is nothing of #${untold}, which is tried again`);
  }

  function checkRefusal({ order, requeued }: Try, code: string, tables: ReviewTables): void {
    const name = `${order.by} is refused (${code})`;
    const lines = tables.lines.get(order.jobId) ?? [];
    const isUnknown = order.recipients?.some(
      (email) => !lines.some(({ recipient }) => recipient === personOf(email)),
    );
    const isSo =
      code === 'recipient_unknown'
        ? isUnknown
        : code === 'reason_required'
          ? order.reason.trim() === ''
          : code === 'escalated' &&
            !order.isOperator &&
            lines.some(({ delivery_seq }) => endings.wasEscalated(delivery_seq));
    if (!isSo) say(`${name}, and that is not so`);
    if (requeued.size > 0) say(`${name}, and it is tried again all the same`);
  }

  /** What a second try has come to, by all that is known: it may have been sent, and bounce later. */
  const came = new Map<number, Set<string | null>>();

  function checkSettled({ before, after, rows }: Change): void {
    for (const { replay_seq, delivery_seq: seq, outcome } of after.replays) {
      const was = before.replays.find((replay) => replay.replay_seq === replay_seq);
      if (was && was.outcome === null && outcome !== null && !came.get(replay_seq)?.has(outcome))
        say(`#${seq} was tried again, and is said to have come to ${outcome}, which it has not`);
      if (outcome !== null) continue;
      const row = rows.find((each) => each.seq === seq);
      const known = came.get(replay_seq) ?? new Set();
      came.set(replay_seq, known);
      if (!row) continue;
      if (row.status === 'sent' || row.status === 'delivered' || endings.hasArrived(seq)) known.add('sent');
      if (!hasEnded(row)) continue;
      if (endings.isEscalated(seq) !== 'no') known.add('escalated');
      if (endings.isEscalated(seq) !== 'yes') known.add('ended');
    }
  }

  return {
    tried(order) {
      const one = { order, requeued: new Set<number>() };
      tries.set(order.by, one);
      return one;
    },
    answered(one, outcome, tables) {
      if (outcome.kind === 'answer') checkAnswer(one, outcome.recipients, tables);
      else if (outcome.kind === 'refusal') checkRefusal(one, outcome.code, tables);
      else say(`${one.order.by} is answered with an error: ${outcome.message}`);
    },
    look(change) {
      for (const told of change.told) {
        const one = tries.get(told.actor.replace(/^operator /, ''));
        if (told.event !== 'requeued') continue;
        lastBy.set(told.delivery_seq, one?.order.by);
        if (one) checkRequeued(told, one, change);
      }
    },
    lookAfter: checkSettled,
    atTheEnd({ replays }) {
      for (const [seq, by] of lastBy) {
        const replay = replays.findLast((each) => each.delivery_seq === seq && each.requested_by === by);
        if (replay && endings.isEscalated(seq) === 'yes' && replay.outcome !== 'escalated')
          say(`#${seq} has ended in the same way again, and ${by} is told that it was ${replay.outcome}`);
      }
      for (const { delivery_seq: seq, outcome } of replays) {
        if (outcome === null) say(`#${seq} was tried again, and nobody has heard what came of it`);
        if (outcome === 'escalated' && !endings.wasEscalated(seq))
          say(`#${seq} is escalated, and had not ended so before`);
      }
    },
  };
}
