import { Type } from 'typebox';
import { everything, type Pause } from '../../dispatch/pauses.ts';
import { iso } from '../../outbox/delivery-json.ts';
import type { Log } from '../../std/log.ts';
import { nearest } from '../../std/nearest.ts';
import { Refusal } from '../../std/refusal.ts';
import { speaker } from '../gate.ts';
import { defineRoute, type Route } from '../route.ts';
import { by, closed, line, nothing, why } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

interface PauseParts extends Pick<ApiParts, 'pauses' | 'sources'> {
  log: Log;
}

const path = '/api/v1/pauses';
const scope = line(40, '`*` for everything, or the name of a source.');
const pause = Type.Object(
  {
    scope: Type.String(),
    reason: Type.String(),
    by: Type.String(),
    at: Type.String({ format: 'date-time' }),
  },
  closed,
);

export function pauseRoutes({ pauses, sources, log }: PauseParts): Route[] {
  const requireScope = (scope: string) => {
    const names = [everything, ...sources.map(({ name }) => name)];
    if (names.includes(scope)) return;
    const meant = nearest(scope, names);
    throw new Refusal(
      'unknown_source',
      `There is no source of that name.${meant ? ` Did you mean ${meant}?` : ''} The scope is one of ${names.join(', ')}.`,
    );
  };

  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'List what an operator has stopped',
      who: ['read'],
      query: nothing,
      answers: { 200: { when: 'All pauses.', schema: Type.Object({ pauses: Type.Array(pause) }, closed) } },
      async handle() {
        return { status: 200, body: { pauses: (await pauses.list()).map(pauseJson) } };
      },
    }),
    defineRoute({
      method: 'POST',
      path,
      summary: 'Stop everything, or one source; what is on the wire finishes, and nothing is lost',
      who: [],
      query: nothing,
      body: Type.Object(
        { scope, reason: line(500, 'Why, for whoever asks later.'), by: Type.Optional(by) },
        closed,
      ),
      answers: {
        200: { when: 'It was paused already; its first reason is kept.', schema: pause },
        201: { when: 'It is paused.', schema: pause },
      },
      async handle({ body: { scope, reason, by }, caller, traceId }) {
        requireScope(scope);
        const isNew = await pauses.pause(scope, { reason, operator: speaker(by, caller) });
        if (isNew) log.warn('sending.paused', { traceId, scope, key: caller.key });
        const kept = (await pauses.list()).find((one) => one.scope === scope);
        if (!kept) throw notPaused(); // Somebody has lifted it in between.
        return { status: isNew ? 201 : 200, body: pauseJson(kept) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/:scope`,
      summary: 'Go on with what was stopped',
      who: [],
      params: Type.Object({ scope }, closed),
      query: Type.Object(why, closed),
      answers: {
        200: {
          when: 'It goes on.',
          schema: Type.Object({ scope: Type.String(), isResumed: Type.Boolean() }, closed),
        },
      },
      refusals: { 404: 'Nothing of that scope is paused.' },
      async handle({ params: { scope }, caller, traceId }) {
        // A pause of a source that this version does not have must be possible to lift.
        if (!(await pauses.resume(scope))) throw notPaused();
        log.warn('sending.resumed', { traceId, scope, key: caller.key });
        return { status: 200, body: { scope, isResumed: true } };
      },
    }),
  ];
}

const notPaused = () =>
  new Refusal('not_paused', `Nothing of that scope is paused. GET ${path} lists what is.`);

const pauseJson = ({ at, ...pause }: Pause) => ({ ...pause, at: iso(at) });
