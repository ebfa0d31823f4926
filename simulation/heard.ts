import type { Clock } from '../src/std/clock.ts';
import type { Violate, WatchedRow } from './promises.ts';

/** What a process has heard of a delivery, until it writes it down. */
export interface Heard {
  tell(who: string, id: string, what: 'conflict' | 'found'): void;
  /** At a commit by `who`. */
  check(who: string, before: WatchedRow, row: WatchedRow): void;
  /** The database went back in time. */
  clear(): void;
}

export function createHeard(parts: {
  clock: Clock;
  violate: Violate;
  /** Somebody who acts on what was so before a fail-over. */
  isOldHand: (who: string) => boolean;
}): Heard {
  const { clock, violate, isOldHand } = parts;
  const heard = new Map<string, 'conflict' | 'found'>();

  return {
    tell: (who, id, what) => void heard.set(`${who} ${id}`, what),
    clear: () => heard.clear(),
    check(who, before, row) {
      const key = `${who} ${row.id}`;
      const what = heard.get(key);
      const isTakenUpAnew = before.lease !== row.lease;
      if (what === undefined || (before.told_up_to === row.told_up_to && !isTakenUpAnew)) return;
      heard.delete(key);
      // Of what was in their hands before, under another lease or before a fail-over, it says nothing any more.
      if (isTakenUpAnew || isOldHand(who)) return;
      // As its holder: whose time is over may have failed to.
      if (before.locked_by !== who || (before.due_at ?? 0) <= clock.now()) return;
      if (what === 'conflict' && row.status === 'reconciling' && row.resubmit_until !== null) {
        violate(
          'the key window',
          `#${row.seq}: ${who} heard that its key is taken, and it may still leave again`,
        );
      }
      if (what === 'found' && row.sent_at === null) {
        violate('answers', `${who} found #${row.seq} at the provider, and it is ${row.status}`);
      }
    },
  };
}
