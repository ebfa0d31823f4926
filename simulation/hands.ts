import type { Clock } from '../src/std/clock.ts';
import type { Violate, WatchedRow } from './promises.ts';
import type { ProviderKind } from './service.ts';

/** Who has what in hand, and who had it: a process may act on what was so before a fail-over, until the lease of that time is over. */
export interface Hands {
  /** A process does something. */
  saw(who: string): void;
  /** At a commit: what changed hands. */
  note(before: WatchedRow | undefined, row: WatchedRow): void;
  check(rows: readonly WatchedRow[], next: readonly WatchedRow[]): void;
  /** Bytes may leave until then, whatever becomes of the row. */
  mayLeave(id: string, until: number): void;
  mayLeaveUntil(id: string): number;
  /** Who had it last, and until when. */
  lastHold(id: string): { who: string; until: number | null } | undefined;
  isOldHand(who: string): boolean;
  /** Of a lease, as somebody was told it and as its row has it: clocks that were set back have moved the row's. */
  isSameEnd(told: number, kept: number | null): boolean;
  setBack(byMs: number): void;
  restored(): void;
}

/** The longest lease of a run, with the inner tries of its call: by then whatever was under way at a fail-over has ended. */
export const leaseLongestMs = 170_000;

export function createHands(parts: { clock: Clock; kind: ProviderKind; violate: Violate }): Hands {
  const { clock, kind, violate } = parts;
  const oldHands = new Set<string>();
  const hands = new Set<string>();
  const lastHolds = new Map<string, { who: string; until: number | null }>();
  const leavesUntil = new Map<string, number>();
  let restoredAt = -Infinity;
  let setBackMs = 0;
  let setBackAt = -Infinity;
  const isFresh = () => clock.now() <= restoredAt + leaseLongestMs;

  function mayLeave(id: string, until: number): void {
    leavesUntil.set(id, Math.max(until, leavesUntil.get(id) ?? 0));
  }

  function checkSuspects(rows: readonly WatchedRow[], next: readonly WatchedRow[]): void {
    const claimed = next.filter(
      (row) =>
        row.status === 'claimed' && rows.some(({ seq, lease }) => seq === row.seq && lease !== row.lease),
    );
    const suspect = claimed.find(({ lapses }) => lapses >= 2);
    if (suspect && claimed.length > 1) {
      violate('suspects', `#${suspect.seq} was claimed with ${claimed.length - 1} others`);
    }
    const hopeless = next.find(({ lapses }) => lapses > 5);
    if (hopeless) violate('suspects', `#${hopeless.seq} has killed ${hopeless.lapses} workers`);
  }

  /** Without keys a crash leaves in doubt whatever has begun: no more than leave at once. */
  function checkInHand(next: readonly WatchedRow[]): void {
    // After a fail-over a row may be in the hands of somebody who has long put it down.
    if (kind.hasKey || isFresh()) return;
    const inHand = new Map<string, number>();
    for (const { status, locked_by, due_at } of next) {
      if (status !== 'sending' || locked_by === null || (due_at ?? 0) <= clock.now()) continue;
      const count = (inHand.get(locked_by) ?? 0) + 1;
      inHand.set(locked_by, count);
      if (count > kind.concurrency)
        violate('write ahead', `${locked_by} has begun ${count} mails at once, without keys`);
    }
  }

  return {
    saw: (who) => void hands.add(who),
    note(before, row) {
      if (row.locked_by !== null) lastHolds.set(row.id, { who: row.locked_by, until: row.due_at });
      if (row.status === 'sending' && before?.status !== 'sending') mayLeave(row.id, row.due_at ?? 0);
    },
    check(rows, next) {
      checkSuspects(rows, next);
      checkInHand(next);
    },
    mayLeave,
    mayLeaveUntil: (id) => leavesUntil.get(id) ?? 0,
    lastHold: (id) => lastHolds.get(id),
    isOldHand: (who) => oldHands.has(who) && isFresh(),
    isSameEnd(told, kept) {
      // What was in hand when clocks were set back is no longer.
      const movedMs = clock.now() <= setBackAt + leaseLongestMs ? setBackMs : 0;
      return kept !== null && told - kept >= 0 && told - kept <= movedMs;
    },
    setBack(byMs) {
      setBackMs = clock.now() <= setBackAt + leaseLongestMs ? setBackMs + byMs : byMs;
      setBackAt = clock.now();
    },
    restored() {
      restoredAt = clock.now();
      for (const who of hands) oldHands.add(who);
      lastHolds.clear();
      leavesUntil.clear();
    },
  };
}
