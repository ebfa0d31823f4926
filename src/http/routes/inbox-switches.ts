import { Type } from 'typebox';
import { createSwitches, switchMinutesByDefault, switchMinutesMax } from '../../inbox/switches.ts';
import { iso } from '../../outbox/delivery-json.ts';
import { type ChaosSwitch, chaosNames, chaosSwitches } from '../../providers/chaos.ts';
import { Refusal } from '../../std/refusal.ts';
import { speaker } from '../gate.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nothing, why } from '../schemas.ts';
import type { InboxParts } from './inbox.ts';

/** What the built-in inbox is told to do wrong. An operator's word, for a time, and never in production. */
interface SwitchParts extends Pick<InboxParts, 'db' | 'clock' | 'log' | 'environment'> {
  requireInbox(): void;
}

const path = '/api/v1/inbox/switches';
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const timeOrNull = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const one = Type.Object(
  {
    name: Type.Enum([...chaosNames]),
    meaning: Type.String(),
    onUntil: timeOrNull,
    by: textOrNull,
  },
  closed,
);
const all = Type.Object(
  { isAllowed: Type.Boolean({ description: 'False in production.' }), switches: Type.Array(one) },
  closed,
);
const params = Type.Object({ name: Type.Enum([...chaosNames]) }, closed);
const minutes = Type.Integer({
  ...{ minimum: 1, maximum: switchMinutesMax },
  description: `For how long; ${switchMinutesByDefault} if left out.`,
});
const refusals = {
  404: 'Another provider is configured.',
  409: 'TIDINGS_ENV is production.',
};

export function switchRoutes({ db, clock, log, environment, requireInbox }: SwitchParts): Route[] {
  const switches = createSwitches({ db, clock, environment });
  const requireTrial = () => {
    requireInbox();
    if (!switches.isAllowed)
      throw new Refusal(
        'chaos_not_here',
        'TIDINGS_ENV is production, and there the inbox does nothing wrong on purpose. Try it in another deployment.',
      );
  };
  const answer = async () => ({
    status: 200,
    body: {
      isAllowed: switches.isAllowed,
      switches: (await switches.list()).map(({ name, onUntil, by }) => ({
        ...{ name, meaning: chaosSwitches[name], onUntil: iso(onUntil), by },
      })),
    },
  });

  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'List what the built-in inbox can be told to do wrong, and what of it is on',
      who: ['read'],
      query: nothing,
      answers: { 200: { when: 'All switches.', schema: all } },
      refusals: { 404: refusals[404] },
      async handle() {
        requireInbox();
        return answer();
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/:name`,
      summary: 'Let the built-in inbox do something wrong, for a time',
      who: [],
      params,
      query: nothing,
      body: Type.Object({ minutes: Type.Optional(minutes), ...why }, closed),
      answers: { 200: { when: 'It is on; all switches.', schema: all } },
      refusals,
      async handle({
        params: { name },
        body: { minutes = switchMinutesByDefault, by: said },
        caller,
        traceId,
      }) {
        requireTrial();
        const order = { forMs: minutes * 60_000, by: speaker(said, caller) };
        await switches.turnOn(name as ChaosSwitch, order);
        log.warn('inbox.switched_on', { traceId, name, minutes, key: caller.key });
        return answer();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/:name`,
      summary: 'Let it be at its best again',
      who: [],
      params,
      query: Type.Object(why, closed),
      answers: { 200: { when: 'It is off; all switches.', schema: all } },
      refusals,
      async handle({ params: { name }, caller, traceId }) {
        requireTrial();
        await switches.turnOff(name as ChaosSwitch);
        log.warn('inbox.switched_off', { traceId, name, key: caller.key });
        return answer();
      },
    }),
  ];
}
