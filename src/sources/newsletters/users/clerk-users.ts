import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { createAddressCache } from './address-cache.ts';
import { type ClerkAnswer, type ClerkLimits, createClerkExchange } from './clerk-exchange.ts';
import { readClerkUsers } from './clerk-user.ts';
import type { FoundAddress, UserDirectory } from './user-directory.ts';

/**
 * Clerk as the directory of users (002-Q-01): asked for many at once, over connections that we count. Whatever goes wrong with Clerk is
 * `later`, so that no mail is lost for it; only what Clerk itself says of a user is final. While it wants to be left alone, or has
 * just failed, nobody asks.
 */
export interface ClerkUsersParts {
  apiUrl: string;
  secretKey: string;
  clock: Clock;
  log: Log;
  limits?: Partial<ClerkLimits>;
  /** How many answers are kept. */
  cachedMax?: number;
}

/** As many as one answer has room for. */
const batchMax = 100;
/** Clerk's ids are short; other people's may not be, and a server takes only so long an address. */
const queryCharactersMax = 6_000;
/** How long nobody asks after a failure, where Clerk does not say. A refused key is mended by a person. */
const pausesMs: Readonly<Record<string, number>> = { throttled: 10_000, key_refused: 5 * 60_000 };
const pauseMs = 30_000;
const pauseMaxMs = 60 * 60_000;

export function createClerkUsers(parts: ClerkUsersParts): UserDirectory {
  const { clock, log } = parts;
  const exchange = createClerkExchange(parts);
  const cache = createAddressCache(clock, parts.cachedMax);
  let quiet: { until: number; failure: Failure } | undefined;

  async function ask(userIds: readonly string[]): Promise<ReadonlyMap<string, FoundAddress>> {
    const waiting = laterIfQuiet();
    if (waiting) return all(userIds, waiting);
    const query = userIds.map((id) => `user_id=${encodeURIComponent(id)}`).join('&');
    const answer = await exchange.get(`/v1/users?${query}&limit=${batchMax}`);
    if (answer.kind === 'rejected') return askApart(userIds, answer.status);
    const found = answer.kind === 'json' ? readClerkUsers(answer.value, new Set(userIds)) : undefined;
    if (found) return new Map(userIds.map((id) => [id, found.get(id) ?? unknown]));
    return all(userIds, pauseFor(answer.kind === 'failed' ? answer : noList));
  }

  /**
   * One that Clerk cannot even read must not keep the others from their mail: it is found by halves. Of one alone it may still be
   * the server that takes no question at all, and then nothing is known of anybody.
   */
  async function askApart(
    userIds: readonly string[],
    status: number,
  ): Promise<ReadonlyMap<string, FoundAddress>> {
    if (userIds.length > 1) {
      const half = Math.ceil(userIds.length / 2);
      return new Map([...(await ask(userIds.slice(0, half))), ...(await ask(userIds.slice(half)))]);
    }
    const control = await exchange.get('/v1/users?limit=1');
    if (control.kind !== 'json')
      return all(userIds, pauseFor(control.kind === 'failed' ? control : refusing));
    log.warn('users.id_rejected', { directory: 'clerk', status });
    return all(userIds, unknown);
  }

  function pauseFor(failure: Failure): FoundAddress {
    const { code, retryAfterMs } = failure;
    const waitMs = Math.min(pauseMaxMs, Math.max(1_000, retryAfterMs ?? pausesMs[code] ?? pauseMs));
    quiet = { until: clock.monotonic() + waitMs, failure };
    log[code === 'key_refused' ? 'error' : 'warn']('users.unavailable', { directory: 'clerk', code, waitMs });
    return later(failure, waitMs);
  }

  function laterIfQuiet(): FoundAddress | undefined {
    const leftMs = (quiet?.until ?? 0) - clock.monotonic();
    return quiet && leftMs > 0 ? later(quiet.failure, Math.ceil(leftMs)) : undefined;
  }

  return {
    name: 'clerk',

    async addressesOf(userIds) {
      const known = new Map<string, FoundAddress>();
      const missing: string[] = [];
      for (const userId of new Set(userIds)) {
        const kept = cache.get(userId);
        if (kept) known.set(userId, kept);
        else missing.push(userId);
      }
      for (const batch of batchesOf(missing)) {
        for (const [userId, found] of await ask(batch)) {
          cache.set(userId, found);
          known.set(userId, found);
        }
      }
      return known;
    },

    async probe() {
      const answer = await exchange.get('/v1/users?limit=1');
      if (answer.kind === 'json') return Array.isArray(answer.value) ? undefined : noList.message;
      return answer.kind === 'failed' ? answer.message : refusing.message;
    },

    close: () => exchange.close(),
  };
}

type Failure = Extract<ClerkAnswer, { kind: 'failed' }>;

const noList: Failure = {
  ...{
    kind: 'failed',
    code: 'not_a_list',
    message: 'Clerk answered with no list of users',
    retryAfterMs: null,
  },
};

const refusing: Failure = {
  ...{ kind: 'failed', code: 'rejected', message: 'Clerk takes none of our questions', retryAfterMs: null },
};

const unknown: FoundAddress = {
  kind: 'none',
  code: 'no_such_user',
  message: 'Clerk does not know this user.',
};

const later = ({ code, message }: Failure, waitMs: number): FoundAddress => ({
  ...{ kind: 'later', waitMs, code: `users_${code}`, message: `${message}.` },
});

const all = (userIds: readonly string[], found: FoundAddress) =>
  new Map(userIds.map((userId) => [userId, found]));

function* batchesOf(userIds: readonly string[]): Generator<string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const userId of userIds) {
    const more = encodeURIComponent(userId).length + 9;
    if (batch.length === batchMax || (batch.length > 0 && characters + more > queryCharactersMax)) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(userId);
    characters += more;
  }
  if (batch.length > 0) yield batch;
}
