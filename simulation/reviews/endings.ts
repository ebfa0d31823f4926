import type { Told } from './review-tables.ts';
import type { Change } from './review-watch.ts';

/** How deliveries have ended, by their stories: what was tried again after an end and ended in the same way is for an operator. */
export interface Endings {
  look(change: Pick<Change, 'told'>): void;
  /** Its mail reached the recipient's server. */
  hasArrived(seq: number): boolean;
  /** For sure, or perhaps: two ends with one code may still be of two kinds. */
  isEscalated(seq: number): 'yes' | 'perhaps' | 'no';
  /** At some time, perhaps. */
  wasEscalated(seq: number): boolean;
}

interface Ending {
  event: string;
  from: string;
  code: string;
}

/** Events after which a delivery may be over, and which do not end it. */
const noEndings: ReadonlySet<string> = new Set([
  'accepted',
  'confirmed',
  'complained',
  'forgotten',
  'resumed',
]);
const over: ReadonlySet<string> = new Set([
  ...['failed_permanent', 'suppressed', 'expired', 'needs_review'],
  ...['skipped_unsubscribed', 'skipped_no_email', 'skipped_ineligible'],
]);

export function createEndings(): Endings {
  const last = new Map<number, Ending>();
  const before = new Map<number, Ending>();
  const arrived = new Set<number>();
  const escalated = new Set<number>();

  function note({ delivery_seq: seq, event, status, detail }: Told): void {
    const {
      from = '',
      error,
      ignored,
    } = JSON.parse(detail ?? '{}') as {
      from?: string;
      error?: { code: string };
      ignored?: string;
    };
    if (ignored !== undefined) return;
    if (event === 'confirmed' || event === 'complained') arrived.add(seq);
    if (event === 'requeued') {
      const ending = last.get(seq);
      if (ending) before.set(seq, ending);
      last.delete(seq);
    } else if (over.has(status) && !noEndings.has(event)) {
      last.set(seq, { event, from, code: error?.code ?? event });
      if (isEscalated(seq) !== 'no') escalated.add(seq);
    }
  }

  function isEscalated(seq: number): ReturnType<Endings['isEscalated']> {
    const [one, other] = [last.get(seq), before.get(seq)];
    if (!one || one.code !== other?.code) return 'no';
    return one.event === other.event && one.from === other.from ? 'yes' : 'perhaps';
  }

  return {
    look({ told }) {
      for (const one of told) note(one);
    },
    hasArrived: (seq) => arrived.has(seq),
    isEscalated,
    wasEscalated: (seq) => escalated.has(seq),
  };
}
