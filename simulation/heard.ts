import type { Clock } from '../src/std/clock.ts';
import type { Hands } from './hands.ts';
import type { Violate, WatchedRow } from './promises.ts';
import { isInHandOf, type Part } from './turns.ts';

/** What a process has heard of a delivery, until it writes it down. */
export interface Heard {
  conflict(who: string, id: string, held: Held): void;
  found(who: string, id: string): void;
  /** At a commit by `who`. */
  check(who: string, before: WatchedRow, row: WatchedRow): void;
  /** The database went back in time. */
  clear(): void;
}

/** Under which lease it was sent. */
interface Held {
  leaseEndsAt: number;
  by: Part;
}
type Word = ({ what: 'conflict' } & Held) | { what: 'found' };

export function createHeard(parts: {
  clock: Clock;
  violate: Violate;
  /** Somebody who acts on what was so before a fail-over. */
  isOldHand: (who: string) => boolean;
  isSameEnd: Hands['isSameEnd'];
}): Heard {
  const { clock, violate, isOldHand, isSameEnd } = parts;
  const heard = new Map<string, Word>();

  return {
    conflict: (who, id, held) => void heard.set(`${who} ${id}`, { what: 'conflict', ...held }),
    found: (who, id) => void heard.set(`${who} ${id}`, { what: 'found' }),
    clear: () => heard.clear(),
    check(who, before, row) {
      const key = `${who} ${row.id}`;
      const word = heard.get(key);
      const isTakenUpAnew = before.lease !== row.lease;
      if (word === undefined || (before.told_up_to === row.told_up_to && !isTakenUpAnew)) return;
      heard.delete(key);
      // Of what was in their hands before, under another lease, it says nothing any more.
      if (isTakenUpAnew) return;
      // As its holder: whose time is over may have failed to.
      if (before.locked_by !== who || (before.due_at ?? 0) <= clock.now()) return;
      const isUnderThatLease =
        word.what === 'conflict' && isSameEnd(word.leaseEndsAt, before.due_at) && isInHandOf(word.by, before);
      if (isUnderThatLease && row.status === 'reconciling' && row.resubmit_until !== null) {
        violate(
          'the key window',
          `#${row.seq}: ${who} heard that its key is taken, and it may still leave again`,
        );
      }
      if (word.what === 'found' && row.sent_at === null && !isOldHand(who)) {
        violate('answers', `${who} found #${row.seq} at the provider, and it is ${row.status}`);
      }
    },
  };
}
