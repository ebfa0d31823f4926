import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../std/clock.ts';
import { createRateLimit } from '../std/rate-limit.ts';
import { Refusal } from '../std/refusal.ts';
import { type Auth, keyIn, keysNamed, type Role } from './auth.ts';
import type { Route } from './route.ts';

/** Who may come in, and how often. Asked before any body is read. */
export interface Gate {
  /** Throws the refusal, or says who it is. */
  admit(route: Pick<Route, 'method' | 'who'>, request: FastifyRequest, reply: FastifyReply): Caller;
}

export interface Caller {
  /** A key's place, or an address: for counting, never for logs. */
  name: string;
  /** Which key, for stories and logs; null where no key was asked for. */
  key: string | null;
  /** May see what a read key opens: a page for anybody shows the others less. */
  isReader: boolean;
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

export function createGate(auth: Auth, clock: Clock, limits: Limits = limitsByDefault): Gate {
  const reads = createRateLimit(limits.reads, minuteMs, clock);
  const writes = createRateLimit(limits.writes, minuteMs, clock);
  const failures = createRateLimit(limits.failures, minuteMs, clock);

  function identify(request: FastifyRequest, reply: FastifyReply, who: readonly Role[]): Caller {
    if (auth.isOpen) return { name: request.ip, key: null, isReader: true };
    const holder = auth.holderOf(keyIn(request.headers));
    if (!holder) {
      // Only those without a good key are held up: a stranger behind the same proxy must not lock anybody out.
      requirePatience(failures.take(request.ip), reply);
      reply.header('www-authenticate', 'Bearer');
      throw new Refusal(
        'key_required',
        'This needs a valid API key. Send it as Authorization: Bearer <key>, or as X-API-Key: <key>.',
      );
    }
    if (holder.role !== 'operator' && !who.includes(holder.role)) {
      throw new Refusal(
        'role_required',
        `This key is a ${holder.role} key; this needs an ${keysNamed(['operator', ...who.filter((role) => role !== 'operator')])}.`,
      );
    }
    return { name: holder.name, key: holder.name, isReader: holder.role !== 'service' };
  }

  function isReader({ headers }: FastifyRequest): boolean {
    if (auth.isOpen) return true;
    const holder = auth.holderOf(keyIn(headers));
    return holder !== undefined && holder.role !== 'service';
  }

  return {
    admit({ method, who }, request, reply) {
      if (who === 'anybody' || who === 'the world')
        return { name: request.ip, key: null, isReader: isReader(request) };
      const caller = identify(request, reply, who);
      requirePatience((method === 'GET' ? reads : writes).take(caller.name), reply);
      return caller;
    },
  };
}

function requirePatience(waitMs: number, reply: FastifyReply): void {
  if (waitMs === 0) return;
  const seconds = Math.ceil(waitMs / 1000);
  reply.header('retry-after', String(seconds));
  throw new Refusal('too_many_requests', `Too many requests. Ask again in ${seconds} s.`);
}
