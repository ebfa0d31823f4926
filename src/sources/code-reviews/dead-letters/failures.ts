import { sql } from 'kysely';
import type { Database, Tx } from '../../../db/database.ts';
import { type DialectName, seqsOf } from '../../../db/dialect.ts';
import type { DeliveryEventRow } from '../../../db/schema.ts';
import { type Status, statuses } from '../../../domain/status.ts';
import type { DeliveryError } from '../../../domain/transition.ts';
import { causeOf, type Ending, endings } from './cause.ts';

/** What went wrong with a delivery so far, from its story: when first and last, how often, how it ended, and whether that is new. */
export interface Failures {
  count: number;
  firstAt: number | null;
  lastAt: number | null;
  /** How it ended, or why a person must decide; null where neither is so. */
  ending: Ending | null;
  /** Its mail reached the recipient's server, whatever came after that. */
  hasArrived: boolean;
  /** It was tried again after an end, and ended in the same way. */
  isEscalated: boolean;
}

const isEnding: ReadonlySet<string> = new Set(endings);
/** Attempts and rounds that came to nothing, beside the ends. */
const setbacks = [
  ...['refused_for_now', 'outcome_unknown', 'key_conflict', 'lease_expired', 'lapsed', 'not_at_provider'],
] as const;
const arrivals: ReadonlySet<string> = new Set(['confirmed', 'complained']);
const told = [...endings, ...setbacks, ...arrivals, 'requeued'];

type StoryRow = Pick<DeliveryEventRow, 'at' | 'event' | 'status' | 'detail'>;

/** In the order in which it happened. */
export function failuresOf(rows: readonly StoryRow[]): Failures {
  const failures: Failures = {
    ...{ count: 0, firstAt: null, lastAt: null, ending: null, hasArrived: false, isEscalated: false },
  };
  let before: Ending | null = null;
  for (const { at, event, status, detail } of rows) {
    const { from = null, error = null, ignored } = JSON.parse(detail ?? '{}') as Detail;
    // What contradicted the mail that we know was about another.
    if (ignored !== undefined) continue;
    if (arrivals.has(event)) {
      failures.hasArrived = true;
    } else if (event === 'requeued') {
      before = failures.ending ?? before;
      failures.ending = null;
    } else {
      failures.count += 1;
      failures.firstAt ??= at;
      failures.lastAt = at;
      if (isEnding.has(event) && isOver(status)) failures.ending = { event, from, error };
    }
  }
  failures.isEscalated = failures.ending !== null && before !== null && isSame(failures.ending, before);
  return failures;
}

interface Detail {
  from?: string;
  error?: DeliveryError;
  ignored?: string;
}

const isOver = (status: Status) => statuses[status].isFinal || status === 'needs_review';

/** What programs go by: the error's code, or the event where there was none. */
export const codeOf = ({ event, error }: Ending) => error?.code ?? event;

function isSame(one: Ending, other: Ending): boolean {
  return causeOf(one).errorClass === causeOf(other).errorClass && codeOf(one) === codeOf(other);
}

/** Of many at once; one that has no story yet has no failures. */
export async function readFailures(
  executor: Tx | Database['read'],
  dialect: DialectName,
  seqs: readonly number[],
): Promise<(seq: number) => Failures> {
  const bySeq = new Map<number, StoryRow[]>();
  if (seqs.length > 0) {
    const input = seqsOf(dialect, seqs);
    const { rows } = await sql<StoryRow & { delivery_seq: number }>`
      SELECT delivery_seq, at, event, status, detail FROM delivery_events
      WHERE delivery_seq IN (SELECT seq FROM ${input}) AND event IN (${sql.join(told.map((event) => sql.lit(event)))})
      ORDER BY delivery_seq, event_seq
    `.execute(executor);
    for (const row of rows) bySeq.set(row.delivery_seq, [...(bySeq.get(row.delivery_seq) ?? []), row]);
  }
  return (seq) => failuresOf(bySeq.get(seq) ?? []);
}
