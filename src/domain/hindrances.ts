import { ago, duration } from '../std/duration.ts';
import type { PaceState } from './pace.ts';
import { providerNamed } from './providers.ts';
import { statuses } from './status.ts';
import { type SuppressionReason, suppressionReasons } from './suppression.ts';
import type { DeliveryState } from './transition.ts';

/** What stands around a delivery and may be the reason why it waits. */
export interface Circumstances {
  now: number;
  /** Of its address. */
  suppression: Suppression | null;
  /** When its recipient left this source's mails; null for who has not. */
  unsubscribedAt: number | null;
  pauses: readonly { scope: string; reason: string; by: string; at: number }[];
  /** Why the source would have its recipient wait now, if it would. */
  sourceSays?: string | null;
  /** The account with which mails leave at present. */
  account: string;
  /** How that account is asked; null where it never was. */
  pace: PaceState | null;
}

export interface Suppression {
  scope: string;
  /** Who put it there. */
  by: string;
  reason: SuppressionReason;
  /** What an operator wrote. */
  note: string | null;
  at: number;
  deliverySeq: number | null;
}

export interface Hindrance {
  /** Where it stands: who waits in vain for a worker is told otherwise than who waits for a pause to end. */
  kind: 'address' | 'pause' | 'provider' | 'worker';
  /** Fits behind "Not yet: ". */
  brief: string;
  sentence: string;
  /** What happens to a delivery that nobody has in hand. */
  next: string;
  /** What a person can do about it. */
  remedy: { sentence: string; command: string } | null;
}

/** A worker looks four times a second, a sweep comes every two seconds: later than this, nobody is at work. */
export const lateMs = 10_000;

/** Why this delivery does not move, the most telling first; nothing where it only waits for its time. */
export function hindrancesOf(
  { source, state }: { source: string; state: DeliveryState },
  circumstances: Circumstances,
): Hindrance[] {
  const { now, suppression, unsubscribedAt } = circumstances;
  if (!statuses[state.status].isDue) return [];
  const isHeld = state.lockedBy !== null;
  const outside = isHeld ? [] : [...pausesOf(source, circumstances), ...paceOf(circumstances)];
  const isWaiting = state.status === 'pending' || state.status === 'failed_transient';
  const listed = isWaiting && suppression ? [suppressedSoon(suppression, now)] : [];
  const left = isWaiting && unsubscribedAt !== null ? [skippedSoon(unsubscribedAt, now)] : [];
  const isLate = state.dueAt !== null && now - state.dueAt > lateMs;
  return [
    ...listed,
    ...left,
    ...outside,
    ...(isLate && outside.length === 0 ? [nobodyAtWork(state, now)] : []),
  ];
}

const onceOver = 'It goes on when that is over.';

function pausesOf(source: string, { pauses, now }: Circumstances): Hindrance[] {
  return pauses
    .filter(({ scope }) => scope === '*' || scope === source)
    .map(({ scope, reason, by, at }) => {
      const what = scope === '*' ? 'everything' : `the source ${scope}`;
      return {
        kind: 'pause' as const,
        brief: `${what} is paused by ${by}`,
        sentence: `${capital(what)} has been paused for ${duration(now - at)} by ${by}: ${withoutStop(reason)}.`,
        next: onceOver,
        remedy: {
          sentence: 'When the reason is gone, let it go on:',
          command: scope === '*' ? 'npx tidings resume' : `npx tidings resume ${scope}`,
        },
      };
    });
}

function paceOf({ pace, account, now }: Circumstances): Hindrance[] {
  if (!pace) return [];
  const name = nameOf(account);
  const remedy = { sentence: 'Ask the provider, and see what to do:', command: 'npx tidings doctor' };
  if (pace.openSince !== null) {
    const why = troubles[pace.openReason ?? ''] ?? pace.openReason ?? 'it is down';
    const again = pace.probeAt === null || pace.probeAt <= now ? 'now' : `in ${duration(pace.probeAt - now)}`;
    return [
      {
        kind: 'provider',
        brief: `${name} takes no mail at present (${why})`,
        sentence: `No mail has been handed to ${name} for ${duration(now - pace.openSince)}: ${why}. It is asked again ${again}; no attempt is counted meanwhile.`,
        next: onceOver,
        remedy,
      },
    ];
  }
  if (pace.pausedUntil > now) {
    const left = duration(pace.pausedUntil - now);
    return [
      {
        kind: 'provider',
        brief: `${name} asked us to wait ${left}`,
        sentence: `${capital(name)} asked us to wait; mails go on in ${left}, by themselves.`,
        next: onceOver,
        remedy: null,
      },
    ];
  }
  return [];
}

/** The reasons for which a circuit opens, in words. */
export const troubles: Readonly<Record<string, string>> = {
  failing: 'several mails in a row got no clear answer',
  throttled: 'it says that we are too fast',
  over_quota: 'its quota is used up',
  // A sender's domain that is not verified there is answered as a wrong key is.
  unauthorised: 'it refuses our key or our sender',
  unreachable: 'it cannot be reached',
};

function suppressedSoon(suppression: Suppression, now: number): Hindrance {
  return {
    kind: 'address',
    brief: 'the address must not be mailed, and it will end as suppressed',
    sentence: tellSuppression(suppression, now),
    next: 'When its turn comes it ends as suppressed, and nothing is sent.',
    remedy: null,
  };
}

function skippedSoon(unsubscribedAt: number, now: number): Hindrance {
  return {
    kind: 'address',
    brief: 'the recipient has unsubscribed, and it will not be sent',
    sentence: `The recipient unsubscribed ${ago(now - unsubscribedAt)}.`,
    next: 'When its turn comes it ends as skipped_unsubscribed, and nothing is sent.',
    remedy: null,
  };
}

export function tellSuppression({ reason, note, at, deliverySeq }: Suppression, now: number): string {
  const why = `${suppressionReasons[reason]}${note ? ` (${withoutStop(note)})` : ''}`;
  const by = deliverySeq === null ? '' : ` (delivery ${deliverySeq})`;
  return `The address must not be mailed: ${why} ${ago(now - at)}${by}.`;
}

function nobodyAtWork({ dueAt, lockedBy }: DeliveryState, now: number): Hindrance {
  const late = duration(now - (dueAt ?? now));
  return {
    kind: 'worker',
    brief:
      lockedBy === null
        ? `it has been due for ${late}, and no worker has taken it`
        : `the worker ${lockedBy} should have been done ${late} ago, and nobody has taken over`,
    sentence: `That was due ${late} ago and has not happened: no worker seems to be running.`,
    next: 'It goes on as soon as a worker runs.',
    remedy: { sentence: 'See whether one runs, or start one with npm start:', command: 'npx tidings doctor' },
  };
}

/** `resend:3f9a…` is an account; people know the provider. */
export function nameOf(account: string | null): string {
  return account?.split(':')[0] || 'the provider';
}

/** Whether word of a mail's fate may come later; of a provider that nobody knows any more, it may. */
export const hearsLater = (account: string | null) => providerNamed(nameOf(account))?.hearsLater ?? true;

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const withoutStop = (text: string) => text.replace(/[.\s]+$/, '');
