import type { RunItemRow, RunRow } from '../../src/db/newsletters-schema.ts';
import type { Clock } from '../../src/std/clock.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { CivicTables } from './civic-tables.ts';
import type { Change } from './civic-watch.ts';
import { checkReason } from './grounds.ts';
import { isHeld, isOfCancelled, isWaiting, objectionOf, partsOf, periodOf, short } from './reading.ts';
import type { Town } from './town.ts';
import type { TownHall } from './town-hall.ts';

/** Who is on the list of a run, and what becomes of each line of it. */
export interface ListWatch {
  look(change: Change): void;
  atTheEnd(tables: CivicTables, rows: readonly WatchedRow[]): void;
  ownerOf(seq: number): string | undefined;
}

interface Parts {
  violate: Violate;
  clock: Clock;
  town: Town;
  hall: Pick<TownHall, 'told'>;
}

export function createListWatch({ violate, hall }: Parts): ListWatch {
  const owners = new Map<number, string>();
  /** Those that were stopped, and put back by an operator or by who came back: their run need not see to them any more. */
  const strayed = new Set<number>();

  /** A run begins: its list is everybody who wants it now and was not told, and nobody else. */
  function checkList(run: RunRow, { after, rows }: Change): void {
    const items = [...(after.items.get(run.run_id)?.values() ?? [])];
    const listed = new Map(
      items.filter(({ place }) => place !== null).map((item) => [item.notification_id, item]),
    );
    const had = new Map(rows.map((row) => [`${row.recipient} ${row.occasion}`, row]));
    let wanting = 0;
    for (const wish of after.wishes.values()) {
      if (wish.notification_type !== run.notification_type || wish.deleted_at !== null) continue;
      const periodKey = periodOf(wish, run.period_key);
      const told = had.get(`${wish.user_id}:${wish.id} ${periodKey}`);
      const isTold =
        told !== undefined && told.status !== 'skipped_ineligible' && !isOfCancelled(told, after);
      const why = objectionOf(wish, after) ?? (isTold ? 'already_delivered' : undefined);
      const item = listed.get(wish.id);
      if (item && why) violate('a list is right', `wish ${short(wish.id)} is on a list, and is ${why}`);
      if (item && item.period_key !== periodKey)
        violate(
          'a list is right',
          `wish ${short(wish.id)} is to be told of ${item.period_key}, not of ${periodKey}`,
        );
      if (!why) wanting += 1;
      if (!why && !item && run.limit_to === null)
        violate('a list is right', `wish ${short(wish.id)} is on no list, and wants to be`);
    }
    const most = Math.min(run.limit_to ?? Infinity, wanting);
    if (listed.size !== most)
      violate('a list is right', `${listed.size} are on a list that should have ${most}`);
    if (run.eligible_count !== listed.size)
      violate('a list is right', `${run.eligible_count} are said to be on a list of ${listed.size}`);
  }

  function checkMove(item: RunItemRow, was: RunItemRow, run: RunRow, change: Change): void {
    const { after, rows } = change;
    const name = `wish ${short(item.notification_id)}`;
    const row = rows.find(({ seq }) => seq === item.delivery_seq);
    const move = `${was.state} → ${item.state}`;
    switch (move) {
      case 'planned → collected': {
        const why = objectionOf(after.wishes.get(item.notification_id), after);
        if (why) violate('a list is right', `${name} is collected, and is ${why}`);
        if (run.status !== 'running')
          violate('a run is heeded', `${name} is collected for a run that is ${run.status}`);
        const { userId, wishId } = partsOf(row?.recipient ?? '');
        const isIts =
          userId === item.user_id && wishId === item.notification_id && row?.occasion === item.period_key;
        if (!isIts)
          violate('a list is right', `${name} is collected, and #${item.delivery_seq} is not its delivery`);
        return;
      }
      case 'collected → composed': {
        if (run.status !== 'running')
          violate('a run is heeded', `${name} is composed for a run that is ${run.status}`);
        if (row && isWaiting(row) && !after.words.has(row.seq))
          violate('as it was composed', `${name} is composed, and there are no words for #${row.seq}`);
        return;
      }
      case 'planned → left_out':
      case 'collected → left_out':
      case 'composed → left_out':
        checkReason(item, was, run, row, change, { violate, told: hall.told, strayed });
        return;
      case 'left_out → planned': {
        // They were not collected, because they had said no, and are back before the run is over.
        const why = objectionOf(after.wishes.get(item.notification_id), after);
        if (why || item.delivery_seq !== null)
          violate('a list is right', `${name} is planned again, and ${why ?? 'has a delivery'}`);
        return;
      }
      default:
        violate('nobody is left over', `${name}: ${move}`);
    }
  }

  /** Who is back while the run is at work that had left them out for it is on its list again. */
  function checkReturned({ before, after }: Change): void {
    for (const wish of after.wishes.values()) {
      if (objectionOf(wish, after) || !objectionOf(before.wishes.get(wish.id) ?? wish, before)) continue;
      for (const [runId, { status }] of after.runs) {
        const item = after.items.get(runId)?.get(wish.id);
        const isAtWork = status === 'running' || status === 'paused' || status === 'halted';
        if (isAtWork && item?.state === 'left_out' && item.delivery_seq === null)
          violate(
            'nobody is left over',
            `wish ${short(wish.id)} is back, and run ${short(runId)} goes on without it`,
          );
      }
    }
  }

  /** Deliveries come of lists, one for a line that was planned. */
  function checkNew({ before, after, rows, rowsBefore }: Change): void {
    const had = new Set(rowsBefore.map(({ seq }) => seq));
    for (const row of rows) {
      if (had.has(row.seq)) continue;
      const items = [...after.items.values()].flatMap((items) => [...items.values()]);
      const item = items.find(({ delivery_seq, state }) => delivery_seq === row.seq && state === 'collected');
      const was = item && before.items.get(item.run_id)?.get(item.notification_id)?.state;
      if (was !== 'planned')
        violate('a list is right', `#${row.seq} came to be, and no list has asked for it`);
      if (!isHeld(row)) violate('as it was composed', `#${row.seq} may leave before it is composed`);
    }
  }

  function noteStrayed({ rows, rowsBefore }: Change): void {
    const had = new Map(rowsBefore.map((row) => [row.seq, row]));
    for (const row of rows) {
      const was = had.get(row.seq)?.status;
      if (
        isWaiting(row) &&
        was !== undefined &&
        (was.startsWith('skipped') || was.startsWith('failed_p') || was === 'suppressed')
      )
        strayed.add(row.seq);
    }
  }

  /** Who was held back and is let go has words to leave with. */
  function checkReleased({ after, rows, rowsBefore }: Change): void {
    const had = new Map(rowsBefore.map((row) => [row.seq, row]));
    for (const row of rows) {
      const before = had.get(row.seq);
      if (!before || !isWaiting(before) || !isWaiting(row) || !isHeld(before) || isHeld(row)) continue;
      // Where the run was cancelled, it is let go only to be ended.
      if (!after.words.has(row.seq) && !strayed.has(row.seq) && !isOfCancelled(row, after))
        violate('as it was composed', `#${row.seq} is let go, and nobody has composed it`);
    }
  }

  return {
    ownerOf: (seq) => owners.get(seq),
    look(change) {
      const { before, after } = change;
      noteStrayed(change);
      for (const [runId, run] of after.runs) {
        if (!before.runs.has(runId)) {
          checkList(run, change);
          continue;
        }
        const items = after.items.get(runId);
        if (items === before.items.get(runId)) continue;
        for (const item of items?.values() ?? []) {
          const was = before.items.get(runId)?.get(item.notification_id);
          if (!was) violate('a list is right', `wish ${short(item.notification_id)} came to a list later`);
          if (!was || was.state === item.state) continue;
          checkMove(item, was, run, change);
          if (item.state !== 'collected' || item.delivery_seq === null) continue;
          owners.set(item.delivery_seq, runId);
          strayed.delete(item.delivery_seq);
        }
      }
      checkNew(change);
      checkReleased(change);
      checkReturned(change);
    },
    atTheEnd({ runs, items }, rows) {
      for (const [runId, { status }] of runs) {
        const isOver = status === 'finished' || status === 'cancelled' || status === 'expired';
        if (!isOver) violate('nobody is left over', `run ${short(runId)} is still ${status}`);
        for (const { state, notification_id: id } of items.get(runId)?.values() ?? []) {
          const isOpen = state === 'planned' || state === 'collected';
          if (isOpen && status !== 'expired' && status !== 'cancelled')
            violate('nobody is left over', `wish ${short(id)} is still ${state} in run ${short(runId)}`);
        }
      }
      const held = rows.find((row) => isWaiting(row) && isHeld(row));
      if (held) violate('nobody is left over', `#${held.seq} is held back for ever`);
    },
  };
}
