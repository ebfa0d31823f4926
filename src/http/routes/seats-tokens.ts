import { type TSchema, Type } from 'typebox';
import { tokenShape } from '../../consent/token.ts';
import type { Changed } from '../../sources/course-seats/subscriptions/subscriptions.ts';
import { Refusal } from '../../std/refusal.ts';
import { httpStatusOf } from '../../std/refusals.ts';
import type { Caller } from '../gate.ts';
import { networkOf } from '../network.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nothing, time } from '../schemas.ts';
import { maxOrNull, watch, watchJson, windowOrNull } from './seats-json.ts';
import type { SeatRouteParts } from './seats-parts.ts';

/**
 * A watch by its token, which is the proof, so that no key is asked for. A token that is old, forged or no token at all gets one
 * and the same answer. It is in no log and no error.
 */
const path = '/api/v1/seats/subscriptions/:token';
const params = Type.Object({ token: Type.String({ description: 'From a link in a mail.' }) }, closed);
const noWatch = () =>
  new Refusal('subscription_not_found', 'This token opens no watch. Take the one in the newest mail.');

export function seatTokenRoutes({ seats, limits }: SeatRouteParts): Route[] {
  const { subscriptions, registrationUrl } = seats;
  const common = { params, query: nothing, who: 'the world' } as const;
  const refusals = {
    404: 'The token opens no watch.',
    429: 'Too many requests from this network; Retry-After says how long to wait.',
  };
  type Asking = { caller: Pick<Caller, 'name'>; headers: Parameters<typeof networkOf>[1]; traceId: string };

  /** The answer for whoever asks too often. */
  function impatience({ caller, headers, traceId }: Asking) {
    const waitMs = limits.links.take(networkOf(caller.name, headers));
    if (waitMs === 0) return undefined;
    const seconds = Math.ceil(waitMs / 1000);
    return {
      status: 429,
      body: { error: `Too many requests. Ask again in ${seconds} s.`, code: 'too_many_requests', traceId },
      headers: { 'retry-after': String(seconds) },
    };
  }

  function change<Body extends TSchema>(
    name: string,
    summary: string,
    perform: (token: string, body: unknown) => Promise<Changed>,
    body?: Body,
  ): Route {
    return defineRoute({
      ...{ ...common, method: 'POST', path: `${path}/${name}`, summary },
      ...(body && { body }),
      answers: { 200: { when: 'The watch as it is now.', schema: watch } },
      // To leave is always possible.
      refusals: { ...refusals, ...(name !== 'cancel' && { 409: 'Not possible as the watch stands.' }) },
      async handle({ params: { token }, body: given, traceId, ...asked }) {
        const wait = impatience({ ...asked, traceId });
        if (wait) return wait;
        const changed = tokenShape.test(token) ? await perform(token, given) : { kind: 'unknown' as const };
        if (changed.kind === 'unknown') throw noWatch();
        if (changed.kind === 'refused') {
          const { code, message } = changed;
          return { status: httpStatusOf(code), body: { error: message, code, traceId } };
        }
        return { status: 200, body: watchJson(changed.watch, registrationUrl) };
      },
    });
  }

  const until = Type.Object(
    { until: Type.Union([time('No mail before.'), Type.Null()], { description: 'Null ends a snooze.' }) },
    closed,
  );
  const hours = Type.Object({ window: windowOrNull }, closed);
  const most = Type.Object({ max: maxOrNull }, closed);

  return [
    defineRoute({
      ...{ ...common, method: 'GET', path, summary: 'Show a watch' },
      answers: { 200: { when: 'The watch.', schema: watch } },
      refusals,
      async handle({ params: { token }, ...asked }) {
        const wait = impatience(asked);
        if (wait) return wait;
        const found = tokenShape.test(token) ? await subscriptions.find(token) : undefined;
        if (!found) throw noWatch();
        return { status: 200, body: watchJson(found, registrationUrl) };
      },
    }),
    defineRoute({
      ...{ ...common, method: 'GET', path: `${path}/siblings` },
      summary: 'List all that the owner of this watch watches, itself included',
      answers: {
        200: { when: 'All of them.', schema: Type.Object({ watches: Type.Array(watch) }, closed) },
      },
      refusals,
      async handle({ params: { token }, ...asked }) {
        const wait = impatience(asked);
        if (wait) return wait;
        const found = tokenShape.test(token) ? await subscriptions.siblings(token) : [];
        if (found.length === 0) throw noWatch();
        return { status: 200, body: { watches: found.map((one) => watchJson(one, registrationUrl)) } };
      },
    }),
    change('confirm', 'Believe the address: the watch begins', (token) => subscriptions.confirm(token)),
    change('pause', 'Send nothing until it is resumed', (token) => subscriptions.pause(token)),
    change('resume', 'Go on with a watch that was paused', (token) => subscriptions.resume(token)),
    change('cancel', 'Stop watching', (token) => subscriptions.cancel(token)),
    change('undo', 'Take back a cancel or an unsubscribe, for 24 hours', (token) =>
      subscriptions.undoCancel(token),
    ),
    change(
      'snooze',
      'Hold mail back until a time',
      (token, body) => {
        const { until: end } = body as { until: string | null };
        return subscriptions.snooze(token, end === null ? null : Date.parse(end));
      },
      until,
    ),
    change(
      'window',
      "Choose the hours of the campus's day in which mail is welcome",
      (token, body) =>
        subscriptions.setWindow(
          token,
          (body as { window: { startMinutes: number; endMinutes: number } | null }).window,
        ),
      hours,
    ),
    change(
      'max',
      'Choose after how many mails the watch pauses',
      (token, body) => subscriptions.setMaxNotifications(token, (body as { max: number | null }).max),
      most,
    ),
  ];
}
