import type { Status } from '../../src/domain/status.ts';
import type { History, Said } from './histories.ts';

/**
 * How a delivery must end by what was told of it, written down a second time and by hand: orders that are all lost alike
 * would otherwise agree with each other.
 */
export interface End {
  status: Status;
  evidence: number;
  sentAt: number | null;
  deliveredAt: number | null;
  /** What its source was told, each once. */
  facts: readonly string[];
  /** Why its address is on the list, if any of the words put it there. */
  reason: string | null;
}

const top = 1_000_000;
const roundsMax = 3;

export function expectedEnd(history: History, told: readonly Said[]): End {
  const { state } = history;
  const heard = heardOf(history, told);
  const words = heard.map((said) => ({ ...wordOf(said), at: said.at }));
  const best = words
    .filter(({ rank }) => rank >= state.evidence)
    .sort(
      (one, other) => other.rank - one.rank || Number(isEnd(other.status)) - Number(isEnd(one.status)),
    )[0];
  const wins =
    best !== undefined &&
    (best.rank > state.evidence ||
      (state.status === 'failed_transient' && best.status === 'failed_permanent'));
  const sentAt = earliest(
    state.sentAt,
    words.filter(({ isAccepted }) => isAccepted),
  );
  const deliveredAt = earliest(
    state.deliveredAt,
    words.filter(({ rank }) => rank === top),
  );
  const isStopped = wins && best.rank > top;
  const reasons = ['complained', 'bounced_for_good', 'provider_suppressed'];
  return {
    status: wins ? best.status : state.status,
    evidence: wins ? best.rank : state.evidence,
    ...{ sentAt, deliveredAt },
    facts: [
      ...(sentAt !== null && (state.sentAt ?? null) === null ? ['first_accepted'] : []),
      ...(isStopped ? ['suppressed'] : []),
    ],
    reason: reasons.find((reason) => words.some((word) => word.reason === reason)) ?? null,
  };
}

const isEnd = (status: Status) => status === 'failed_permanent';

const earliest = (known: number | null | undefined, words: readonly { at: number }[]) => {
  const all = [...(known == null ? [] : [known]), ...words.map(({ at }) => at)];
  return all.length === 0 ? null : Math.min(...all);
};

/** A word without tags is heard if its mail is known, by itself or from another word; one under a wrong id never. */
function heardOf({ state, earlierIds }: History, told: readonly Said[]): Said[] {
  const honest = told.filter(({ isForged }) => !isForged);
  const known = new Set([...earlierIds.keys(), ...(state.providerMessageId == null ? [] : [state.round])]);
  const isHeard = ({ tagged, round }: Said) =>
    tagged === 'all' || known.has(round) || (tagged === 'without round' && state.round <= 1);
  for (const said of honest) if (isHeard(said)) known.add(said.round);
  return honest.filter(isHeard);
}

interface Word {
  rank: number;
  status: Status;
  isAccepted: boolean;
  reason?: string;
}

function wordOf({ type, data, round }: Said): Word {
  const text = JSON.stringify(data ?? {});
  switch (type) {
    case 'email.sent':
    case 'email.delivery_delayed':
      return { rank: 4 * round + 1, status: 'sent', isAccepted: true };
    case 'email.delivered':
    case 'email.opened':
    case 'email.clicked':
      return { rank: top, status: 'delivered', isAccepted: true };
    case 'email.bounced': {
      if (text.includes('Permanent'))
        return { rank: top + 1, status: 'suppressed', isAccepted: true, reason: 'bounced_for_good' };
      const status = round < roundsMax ? 'failed_transient' : 'failed_permanent';
      return { rank: 4 * round + 2, status, isAccepted: true };
    }
    case 'email.failed':
      return text.includes('quota')
        ? { rank: 4 * round + 2, status: 'failed_transient', isAccepted: false }
        : { rank: 4 * round + 3, status: 'failed_permanent', isAccepted: false };
    case 'email.complained':
      return { rank: top + 1, status: 'suppressed', isAccepted: true, reason: 'complained' };
    case 'email.suppressed':
      return { rank: top + 1, status: 'suppressed', isAccepted: false, reason: 'provider_suppressed' };
    default:
      throw new Error(`nobody says ${type}`);
  }
}
