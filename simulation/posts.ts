import { bodyHash } from '../src/domain/message.ts';
import type { Parcel } from '../src/providers/provider.ts';
import type { Clock } from '../src/std/clock.ts';
import type { Violate, WatchedRow } from './promises.ts';
import { isInHandOf, type Part } from './turns.ts';

/** What leaves, looked at where it arrives: by then its row must have said so. */
export interface Post {
  account: string;
  ratePerSecond: number | null;
  parcel: Parcel;
  /** It ends as an attempt, as far as the provider can say. */
  isAttempt: boolean;
  who: string;
  by: Part;
}

export interface PostWatchParts {
  clock: Clock;
  violate: Violate;
  rowOf: (id: string) => WatchedRow | undefined;
  /** Somebody who acts on what was so before a fail-over. */
  isOldHand: (who: string) => boolean;
  /** Who had it in hand last, and until when. */
  lastHold: (id: string) => { who: string; until: number | null } | undefined;
  /** Of a lease, as its holder and as its row has it. */
  isSameEnd: (told: number, kept: number | null) => boolean;
  longestCallMs: number;
}

/** Clocks that differ give the same slots away several times, and what stood still with a slot in its hand comes late. */
const paceWindowsMs = [100, 1_000, 10_000];
const paceSlack = 8;
/** One process has one clock: whatever had reserved slots while it stood still, it does not use them all at once. */
const burst = { windowMs: 100, slack: 2 };
/** A clock that is set back, from ahead to behind. */
const skewMs = 4_000;

export interface PostWatch {
  /** Answers whether the row knows of it: after a fail-over it may not. */
  checkPost(post: Post): boolean;
  /** The database went back in time: what is composed anew may read differently. */
  restored(): void;
}

export function createPostWatch(parts: PostWatchParts): PostWatch {
  const { clock, violate, rowOf, isOldHand, lastHold, isSameEnd, longestCallMs } = parts;
  const bodies = new Map<string, string>();
  const arrivals = new Map<string, { at: number; who: string }[]>();

  function checkPace(account: string, ratePerSecond: number, who: string): void {
    const now = clock.now();
    const recent = [...(arrivals.get(account) ?? []), { at: now, who }].filter(
      ({ at }) => at > now - Math.max(...paceWindowsMs),
    );
    arrivals.set(account, recent);
    const check = (posts: typeof recent, windowMs: number, slack: number) => {
      const count = posts.filter(({ at }) => at > now - windowMs).length;
      if (count <= (ratePerSecond * windowMs) / 1000 + slack) return;
      violate('pace', `${count} posts within ${windowMs / 1000} s, at ${ratePerSecond} a second`);
    };
    for (const windowMs of paceWindowsMs) check(recent, windowMs, paceSlack);
    const own = recent.filter((post) => post.who === who);
    check(own, burst.windowMs, burst.slack);
  }

  function checkKey(row: WatchedRow, account: string, leaseEndsAt: number): void {
    const { seq, resubmit_until: until } = row;
    // Clocks that are set back once it may leave bar its key for whoever comes next.
    const isMoved = row.due_at !== leaseEndsAt;
    if (((until !== null && leaseEndsAt < until) || isMoved) && row.account === account) return;
    const why = until === null ? 'its key is barred' : `its key is sure until ${until}`;
    violate('the key window', `#${seq} leaves again to ${account} until ${leaseEndsAt}; ${why}`);
  }

  function checkPost({ account, ratePerSecond, parcel, who, by }: Post): boolean {
    const { key, mail, leaseEndsAt } = parcel;
    const round = Number(mail.tags.round);
    const row = rowOf(mail.tags.delivery_id ?? '');
    const isHeld = row?.locked_by === who && isSameEnd(leaseEndsAt, row.due_at);
    const isTheirs = isHeld && row.round === round && isInHandOf(by, row);
    // Evidence may have settled it a moment ago, which is no harm: the mail is the one that is known.
    // Its call was given up as silent, at the very instant at which it leaves: it is in doubt for as long as that lease.
    const isGivenUp = row?.status === 'reconciling' && row.locked_by === null && row.round === round;
    const last = lastHold(row?.id ?? '');
    const wasTheirs = last?.who === who && isSameEnd(leaseEndsAt, last.until);
    const isInDoubt = isGivenUp && wasTheirs && clock.now() + longestCallMs <= leaseEndsAt;
    const isSettled = row !== undefined && row.evidence > 4 * round;
    const isKnown = isTheirs || (!isOldHand(who) && (isInDoubt || isSettled));
    if (!isKnown && !isOldHand(who)) {
      violate('write ahead', `round ${round} of #${row?.seq} leaves while it is ${row?.status}`);
    }
    if (isTheirs && row.status === 'reconciling') checkKey(row, account, leaseEndsAt);
    if (clock.now() + longestCallMs > leaseEndsAt + skewMs) {
      const overMs = clock.now() + longestCallMs - leaseEndsAt;
      violate('leases', `round ${round} of #${row?.seq} may be on its way for ${overMs} ms after its lease`);
    }
    const hash = bodyHash(mail);
    if (isTheirs && row.content_hash !== hash && !isOldHand(who)) {
      violate('one key, one body', `#${row.seq} leaves with another body than was kept`);
    }
    const before = bodies.get(key) ?? hash;
    if (isKnown && before !== hash) {
      violate('one key, one body', `${key} leaves with another body than before`);
    }
    if (isKnown) bodies.set(key, hash);
    if (ratePerSecond !== null) checkPace(account, ratePerSecond, who);
    return isKnown;
  }

  return { checkPost, restored: () => bodies.clear() };
}
