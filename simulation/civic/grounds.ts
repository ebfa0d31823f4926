import type { NotificationRow, RunItemRow, RunRow } from '../../src/db/newsletters-schema.ts';
import { statuses } from '../../src/domain/status.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { Change } from './civic-watch.ts';
import { isOfCancelled, objectionOf, short } from './reading.ts';
import { threshold } from './town.ts';
import { never, nothing } from './town-hall.ts';

/** Why somebody was not told, beside what is so. */

type Told = ReadonlyMap<string, ReadonlySet<string>>;

export function checkReason(
  item: RunItemRow,
  was: RunItemRow,
  run: RunRow,
  row: WatchedRow | undefined,
  { before, after, rowsBefore }: Change,
  { violate, told, strayed }: { violate: Violate; told: Told; strayed: ReadonlySet<number> },
): void {
  const { reason, notification_id: id } = item;
  const wish = after.wishes.get(id);
  const known = (seq: number | undefined) => rowsBefore.some((each) => each.seq === seq);
  const isSo = () => {
    switch (reason) {
      case 'run_cancelled':
        return run.status === 'cancelled';
      case 'another_run':
        return [...after.items].some(
          ([runId, items]) => runId !== item.run_id && items.get(id)?.delivery_seq === item.delivery_seq,
        );
      case 'already_delivered': {
        const recipient = `${item.user_id}:${id}`;
        const told = rowsBefore.find(
          (each) => each.recipient === recipient && each.occasion === item.period_key,
        );
        return told !== undefined && !isOfCancelled(told, before);
      }
      case 'no_data':
      case 'conditions_not_met':
      case 'data_not_available':
        return (
          wish !== undefined && was.state === 'collected' && isToldSo(reason, wish, item.period_key, told)
        );
      default:
        // It ended otherwise, or they said no: before, or in that very commit.
        if (row && known(row.seq) && row.status === reason)
          return statuses[row.status].isFinal || strayed.has(row.seq);
        return reason === objectionOf(wish, after) || reason === objectionOf(before.wishes.get(id), before);
    }
  };
  if (!isSo())
    violate('nobody is left over', `wish ${short(id)} is left out because of ${reason}, which is not so`);
}

/** By what the budget has ever answered of it: nobody has to be told of figures that came a moment later. */
export function isToldSo(code: string, wish: NotificationRow, periodKey: string, told: Told): boolean {
  const answers = told.get(keyOf(wish, periodKey)) ?? new Set();
  // Of a dataset one may ask for a period that it does not have.
  if (code === 'data_not_available') return answers.has(never);
  if (code === 'no_data') return answers.has(nothing) || wish.dataset_id !== null;
  if (code !== 'conditions_not_met' || !hasCondition(wish)) return false;
  return [...answers].some((value) => value !== nothing && Number(value) <= threshold);
}

/** Somebody may be told: at least one condition holds, or there is none. */
export function mayBeTold(wish: NotificationRow, periodKey: string, told: Told): boolean {
  const answers = [...(told.get(keyOf(wish, periodKey)) ?? [])].filter(
    (answer) => answer !== nothing && answer !== never,
  );
  return hasCondition(wish) ? answers.some((value) => Number(value) > threshold) : answers.length > 0;
}

const hasCondition = ({ config }: NotificationRow) => config?.includes('"operator"') ?? false;

const keyOf = ({ entity_cui, dataset_id }: NotificationRow, periodKey: string) =>
  entity_cui === null ? (dataset_id ?? 'heating') : `${entity_cui} ${periodKey}`;
