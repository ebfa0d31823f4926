import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../std/clock.ts';
import { createRateLimit } from '../std/rate-limit.ts';
import { Refusal } from '../std/refusal.ts';
import { type Auth, type KeyHolder, keyHeaders, keyIn, keysNamed, type Role } from './auth.ts';
import type { Sessions } from './callers/sessions.ts';
import { userNamed } from './callers/user-named.ts';
import type { Route } from './route.ts';
import { cookieIn, requireOwnPage } from './sign-in.ts';

/** Who may come in, and how often. Asked before any body is read. */
export interface Gate {
  /** Throws the refusal, or says who it is. */
  admit(route: Admission, request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
}

type Admission = Pick<Route, 'method' | 'who' | 'wrongKey' | 'readsOnly'>;

export interface Caller {
  /** A key's place, or an address: for counting, never for logs. */
  name: string;
  /** Which key, for stories and logs; null where no key was asked for. */
  key: string | null;
  /** May see what a read key opens: a page for anybody shows the others less. */
  isReader: boolean;
  /** Has an operator's key; where no key is set, whoever is on this machine is the operator. */
  isOperator: boolean;
  /** For whom it is asked, where users are served: themselves, or whom a service names. */
  userId?: string;
}

/** Who said it, as it stands after "paused by". */
export function speaker(by: string | undefined, { key }: Pick<Caller, 'key'>): string {
  return `${by ?? 'the API'}${key === null ? '' : ` (${key})`}`;
}

/** Requests a minute. */
export interface Limits {
  reads: number;
  writes: number;
  /** Wrong keys from one address. */
  failures: number;
}

/** A console that looks every second, and scripts beside it; writes are batches of up to 500. */
const limitsByDefault: Limits = { reads: 600, writes: 120, failures: 10 };
const minuteMs = 60_000;

export interface GateParts {
  auth: Auth;
  clock: Clock;
  limits?: Limits | undefined;
  /** Left out where nobody comes with a session of their own. */
  sessions?: Sessions | undefined;
}

export function createGate({ auth, clock, limits = limitsByDefault, sessions }: GateParts): Gate {
  const reads = createRateLimit(limits.reads, minuteMs, clock);
  const writes = createRateLimit(limits.writes, minuteMs, clock);
  const failures = createRateLimit(limits.failures, minuteMs, clock);

  function refuse(
    { ip }: FastifyRequest,
    reply: FastifyReply,
    sentence: string,
    details?: Record<string, unknown>,
  ): never {
    // Only those without a good key are held up: a stranger behind the same proxy must not lock anybody out.
    requirePatience(failures.take(ip), reply);
    throw new Refusal('key_required', sentence, details);
  }

  /** By the key that comes along, or by the cookie of somebody who has shown one; a wrong key is not made up for by a cookie. */
  function holderIn({ method, headers }: FastifyRequest): KeyHolder | undefined {
    const key = keyIn(headers);
    if (key !== undefined || headers.authorization !== undefined) return auth.holderOf(key);
    const holder = auth.holderBy(cookieIn(headers), clock.now());
    if (holder) requireOwnPage(method, headers);
    return holder;
  }

  function identify(
    request: FastifyRequest,
    reply: FastifyReply,
    who: readonly Role[],
    wrongKey: string | undefined,
  ): Caller {
    if (auth.isOpen && !who.some(auth.isGuarded))
      return { name: request.ip, key: null, isReader: true, isOperator: true };
    const holder = holderIn(request);
    // A route with a sentence of its own does not say there which header is meant.
    const help = { keys: keysNamed(['operator', ...who]), send: keyHeaders(who) };
    if (!holder && wrongKey !== undefined) return refuse(request, reply, wrongKey, help);
    if (!holder) return refuse(request, reply, keyRequired);
    if (holder.role !== 'operator' && !who.includes(holder.role)) {
      if (wrongKey !== undefined) return refuse(request, reply, wrongKey, help);
      throw new Refusal(
        'role_required',
        `This key is a ${holder.role} key; this needs an ${keysNamed(['operator', ...who.filter((role) => role !== 'operator')])}.`,
      );
    }
    return {
      ...{ name: holder.name, key: holder.name },
      ...{ isReader: isReading(holder.role), isOperator: holder.role === 'operator' },
    };
  }

  /** Somebody who has signed in, or a service that names its user; where no key is set at all, whoever is on this machine does. */
  async function identifyUser(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    const { headers, ip } = request;
    const credential = keyIn(headers);
    const holder = auth.holderOf(credential);
    if (holder?.role === 'read' || holder?.role === 'trigger') {
      const needed = keysNamed(['operator', 'service']);
      throw new Refusal(
        'role_required',
        `This key is a ${holder.role} key; this needs an ${needed}, or a user's session.`,
      );
    }
    const trusted =
      auth.isOpen && !sessions ? { name: ip, key: null } : holder && { name: holder.name, key: holder.name };
    if (trusted) {
      const userId = userNamed(headers);
      // Each user has their own share: a service speaks for all of them.
      return {
        ...{ name: `${trusted.name} for ${userId}`, key: trusted.key },
        ...{ isReader: false, isOperator: false, userId },
      };
    }
    const userId = credential === undefined ? undefined : await sessions?.userOf(credential);
    if (userId === undefined) return refuse(request, reply, sessions ? sessionRequired : serviceKeyRequired);
    if (headers['x-user-id'] !== undefined && headers['x-user-id'] !== userId)
      throw new Refusal('role_required', 'A session is for its own user only; leave X-User-Id out.');
    return { name: `user ${userId}`, key: null, isReader: false, isOperator: false, userId };
  }

  function isReader(request: FastifyRequest): boolean {
    if (auth.isOpen) return true;
    // What anybody may ask for changes nothing by itself, and a page of our own may be asked for from anywhere.
    const { headers } = request;
    const holder = auth.holderOf(keyIn(headers)) ?? auth.holderBy(cookieIn(headers), clock.now());
    return holder !== undefined && isReading(holder.role);
  }

  return {
    async admit({ method, who, wrongKey, readsOnly }, request, reply) {
      if (who === 'anybody' || who === 'the world')
        return { name: request.ip, key: null, isReader: isReader(request), isOperator: false };
      const caller =
        who === 'users' ? await identifyUser(request, reply) : identify(request, reply, who, wrongKey);
      requirePatience((method === 'GET' || readsOnly ? reads : writes).take(caller.name), reply);
      return caller;
    },
  };
}

const isReading = (role: Role) => role === 'operator' || role === 'read';

const keyRequired =
  'This needs a valid API key. Send it as Authorization: Bearer <key>, or as X-API-Key: <key>.';
const sessionRequired =
  "This needs a user's valid session token, sent as Authorization: Bearer <token>; or a service key, with X-User-Id: <id> beside it.";
const serviceKeyRequired =
  'This needs a valid service key. Send it as Authorization: Bearer <key>, or as X-API-Key: <key>, with X-User-Id: <id> beside it.';

function requirePatience(waitMs: number, reply: FastifyReply): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  reply.header('retry-after', String(seconds));
  throw new Refusal('too_many_requests', `Too many requests. Ask again in ${seconds} s.`);
}
