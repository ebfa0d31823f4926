import type { Clock } from '../src/std/clock.ts';
import { skewMs, type Violate, type WatchedRow } from './promises.ts';

/** What ends without a mail, beside the reason that there was for it: no passing trouble throws a delivery away. */
export interface Reasons {
  /** A source says so of a delivery that somebody has in hand. */
  said(id: string, word: Word): void;
  check(before: WatchedRow, row: WatchedRow, roundsMax: number): void;
}

export type Word = 'unsendable' | 'ineligible' | 'expired';

/** After so long a soft bounce makes no new mail. */
const newsMs = 3 * 24 * 3_600_000;
/** With the one that is being ended: five workers have died of it. */
const lapsesBefore = 4;

export function createReasons({ clock, violate }: { clock: Clock; violate: Violate }): Reasons {
  const words = new Map<string, Word>();

  /** Undefined where there was one. */
  function missing(before: WatchedRow, row: WatchedRow, roundsMax: number): string | undefined {
    const word = words.get(row.id);
    switch (row.status) {
      case 'failed_permanent': {
        if (before.status === 'claimed' && row.evidence === before.evidence) {
          return word === 'unsendable' || before.lapses >= lapsesBefore ? undefined : 'it can be sent';
        }
        const isSoftBounce = row.evidence > before.evidence && row.evidence % 4 === 2;
        const round = Math.floor(row.evidence / 4);
        if (!isSoftBounce || row.evidence >= 1_000_000 || round >= roundsMax) return undefined;
        // Nothing is left of it to send, or who asked what became of it was told days later.
        const isOver = row.to_email === null || (row.sent_at ?? Infinity) < clock.now() - newsMs;
        return isOver ? undefined : `round ${round} of ${roundsMax} has bounced softly`;
      }
      case 'expired': {
        const isOver = row.expires_at !== null && row.expires_at <= clock.now() + skewMs;
        return isOver || word === 'expired' ? undefined : 'it has time';
      }
      case 'skipped_ineligible':
        return word === 'ineligible' ? undefined : 'its source has not said so';
      case 'skipped_no_email':
        // Whose users are asked about for each round anew, theirs may have gone since the last.
        return before.to_email === null || row.source === 'newsletters' ? undefined : 'it has an address';
      default:
        return undefined;
    }
  }

  return {
    said: (id, word) => void words.set(id, word),
    check(before, row, roundsMax) {
      // What was said of it in other hands counts no more.
      if (row.status === 'claimed' && row.lease !== before.lease) words.delete(row.id);
      if (row.status === before.status) return;
      const why = missing(before, row, roundsMax);
      if (why !== undefined) violate('a reason to end', `#${row.seq} is ${row.status}, and ${why}`);
    },
  };
}
