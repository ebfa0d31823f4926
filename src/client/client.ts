import { systemClock } from '../std/clock.ts';
import { systemIds } from '../std/ids.ts';
import { systemRandom } from '../std/random.ts';
import { type ClientClock, createCall, requireCounts } from './call.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createIntents, type Intents } from './intents.ts';
import { createNotifications, type Notifications } from './notifications.ts';
import { createReviews, type Reviews } from './reviews.ts';
import { createSeats, type Seats } from './seats.ts';
import { invalidArgument } from './tidings-error.ts';

/**
 * The typed client, for programs that ask a running Tidings over HTTP. It promises that every call ends: each try has a bound, and there are
 * so many and no more. What is safe to repeat is tried again, under the same idempotency key and to the byte the same; what
 * is not is never sent twice. It needs nothing but Node's own fetch, keeps no state, and never tells anybody the key.
 */
export interface TidingsClient {
  /** Code reviews: tell the reviewers of a change of one version, once. */
  reviews: Reviews;
  /** Newsletters and alerts. */
  notifications: Notifications;
  /** Course seats. */
  seats: Seats;
  /** Mails whose words you bring yourself. */
  intents: Intents;
  /** What became of mails. */
  deliveries: Deliveries;
}

export interface TidingsClientOptions {
  /** Where Tidings answers: `https://tidings.example.org`. */
  baseUrl: string;
  /** Left out, or empty, where the server asks for none. Give it by an environment variable, never in the code. */
  apiKey?: string | undefined;
  /** How often a call is tried again after its first try. 5 if left out: with the waits between, a server may take some ten seconds to start anew. */
  retries?: number | undefined;
  /** Of each try. 15 seconds if left out. */
  timeoutMs?: number | undefined;
  /** A server that asks to wait for longer than this is not waited for. One minute if left out. */
  waitMaxMs?: number | undefined;
  /** Instead of Node's own, for a proxy or a test. */
  fetch?: typeof globalThis.fetch | undefined;
  /** For tests: what time it is, and waiting. */
  clock?: ClientClock | undefined;
  /** For tests: in [0, 1). */
  random?: (() => number) | undefined;
  /** For tests: makes idempotency keys and trace ids. */
  newId?: (() => string) | undefined;
}

export function createTidingsClient(options: TidingsClientOptions): TidingsClient {
  const { retries = 5, timeoutMs = 15_000, waitMaxMs = 60_000, newId = systemIds.uuid } = options;
  requireCounts({ timeoutMs, retries });
  if (!(waitMaxMs >= 0 && Number.isFinite(waitMaxMs)))
    throw invalidArgument('waitMaxMs must be a number of milliseconds, 0 or more.');
  const call = createCall({
    ...{ baseUrl: readBaseUrl(options.baseUrl), apiKey: readKey(options.apiKey) },
    ...{ retries, timeoutMs, waitMaxMs, newId },
    // Looked up at each call: somebody may put another in its place later.
    fetch: options.fetch ?? ((...asked) => globalThis.fetch(...asked)),
    clock: options.clock ?? systemClock,
    random: options.random ?? systemRandom.next,
  });
  return {
    reviews: createReviews(call, newId),
    notifications: createNotifications(call),
    seats: createSeats(call),
    intents: createIntents(call),
    deliveries: createDeliveries(call),
  };
}

/** It may have a path, where a proxy gives Tidings one. What is wrong is never quoted: a password may be in it. */
function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (!isPlain || url.search !== '' || url.hash !== '')
    throw invalidArgument('baseUrl must be an http or https address such as https://tidings.example.org.');
  return url.href.replace(/\/+$/, '');
}

/** Checked here: a header that cannot be is refused by fetch in words that quote it. */
function readKey(key: string | undefined): string | undefined {
  if (key === undefined || key === '') return undefined;
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw invalidArgument('apiKey must be one line without spaces; is there a line break at its end?');
}

export type { CallOptions, ClientClock } from './call.ts';
export type { Deliveries, DeliveryPage, DeliveryQuery } from './deliveries.ts';
export type * from './delivery-shapes.ts';
export type { Intent, Intents, TakenIntent } from './intents.ts';
export type * from './notification-shapes.ts';
export type { Notifications } from './notifications.ts';
export type * from './review-shapes.ts';
export type { Reviews } from './reviews.ts';
export type * from './run-shapes.ts';
export type { RunStarts, Runs } from './runs.ts';
export type * from './seat-shapes.ts';
export type { Seats } from './seats.ts';
export { type TidingsCode, TidingsError } from './tidings-error.ts';
