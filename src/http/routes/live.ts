import { Type } from 'typebox';
import { chaosNames } from '../../providers/chaos.ts';
import type { Log } from '../../std/log.ts';
import { keptFor } from '../kept.ts';
import { createStanding, type StandingParts } from '../live/standing.ts';
import { createWatchers } from '../live/watchers.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nothing } from '../schemas.ts';

interface LiveParts extends StandingParts {
  log: Log;
  isStopping(): boolean;
}

const keptMs = 900;

const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
/** What programs ask it for; the rest is as the console's home page wants it, and follows that. */
const standingShape = Type.Object({
  provider: Type.Object(
    {
      name: Type.String(),
      account: Type.String(),
      ratePerSecond: Type.Union([Type.Number(), Type.Null()], {
        description: 'Mails a second; null without a limit.',
      }),
      downSince: timeOrNull,
      downBecause: Type.Union([Type.String(), Type.Null()]),
      pausedUntil: timeOrNull,
      quotas: Type.Array(
        Type.Object({ per: Type.Enum(['day', 'month']), used: Type.Integer(), of: Type.Integer() }, closed),
        {
          description: 'By MAIL_QUOTA_PER_DAY and MAIL_QUOTA_PER_MONTH; empty where neither is set.',
        },
      ),
      switchesOn: Type.Array(Type.Enum([...chaosNames]), {
        description: 'What the built-in inbox does wrong on purpose; empty with any other provider.',
      }),
    },
    { ...closed, description: 'Who takes the mail; while it is down or paused none is handed over.' },
  ),
});

/** How everything stands, once or again and again. */
export function liveRoutes(parts: LiveParts): Route[] {
  const standing = keptFor(keptMs, parts.clock, createStanding(parts));
  const watchers = createWatchers({ ...parts, read: standing });
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/standing',
      summary: 'How everything stands now, and what moved in the last hour',
      who: ['read'],
      query: nothing,
      answers: { 200: { when: 'Always.', schema: standingShape } },
      async handle() {
        return { status: 200, body: await standing() };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/live',
      summary: 'The same whenever it has changed, as server-sent events',
      who: ['read'],
      isConstant: true,
      query: nothing,
      answers: { 200: { when: 'It goes on until somebody ends it.', type: 'text/event-stream' } },
      async handle({ method }) {
        // Who asks for the head alone would never leave.
        if (method === 'HEAD') return { status: 200, body: '', type: 'text/event-stream; charset=utf-8' };
        // A proxy that collects answers would hold back what is live.
        const headers = { 'x-accel-buffering': 'no' };
        return { status: 200, headers, body: watchers.watch(), type: 'text/event-stream; charset=utf-8' };
      },
    }),
  ];
}
