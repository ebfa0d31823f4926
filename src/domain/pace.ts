/**
 * How fast a provider is asked, and whether at all: the rate, pauses that it asked for, and the circuit that opens when it
 * is down or refuses us. One state per account, shared by all processes; these are the pure decisions about it.
 *
 * The rate is kept by slots, not by a bucket: a bucket lets a burst through on top of the rate, and a provider that counts
 * strictly answers that with 429s.
 */
export interface PaceState {
  /** When the next mail may leave. */
  nextSlotAt: number;
  /** What the provider's own answers last said that it allows; it counts where that is less than what is configured. */
  seenRatePerSecond: number | null;
  pausedUntil: number;
  /** Null while the circuit is closed. */
  openSince: number | null;
  openReason: string | null;
  /** When somebody should next ask whether the provider is up again; with the circuit closed, when the next mail may try. */
  probeAt: number | null;
  /** Doubtful outcomes in a row. */
  doubts: number;
  /** How often the circuit opened, or was found to have to stay so, since a mail was last accepted. */
  openings: number;
}

export const freshPace: PaceState = {
  nextSlotAt: 0,
  seenRatePerSecond: null,
  pausedUntil: 0,
  openSince: null,
  openReason: null,
  probeAt: null,
  doubts: 0,
  openings: 0,
};

export interface Permits {
  count: number;
  /** The first mail may leave then, the others one `spacingMs` after the other. */
  firstAt: number;
  spacingMs: number;
  /** The one mail that finds out whether an outage is over; the others wait for it. */
  isTrial?: true;
  /** When it is worth asking again, if there are none. */
  waitMs: number;
}

/** A little slower than allowed: requests sent in step arrive out of step, and 6 % of a second is room for that. */
const rateShare = 0.94;
/**
 * A mail that is later than this has missed its slot. It takes less than half of the room above; the rest is for the way to
 * the provider. Slots that are used all at once after a stall are the burst that slots are there to prevent.
 */
export const slotGraceMs = 25;
/** How far ahead slots are given away: an urgent mail waits no longer than this behind those that are already given. */
const horizonMs = 1_000;
/**
 * Whoever takes a batch in hand waits until so much of that is free. With less, a worker would be busy until the far end of the horizon for
 * a mail or two, and soon all of them would, with slots going by that nobody has taken.
 */
export const batchRoomMs = 250;
/** What slots are wanted for. */
export interface Purpose {
  /** None at all, where less than that of the horizon is free. */
  roomMs?: number;
  /** Not before this: mails have to be claimed and composed first, and slots that go by meanwhile would be nobody's. */
  leadMs?: number;
}
/** How long the others wait for the mail that tries first; nobody may come back to tell what became of it. */
const trialMs = 10_000;

export function takePermits(
  state: PaceState,
  wanted: number,
  ratePerSecond: number | null,
  now: number,
  purpose: Purpose = {},
): { state: PaceState; permits: Permits } {
  const none = (waitMs: number) => ({ state, permits: { count: 0, firstAt: now, spacingMs: 0, waitMs } });
  if (state.openSince !== null) return none(Math.max(0, (state.probeAt ?? now) - now));
  if (state.pausedUntil > now) return none(state.pausedUntil - now);
  if (state.openings > 0) {
    // A probe says that somebody is there, not that mail is taken: a quota, for one, is not seen by it. One mail finds out.
    if (state.probeAt !== null && state.probeAt > now) return none(state.probeAt - now);
    const taken = takeSlots(state, Math.min(wanted, 1), ratePerSecond, now);
    if (taken.permits.count === 0) return taken;
    return {
      state: { ...taken.state, probeAt: now + trialMs },
      permits: { ...taken.permits, isTrial: true },
    };
  }
  return takeSlots(state, wanted, ratePerSecond, now, purpose);
}

function takeSlots(
  state: PaceState,
  wanted: number,
  ratePerSecond: number | null,
  now: number,
  { roomMs = 0, leadMs = 0 }: Purpose = {},
): ReturnType<typeof takePermits> {
  const rate = Math.min(ratePerSecond ?? Infinity, state.seenRatePerSecond ?? Infinity);
  if (rate === Infinity) return { state, permits: { count: wanted, firstAt: now, spacingMs: 0, waitMs: 0 } };

  const spacingMs = slotSpacingMs(rate);
  // Nobody reserves further ahead than this: then it was reserved by a clock that has been set back since.
  const isFromTheFuture = state.nextSlotAt > now + horizonMs + 2 * spacingMs;
  const firstAt = Math.max(now + leadMs, isFromTheFuture ? now : state.nextSlotAt);
  const freeMs = now + horizonMs - firstAt;
  if (freeMs <= 0 || freeMs < roomMs) {
    const waitMs = Math.max(1, (roomMs || spacingMs) - freeMs);
    return { state, permits: { count: 0, firstAt: now, spacingMs: 0, waitMs } };
  }
  // At least one, even where slots are further apart than the horizon.
  const count = Math.min(wanted, Math.max(1, Math.floor(freeMs / spacingMs)));
  const next = { ...state, nextSlotAt: firstAt + count * spacingMs };
  return { state: next, permits: { count, firstAt, spacingMs, waitMs: 0 } };
}

/** What is answered where it is the slots, and nothing else, that leave nobody anything at present; null where it is not. */
export function refusalOfSlots(
  state: PaceState,
  wanted: number,
  ratePerSecond: number | null,
  now: number,
  purpose: Purpose = {},
): Permits | null {
  if (state.openSince !== null || state.pausedUntil > now || state.openings > 0) return null;
  const { permits } = takeSlots(state, wanted, ratePerSecond, now, purpose);
  return permits.count === 0 ? permits : null;
}

/** Between two mails at this rate. */
export const slotSpacingMs = (ratePerSecond: number) => 1000 / (ratePerSecond * rateShare);

/** What was reserved and not used, if nobody has reserved behind it meanwhile. A trial that nobody made is anybody's again. */
export function giveBackPermits(before: PaceState, permits: Permits, used: number): PaceState {
  const isUntried = permits.isTrial && used === 0 && before.openSince === null;
  const state = isUntried ? { ...before, probeAt: null } : before;
  const end = permits.firstAt + permits.count * permits.spacingMs;
  if (permits.spacingMs === 0 || state.nextSlotAt !== end) return state;
  return { ...state, nextSlotAt: permits.firstAt + used * permits.spacingMs };
}

/** What a batch of calls told about the provider itself. */
export interface Observation {
  accepted: number;
  /** Time-outs, 5xx, resets: one is bad luck, several in a row are an outage. */
  doubtful: number;
  /** It asked to be left alone for so long. */
  pauseMs: number | null;
  /** It is of no use to try the next mail. */
  down: string | null;
  /** What its own headers said it allows. */
  ratePerSecond: number | null;
}

const doubtsUntilOpen = 5;

/** Whether it would change anything; mostly all is well, and was before. */
export function isNews(state: PaceState, seen: Observation): boolean {
  const isTrouble = seen.doubtful > 0 || seen.pauseMs !== null || seen.down !== null;
  const isOtherRate = seen.ratePerSecond !== null && seen.ratePerSecond !== state.seenRatePerSecond;
  return isTrouble || isOtherRate || state.doubts > 0 || state.openings > 0;
}

export function observe(state: PaceState, seen: Observation, now: number): PaceState {
  const next = { ...state };
  if (seen.ratePerSecond !== null) next.seenRatePerSecond = seen.ratePerSecond;
  if (seen.pauseMs !== null) next.pausedUntil = Math.max(next.pausedUntil, now + Math.ceil(seen.pauseMs));
  if (seen.accepted > 0) next.doubts = 0;
  // A batch may hold both; what came last is not known, so doubt counts.
  next.doubts += seen.doubtful;
  // What was under way when the circuit opened says nothing about the time since.
  if (state.openSince !== null) return next;

  const isOnTrial = state.openings > 0;
  const reason = seen.down ?? (next.doubts >= (isOnTrial ? 1 : doubtsUntilOpen) ? 'failing' : null);
  // Whatever became of the mail on trial, the next one need not wait for it any more.
  next.probeAt = null;
  if (seen.accepted > 0) next.openings = 0;
  return reason === null ? next : open(next, reason, now);
}

function open(state: PaceState, reason: string, now: number): PaceState {
  const openings = state.openings + 1;
  return { ...state, openSince: now, openReason: reason, openings, probeAt: now + waitMs(reason, openings) };
}

/** How long until the provider is asked again: twice as long each time, from the first wait to the longest. */
const waits = {
  outage: { firstMs: 1_000, longestMs: 60_000 },
  // No question but a mail finds out that it is over, and it is over when a month begins or somebody pays: a handful of
  // mails an hour is enough to notice.
  quota: { firstMs: 5 * 60_000, longestMs: 15 * 60_000 },
} as const;

function waitMs(reason: string | null, openings: number): number {
  const { firstMs, longestMs } = waits[reason === 'over_quota' ? 'quota' : 'outage'];
  return Math.min(longestMs, firstMs * 2 ** Math.min(openings - 1, 10));
}

/** Of all processes one asks; the others leave it alone for as long as a question may take. */
export function claimProbe(state: PaceState, questionMs: number, now: number): PaceState | null {
  if (state.openSince === null || state.probeAt === null || state.probeAt > now) return null;
  return { ...state, probeAt: now + questionMs };
}

export function afterProbe(state: PaceState, isUp: boolean, now: number): PaceState {
  if (state.openSince === null) return state;
  if (isUp) return { ...state, openSince: null, openReason: null, probeAt: null, doubts: 0 };
  const openings = state.openings + 1;
  return { ...state, openings, probeAt: now + waitMs(state.openReason, openings) };
}
