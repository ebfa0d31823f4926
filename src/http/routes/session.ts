import { Type } from 'typebox';
import { iso } from '../../outbox/delivery-json.ts';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import { createRateLimit } from '../../std/rate-limit.ts';
import { Refusal } from '../../std/refusal.ts';
import type { Auth } from '../auth.ts';
import { networkOf } from '../network.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nothing } from '../schemas.ts';
import { cookieHeader, cookieIn, requireOwnPage, signedInMs } from '../sign-in.ts';

/** Signing in to the console: a key is shown once, and a cookie stands for it. */
interface SessionParts {
  auth: Auth;
  clock: Clock;
  log: Log;
  /** Wrong keys a minute from one network. */
  failuresMax: number;
}

const path = '/api/v1/session';
const session = Type.Object(
  {
    role: Type.Union([Type.Enum(['operator', 'read']), Type.Null()], {
      description: 'What the one who asks may do; null where they have not signed in.',
    }),
    name: Type.Union([Type.String(), Type.Null()]),
    until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null also where no key is set, and nobody has to sign in.',
    }),
  },
  closed,
);
const nobody = { role: null, name: null, until: null };

export function sessionRoutes({ auth, clock, log, failuresMax }: SessionParts): Route[] {
  const tries = createRateLimit(failuresMax, 60_000, clock);
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'Who has signed in to the console with this browser',
      who: 'anybody',
      isConstant: true,
      query: nothing,
      answers: { 200: { when: 'Always.', schema: session } },
      async handle({ headers }) {
        if (auth.isOpen) return { status: 200, body: { role: 'operator', name: null, until: null } };
        const holder = auth.holderBy(cookieIn(headers), clock.now());
        const body = holder ? { role: holder.role, name: holder.name, until: iso(holder.until) } : nobody;
        return { status: 200, body };
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      summary: 'Sign in to the console with an operator’s or a read key',
      who: 'anybody',
      isConstant: true,
      query: nothing,
      body: Type.Object({ key: Type.String({ minLength: 1, maxLength: 1_000 }) }, closed),
      answers: { 200: { when: 'A cookie stands for the key from now on.', schema: session } },
      refusals: {
        401: 'The key is not valid.',
        403: 'The key opens no page, or another page asked.',
        429: 'Too many tries.',
      },
      async handle({ body: { key }, method, headers, caller, traceId }) {
        requireOwnPage(method, headers);
        // Before the key is looked at: who guesses learns nothing from the guesses that are too many.
        const waitMs = tries.take(networkOf(caller.name, headers));
        if (waitMs > 0) {
          const seconds = Math.ceil(waitMs / 1000);
          const error = `Too many tries. Try again in ${seconds} s.`;
          const headers = { 'retry-after': String(seconds) };
          return { status: 429, body: { error, code: 'too_many_requests', traceId }, headers };
        }
        const holder = auth.holderOf(key);
        if (!holder) {
          log.warn('console.wrong_key', { traceId });
          throw new Refusal(
            'key_required',
            'This key is not valid. It is one of those in OPERATOR_API_KEY or READ_API_KEY.',
          );
        }
        const { role, name } = holder;
        if (role !== 'operator' && role !== 'read')
          throw new Refusal(
            'role_required',
            `This key is a ${role} key, and opens no page. Sign in with one of OPERATOR_API_KEY or READ_API_KEY.`,
          );
        const until = clock.now() + signedInMs;
        log.info('console.signed_in', { traceId, key: name });
        return {
          status: 200,
          body: { role, name, until: iso(until) },
          headers: { 'set-cookie': cookieHeader(auth.signIn({ name, until }), signedInMs, headers) },
        };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      summary: 'Sign out of the console',
      who: 'anybody',
      isConstant: true,
      refusals: { 403: 'Another page asked.' },
      query: nothing,
      answers: { 200: { when: 'The cookie is gone.', schema: session } },
      async handle({ method, headers }) {
        requireOwnPage(method, headers);
        return { status: 200, body: nobody, headers: { 'set-cookie': cookieHeader('', 0, headers) } };
      },
    }),
  ];
}
