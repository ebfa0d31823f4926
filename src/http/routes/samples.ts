import { Type } from 'typebox';
import { iso } from '../../outbox/delivery-json.ts';
import type { Killing } from '../../samples/killing.ts';
import { Refusal } from '../../std/refusal.ts';
import { defineRoute, type Route } from '../route.ts';
import { closed, nothing } from '../schemas.ts';
import type { ApiParts } from '../server.ts';

const path = '/api/v1/samples';
const moment = Type.String({ format: 'date-time' });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const pid = orNull(Type.Integer({ description: 'Null between two lives: until the next one has started.' }));

const killing = Type.Object(
  {
    ...{ at: moment, killedPid: pid, pid },
    people: Type.Integer({
      description: 'How many were asked for: `told`, `underWay`, `notToBeTold` and `lost` together.',
    }),
    onTheWire: Type.Integer({ description: 'Handed over and not answered when it died.' }),
    heard: Type.Integer({ description: 'Accepted when it died, and it had heard so.' }),
    notLeft: Type.Integer({ description: 'Waiting or claimed when it died: no mail of these had left.' }),
    told: Type.Integer({ description: 'Who has it, by the books of the inbox.' }),
    twice: Type.Integer({ description: 'Of these, who has it more than once.' }),
    unheard: Type.Integer({
      description: 'Of these, whose mail was accepted without the dead worker having heard it: not settled.',
    }),
    underWay: Type.Integer({
      description:
        'Has no mail yet, or the worker that lives has it on the wire, and hears what comes of it: not settled.',
    }),
    notToBeTold: Type.Integer({ description: 'Unsubscribed or suppressed before any mail left.' }),
    lost: orNull(
      Type.Integer({
        description: 'Ended, and has no mail. Null while it cannot be known: something is open.',
      }),
    ),
    lookedIntoAt: orNull(moment),
  },
  closed,
);

/** The first minute: what can be done with sample people, where nothing is configured. */
export function sampleRoutes({ samples }: Pick<ApiParts, 'samples'>): Route[] {
  const required = () => {
    if (samples) return samples;
    throw new Refusal(
      'samples_not_here',
      'There are no sample people here: `npm start` plays the first minute where nothing is configured and the database is empty.',
    );
  };
  const refusals = {
    404: 'The first minute is not played here.',
    409: 'There is nothing left to be done of this, or it is being done.',
  };
  const verb = <T extends Parameters<typeof Type.Object>[0]>(
    name: string,
    summary: string,
    answer: T,
    perform: () => Promise<unknown>,
  ) =>
    defineRoute({
      ...{ method: 'POST' as const, path: `${path}/${name}`, summary, who: [], query: nothing, refusals },
      answers: { 202: { when: 'It is under way.', schema: Type.Object(answer, closed) } },
      handle: async () => ({ status: 202, body: await perform() }),
    });
  return [
    defineRoute({
      method: 'GET',
      path,
      summary: 'How the worker of the first minute is, and what came of killing it',
      who: ['read'],
      query: nothing,
      refusals: { 404: refusals[404] },
      answers: {
        200: { when: 'So it is.', schema: Type.Object({ workerPid: pid, killing: orNull(killing) }, closed) },
      },
      async handle() {
        const { workerPid, killing } = await required().state();
        return { status: 200, body: { workerPid, killing: killing && killingJson(killing) } };
      },
    }),
    verb(
      'seat',
      'Open a seat at the sample campus; who watches it is told within half a minute',
      { termId: Type.String(), campusCode: Type.String(), indexNumber: Type.String(), title: Type.String() },
      async () => required().openSeat(),
    ),
    verb(
      'newsletter',
      'Send the newsletter of the latest month that the sample citizens have not been told of',
      { periodKey: Type.String(), people: Type.Integer() },
      async () => required().sendNewsletter(),
    ),
    verb(
      'review',
      'Post a review to the sample reviewers',
      { changelistId: Type.String(), title: Type.String(), people: Type.Integer() },
      async () => required().postReview(),
    ),
    verb(
      'kill',
      'Kill the worker while it sends to 48 people; another takes over, and nobody is told twice',
      killing.properties,
      async () => killingJson(await required().killWorker()),
    ),
  ];
}

function killingJson({ at, lookedIntoAt, ...others }: Killing) {
  return { ...others, at: iso(at), lookedIntoAt: iso(lookedIntoAt) };
}
