import type { NotificationRow } from '../../src/db/newsletters-schema.ts';
import { heldFrom } from '../../src/domain/delivery.ts';
import type { WatchedRow } from '../promises.ts';
import type { CivicTables } from './civic-tables.ts';

/** How tables are read by whoever watches: slow and obvious. */

export const isHeld = ({ due_at }: WatchedRow) => (due_at ?? 0) >= heldFrom;
export const isWaiting = ({ status }: WatchedRow) => status === 'pending' || status === 'failed_transient';

/** On the list of a run, and its own: the run says whether it leaves. */
export const isTakenUp = (state: string | undefined) => state === 'collected' || state === 'composed';

/** Of a run that was cancelled, and not at its end: somebody will end it, or it leaves from the hand that holds it. */
export function isOfCancelled({ seq, status }: WatchedRow, { runs, items }: CivicTables): boolean {
  if (!['pending', 'failed_transient', 'claimed', 'sending'].includes(status)) return false;
  return [...items].some(
    ([runId, lines]) =>
      runs.get(runId)?.status === 'cancelled' &&
      [...lines.values()].some(({ delivery_seq, state }) => delivery_seq === seq && isTakenUp(state)),
  );
}

export function partsOf(recipient: string): { userId: string; wishId: string } {
  const [userId = '', wishId = ''] = recipient.split(':');
  return { userId, wishId };
}

/** Why somebody is not to be told of what they once asked for; undefined where they are. */
export function objectionOf(wish: NotificationRow | undefined, { optOuts }: CivicTables): string | undefined {
  if (!wish) return 'gone';
  if (optOuts.has(wish.user_id)) return 'globally_off';
  return wish.is_active === 1 ? undefined : (wish.inactive_because ?? 'inactive');
}

/** Of a wish, where a run is about this period; a yearly dataset is told of the last year that was over with it. */
export function periodOf({ dataset_id }: NotificationRow, runPeriod: string): string {
  if (dataset_id !== 'yearly') return runPeriod;
  const [year = '', rest = ''] = runPeriod.split('-');
  const isWhole = rest === '' || rest === '12' || rest === 'Q4';
  return isWhole ? year : String(Number(year) - 1);
}

/** What two wishes of one person have in common where they are one. */
export const meaningOf = ({ user_id, notification_type, entity_cui, config }: NotificationRow) =>
  `${user_id} ${notification_type} ${entity_cui} ${config}`;

/** The last digits: for the story. */
export const short = (id: string) => id.slice(-4);

export function codeOf({ last_error }: WatchedRow): string {
  const { code = '' } = JSON.parse(last_error ?? '{}') as { code?: string };
  return code;
}
