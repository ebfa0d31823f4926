import { type Status, statuses } from '../src/domain/status.ts';
import type { Clock } from '../src/std/clock.ts';
import { leaseLongestMs } from './hands.ts';
import type { Ledger } from './ledger.ts';
import type { Violate, WatchedRow } from './promises.ts';

/** By delivery and round: what may have ended an attempt, and what was counted as one. It is never more. */
export interface AttemptCount {
  made(id: string, round: number): void;
  counted(row: WatchedRow): number;
  check(before: WatchedRow, row: WatchedRow): void;
  /** The database went back in time: from then on what it has now is what was counted. */
  restored(rows: readonly WatchedRow[], at: number): void;
}

/** What the gate, or composing a mail, ends a claim with. */
const isEnd = (status: Status) => statuses[status].isFinal && statuses[status].mailExists !== 'yes';

export function createAttemptCount(parts: { ledger: Ledger; clock: Clock; violate: Violate }): AttemptCount {
  const { ledger, clock, violate } = parts;
  const counts = new Map<string, { possible: number; counted: number }>();
  let restoredAt = -1;

  function of(id: string, round: number) {
    const key = `${id} ${round}`;
    const known = counts.get(key);
    if (known) return known;
    // What left before a fail-over comes back as evidence, and closes an attempt of which it is not the end.
    const before = ledger.of(id).filter((entry) => entry.round === round && entry.acceptedAt <= restoredAt);
    // And what was under way may still end, whatever the row knows of it now.
    const isFresh = restoredAt >= 0 && clock.now() <= restoredAt + leaseLongestMs;
    const fresh = { possible: before.length + (isFresh ? 2 : 0), counted: 0 };
    counts.set(key, fresh);
    return fresh;
  }

  return {
    made(id, round) {
      of(id, round).possible += 1;
    },
    counted: ({ id, round }) => of(id, round).counted,
    check(before, row) {
      const ofRound = of(row.id, row.round);
      // A lease that ran out ends an attempt of which nobody knows whether it was one; so does what cannot be sent at all, and a
      // last verdict of the gate.
      const isOver = (row.last_error ?? '').includes('"lease_expired"');
      if (before.status === 'sending' && row.status === 'reconciling' && isOver) ofRound.possible += 1;
      if (before.status === 'claimed' && isEnd(row.status)) ofRound.possible += 1;
      // A sender that stood still before it asked: its call is over, and nobody knows how far it got.
      const isSilent = (row.last_error ?? '').includes('provider_silent');
      if (row.attempts > before.attempts && isSilent) ofRound.possible += 1;
      if (row.round === before.round && row.attempts > before.attempts) {
        ofRound.counted += row.attempts - before.attempts;
      }
      // Word of a mail that was denied closes an attempt of which it is not the end.
      const isDenied = ledger.of(row.id).some((entry) => entry.round === row.round && entry.isDenied);
      if (ofRound.counted > ofRound.possible && !isDenied) {
        violate('attempts', `#${row.seq}: ${ofRound.counted} counted, ${ofRound.possible} made`);
      }
    },
    restored(rows, at) {
      restoredAt = at;
      counts.clear();
      for (const { id, round, attempts } of rows) {
        const known = of(id, round);
        known.possible += attempts;
        known.counted = attempts;
      }
    },
  };
}
