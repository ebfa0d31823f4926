/**
 * How patient a source is: how often a delivery is tried, how long between tries, how long a worker may hold it.
 * Only arithmetic; the dice and the time are arguments, and it is the outbox that writes the result into `due_at`.
 */
export interface Policy {
  /** Ended attempts of one round after which a definite refusal is the last. */
  readonly attemptsMax: number;
  readonly scheduleMs: Schedule;
  /** The least time for which a claim holds; `leaseMs` below says the real one. */
  readonly leaseMs: number;
  /** Rounds in all: a soft bounce of the last one is final. */
  readonly roundsMax: number;
  /** The wait after a soft bounce of the first round; later rounds wait a multiple of it. */
  readonly bounceDelayMs: number;
  /** How long after its occasion an intent is still news; without it, for ever. */
  readonly expiresAfterMs?: number;
}

type Schedule =
  | { readonly kind: 'list'; readonly delaysMs: readonly number[] }
  | {
      readonly kind: 'exponential';
      readonly baseMs: number;
      readonly factor: number;
      readonly capMs: number;
      /** full: anywhere in [0, delay). equal: the first half for certain, the second by the dice. */
      readonly jitter: 'none' | 'full' | 'equal';
    };

/** For intents that come without a source of their own: patient enough for a provider's bad quarter of an hour. */
export const plainPolicy: Policy = {
  attemptsMax: 5, // As spec 003's reviewers: nobody else would notice that such a mail is missing.
  // 5 s is spec 002's first wait; up to 10 min, past which a provider that is down is no longer asked. Equal
  // jitter, because a batch that was refused together must not come back together, nor at once.
  scheduleMs: { kind: 'exponential', baseMs: 5_000, factor: 2, capMs: 600_000, jitter: 'equal' },
  leaseMs: 120_000, // spec 000: lockTtlSeconds default
  roundsMax: 3, // A mailbox that bounced three times in a day is not going to take the fourth.
  bounceDelayMs: 4 * 3_600_000, // Hours, not minutes: greylisting and full mailboxes are not cured sooner.
};

/**
 * The wait after a refusal that may pass. `attemptsAfter` is the count with the ended attempt in it (000-56):
 * the first refusal waits by the first slot. `random` is in [0, 1).
 */
export function retryDelayMs(
  policy: Policy,
  attemptsAfter: number,
  chance: { readonly random: number; readonly retryAfterMs?: number },
): number {
  if (!Number.isSafeInteger(attemptsAfter) || attemptsAfter < 1) {
    throw new RangeError(`retryDelayMs: not a count of ended attempts: ${attemptsAfter}`);
  }
  const scheduledMs = scheduledDelayMs(policy, attemptsAfter, chance.random);
  // The cap by the lease holds for our schedule; what the provider asks for is never cut by it.
  return Math.max(scheduledMs, boundedRetryAfterMs(chance.retryAfterMs ?? 0));
}

function scheduledDelayMs({ scheduleMs, leaseMs }: Policy, attemptsAfter: number, random: number): number {
  if (scheduleMs.kind === 'list') {
    const { delaysMs } = scheduleMs;
    // An empty list is allowed by spec 000's schema (000-41): no waiting.
    const delayMs = delaysMs[Math.min(attemptsAfter, delaysMs.length) - 1] ?? 0;
    return Math.min(delayMs, leaseMs); // 000-57
  }
  const { baseMs, factor, capMs, jitter } = scheduleMs;
  const delayMs = Math.floor(Math.min(capMs, baseMs * factor ** (attemptsAfter - 1)));
  const byChanceMs = jitter === 'none' ? 0 : jitter === 'full' ? delayMs : Math.floor(delayMs / 2);
  // Added as whole numbers: 2500 + 2500 * 0.9999999999999998 would round up to the excluded 5000.
  return delayMs - byChanceMs + Math.floor(byChanceMs * random);
}

/** What a soft bounce of `round` says about the next: when it is due, and how many there may be. */
export function afterBounce(policy: Policy, round: number, now: number) {
  return { dueAt: now + bounceRetryDelayMs(policy, round), roundsMax: policy.roundsMax };
}

/** The wait from a soft bounce of `round` to the next round. */
export function bounceRetryDelayMs(policy: Policy, round: number): number {
  return policy.bounceDelayMs * round;
}

/**
 * When a mail that met the provider's full daily quota may go out again: after the next 00:00 UTC, when the quota begins anew.
 * By their numbers one mail a second over the first hour, so that not all come back at once.
 */
export function quotaRetryAt(overAt: number, seq: number): number {
  return (Math.floor(overAt / dayMs) + 1) * dayMs + (seq % 3600) * 1000;
}

const dayMs = 24 * 3_600_000;

/** A quota that was full on each of fourteen days beyond the rounds of a source is no longer waited for. */
export function quotaRoundsMax(policy: Policy): number {
  return policy.roundsMax + 14;
}

/**
 * How long a claim holds. It is never renewed, so it must outlast the longest call that is begun in it:
 * otherwise every slow answer would become a row in doubt.
 */
export function leaseMs(policy: Policy, provider: { readonly longestCallMs: number }): number {
  return Math.max(policy.leaseMs, provider.longestCallMs + leaseMarginMs);
}

// From claim to first byte (compose, the `begun` transaction) and from answer to record, on a loaded machine.
const leaseMarginMs = 30_000;

// A day: quotas are renewed daily. A longer wish is a mistake on the other side, and the row would be forgotten.
const retryAfterMaxMs = 24 * 3_600_000;

function boundedRetryAfterMs(ms: number): number {
  return ms > 0 ? Math.min(Math.ceil(ms), retryAfterMaxMs) : 0;
}

/**
 * RFC 9110 10.2.3: seconds or a date. Null means that nothing was said that we understand, which is not the same
 * as 0, "now". Of several headers the longest wait counts.
 */
export function parseRetryAfter(header: unknown, nowMs: number): number | null {
  if (Array.isArray(header)) {
    const waits = header.map((one) => (Array.isArray(one) ? null : parseRetryAfter(one, nowMs)));
    return waits.reduce((longest, wait) => (wait === null ? longest : Math.max(longest ?? 0, wait)), null);
  }
  if (typeof header === 'number') return Number.isFinite(header) ? boundedRetryAfterMs(header * 1000) : null;
  if (typeof header !== 'string') return null;
  const text = header.trim();
  // Decimals and a minus are not in the RFC but in the wild. `Number` alone would also take 1e9, 0x10 and nothing.
  if (/^-?\d+(\.\d+)?$/.test(text)) return boundedRetryAfterMs(Number(text) * 1000);
  const at = parseHttpDate(text, nowMs);
  return at === null ? null : boundedRetryAfterMs(at - nowMs);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const month = `(?<month>${months.join('|')})`;
const time = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)';
// RFC 9110 5.6.7: the present form and two obsolete ones that a recipient must still read. The weekday is
// redundant and is not compared with the date.
const httpDates = [
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(
    `^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-${month}-(?<year>\\d\\d) ${time} GMT$`,
  ),
  new RegExp(`^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ${month} (?<day>\\d\\d| \\d) ${time} (?<year>\\d{4})$`),
];

/** Not `Date.parse`: it takes `5 apples`, local times and 31 February, each in its own way. */
function parseHttpDate(text: string, nowMs: number): number | null {
  const groups = httpDates.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (!groups) return null;
  const number = (name: string) => Number(groups[name]);
  const year = groups.year?.length === 2 ? fullYear(number('year'), nowMs) : number('year');
  const midnight = new Date(Date.UTC(year, months.indexOf(groups.month ?? ''), number('day')));
  if (midnight.getUTCDate() !== number('day')) return null;
  return midnight.getTime() + ((number('hour') * 60 + number('minute')) * 60 + number('second')) * 1000;
}

/** RFC 9110 5.6.7: a year of two digits that seems more than 50 years ahead is the latest such year in the past. */
function fullYear(twoDigits: number, nowMs: number): number {
  const thisYear = new Date(nowMs).getUTCFullYear();
  const latest = thisYear + 50;
  return latest - ((((latest - twoDigits) % 100) + 100) % 100);
}
