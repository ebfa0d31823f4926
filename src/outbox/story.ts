import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { insertRows } from '../db/dialect.ts';
import type { Status } from '../domain/status.ts';
import type { DeliveryState, Transition } from '../domain/transition.ts';
import type { Report } from './record.ts';

/**
 * The story of a delivery: a row per attempt and per change that matters, in the transaction that makes it true. It
 * answers "why did she, or didn't she, get this mail?".
 */
export interface StoryEvent {
  delivery_seq: number;
  at: number;
  event: string;
  status: Status;
  round: number;
  actor: string;
  detail: string;
}

/**
 * An attempt is told once, when it ends, with its beginning in the detail; the row itself shows one that is under
 * way. So what merely takes a row in hand writes nothing here.
 */
const untold: ReadonlySet<string> = new Set(['begun', 'taken_up']);

export function storyOf(
  report: Report,
  before: DeliveryState,
  result: Transition,
  now: number,
): StoryEvent[] {
  if (untold.has(report.event)) return [];
  // Evidence that contradicts what is known is kept for the reader although it changes nothing.
  if (!result.changed && result.why !== 'contradicts') return [];
  const after = result.changed ? result.state : before;
  const detail = {
    from: before.status,
    ...(before.lockedBy !== null && { worker: before.lockedBy }),
    ...(before.status === 'sending' && { beganAt: before.lastAttemptAt, account: before.account }),
    ...(after.attempts !== before.attempts && { attempts: after.attempts }),
    ...(after.dueAt !== null && { dueAt: after.dueAt }),
    // For the day on which they take it back. A claim had replaced it by the end of its lease.
    ...(report.event === 'unsubscribed' && before.lockedBy === null && { wasDueAt: before.dueAt }),
    ...('messageId' in report && { messageId: report.messageId }),
    ...('at' in report && { happenedAt: report.at }),
    // The row's copy is bounded; a provider may explain itself in megabytes.
    ...(report.error && { error: after.lastError ?? { code: report.error.code } }),
    ...(!result.changed && { ignored: result.why }),
    ...report.detail,
  };
  const round = 'round' in report ? report.round : after.round;
  const { seq, event, actor } = report;
  return [
    { delivery_seq: seq, at: now, event, status: after.status, round, actor, detail: JSON.stringify(detail) },
  ];
}

const columns = {
  delivery_seq: 'number',
  at: 'number',
  event: 'text',
  status: 'text',
  round: 'number',
  actor: 'text',
  detail: 'text',
} as const;

export async function writeStory(tx: Tx, dialect: DialectName, events: readonly StoryEvent[]): Promise<void> {
  if (events.length === 0) return;
  await insertRows(
    tx,
    dialect,
    { head: 'INSERT INTO delivery_events', columns },
    events.map((event) => ({ ...event })),
  );
}
