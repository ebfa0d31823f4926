import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import type {
  DeadLetter,
  Delivery,
  DeliveryStory,
  FrozenMailWithHtml,
  Notification,
  Retried,
  ReviewJobDetails,
  ReviewResult,
  RunDetails,
  RunItem,
  Section,
  SectionList,
  SectionWish,
  Submitted,
  TidingsClient,
  Triggered,
  Watch,
} from '../../src/client/client.ts';
import type { Locale } from '../../src/emails/words.ts';
import type { OpenApi } from '../../src/http/openapi.ts';
import type { notification } from '../../src/http/routes/notifications-json.ts';
import type {
  deadLetter,
  jobAnswer,
  retryAnswer,
  submitAnswer,
  submitBody,
} from '../../src/http/routes/review-shapes.ts';
import type { runAnswer, runItem, triggerAnswer } from '../../src/http/routes/run-shapes.ts';
import type { list, section, watch } from '../../src/http/routes/seats-json.ts';
import type { delivery, mail, story } from '../../src/http/schemas.ts';
import type { CodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import type { Runs } from '../../src/sources/newsletters/runs/runs.ts';
import { notificationsOf } from '../http/notifications-world.ts';
import { createSeatsApiWorld, type SeatsApiWorld } from '../http/seats-api-world.ts';
import { fakeServer } from './fake-server.ts';

/** Every call of the client, and the address in the document that it is of. One that is added to either must come here. */
const calls: Record<string, (client: TidingsClient) => Promise<unknown>> = {
  'POST /api/v1/reviews/jobs': ({ reviews }) => reviews.submit(review),
  'GET /api/v1/reviews/jobs': ({ reviews }) => reviews.list(),
  'GET /api/v1/reviews/jobs/{jobId}': ({ reviews }) => reviews.get('j'),
  'POST /api/v1/reviews/jobs/{jobId}/retry': ({ reviews }) => reviews.retry('j', why),
  'GET /api/v1/reviews/dead-letters': ({ reviews }) => reviews.deadLetters(),
  'POST /api/v1/intents': ({ intents }) => intents.send({ occasion: 'o', to: 'a', variables: {} }),
  'GET /api/v1/deliveries': ({ deliveries }) => deliveries.list(),
  'GET /api/v1/deliveries/{reference}': ({ deliveries }) => deliveries.get(1),
  'GET /api/v1/deliveries/{reference}/mail/{round}': ({ deliveries }) => deliveries.mail('1', 2),
  'GET /api/v1/seats/courses': ({ seats }) => seats.search({ q: '198:111' }),
  'GET /api/v1/seats/sections/{term}/{index}': ({ seats }) => seats.section('12026', '09214'),
  'POST /api/v1/seats/subscriptions': ({ seats }) =>
    seats.watch({ term: '12026', campus: 'NB', index: '09214', email: 'a' }),
  'GET /api/v1/seats/subscriptions/{token}': ({ seats }) => seats.get('t'),
  'GET /api/v1/seats/subscriptions/{token}/siblings': ({ seats }) => seats.siblings('t'),
  'POST /api/v1/seats/subscriptions/{token}/confirm': ({ seats }) => seats.confirm('t'),
  'POST /api/v1/seats/subscriptions/{token}/pause': ({ seats }) => seats.pause('t'),
  'POST /api/v1/seats/subscriptions/{token}/resume': ({ seats }) => seats.resume('t'),
  'POST /api/v1/seats/subscriptions/{token}/cancel': ({ seats }) => seats.cancel('t'),
  'POST /api/v1/seats/subscriptions/{token}/undo': ({ seats }) => seats.undo('t'),
  'POST /api/v1/seats/subscriptions/{token}/snooze': ({ seats }) => seats.snooze('t', null),
  'POST /api/v1/seats/subscriptions/{token}/window': ({ seats }) => seats.setWindow('t', null),
  'POST /api/v1/seats/subscriptions/{token}/max': ({ seats }) => seats.setMax('t', 1),
  'GET /api/v1/seats/lists': ({ seats }) => seats.lists(),
  'POST /api/v1/seats/openings': ({ seats }) => seats.reportOpening({ term: '12026', index: '09214' }),
  'POST /api/v1/notifications': ({ notifications }) =>
    notifications.subscribe({ ...user, notificationType: 'newsletter_entity_yearly', entityCui: '12' }),
  'GET /api/v1/notifications': ({ notifications }) => notifications.list(user),
  'GET /api/v1/notifications/entity/{cui}': ({ notifications }) =>
    notifications.ofEntity({ ...user, entityCui: '12' }),
  'GET /api/v1/notifications/{id}': ({ notifications }) => notifications.get({ ...user, id: 'i' }),
  'PATCH /api/v1/notifications/{id}': ({ notifications }) =>
    notifications.update({ ...user, id: 'i', isActive: true }),
  'DELETE /api/v1/notifications/{id}': ({ notifications }) => notifications.remove({ ...user, id: 'i' }),
  'GET /api/v1/notifications/deliveries': ({ notifications }) => notifications.deliveries(user),
  'GET /api/v1/notifications/opt-out': ({ notifications }) => notifications.getOptOut(user),
  'POST /api/v1/notifications/opt-out': ({ notifications }) => notifications.optOut(user),
  'DELETE /api/v1/notifications/opt-out': ({ notifications }) => notifications.optIn(user),
  'POST /api/v1/notifications/trigger': ({ notifications }) => notifications.trigger(run),
  'POST /api/v1/notifications/plans': ({ notifications }) => notifications.plan(run),
  'POST /api/v1/notifications/plans/{runId}/apply': ({ notifications }) => notifications.apply('r'),
  'GET /api/v1/notifications/runs': ({ notifications }) => notifications.runs.list(),
  'GET /api/v1/notifications/runs/{runId}': ({ notifications }) => notifications.runs.get('r'),
  'GET /api/v1/notifications/runs/{runId}/items': ({ notifications }) => notifications.runs.items('r'),
  'POST /api/v1/notifications/runs/{runId}/pause': ({ notifications }) => notifications.runs.pause('r', why),
  'POST /api/v1/notifications/runs/{runId}/resume': ({ notifications }) =>
    notifications.runs.resume('r', why),
  'POST /api/v1/notifications/runs/{runId}/cancel': ({ notifications }) =>
    notifications.runs.cancel('r', why),
};
const user = { userId: 'user_ana' };
const run = { notificationType: 'newsletter_entity_yearly' } as const;
const why = { reason: 'why' };
const review = { changelist_id: 'c', review_version: 1, recipients: [{ email: 'a' }], title: 't' };

/** Orders of an operator, and what the console shows them; and the links in mails, which are for readers. */
const notForPrograms =
  /\/deliveries\/(?:requeue|resolve)$|\/seats\/overview(?:\/|$)|\/notifications\/unsubscribe\//;
const forPrograms = /^\w+ \/api\/v1\/(?:reviews|notifications|seats|intents|deliveries)(?:\/|$)/;

describe('the client has every call that the document has for programs', () => {
  let world: SeatsApiWorld;
  let documented: string[];
  beforeAll(async () => {
    world = await createSeatsApiWorld('sqlite');
    // Nothing is asked of them here: the document tells of their routes.
    const [runs, reviews] = [{} as Runs, {} as CodeReviews];
    const api = await world.serveSeats({ api: { notifications: notificationsOf(world), runs, reviews } });
    const { paths } = (await api.ask('GET', '/docs/openapi.json')).json as OpenApi;
    documented = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
  });
  afterAll(() => world.close());

  test('and no other', () => {
    const wanted = documented.filter((name) => forPrograms.test(name) && !notForPrograms.test(name));
    expect(Object.keys(calls).sort()).toEqual(wanted.sort());
  });

  test.each(Object.keys(calls))('%s', async (name) => {
    const server = fakeServer([[200, {}]]);
    await calls[name]?.(server.client).catch(() => {}); // The answer is empty; what counts is what was asked.
    const [asked] = server.asked;
    const [method = '', template = ''] = name.split(' ');
    const shape = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    expect(asked?.method).toBe(method);
    expect(new URL(asked?.url ?? '').pathname).toMatch(shape);
  });
});

/** Checked by the compiler: what the client calls an answer is what the document says of it. */
test('the shapes are those of the document', () => {
  expectTypeOf<keyof Static<typeof delivery>>().toEqualTypeOf<keyof Delivery>();
  expectTypeOf<Delivery>().toExtend<Static<typeof delivery>>();
  expectTypeOf<keyof Static<typeof story>>().toEqualTypeOf<keyof DeliveryStory>();
  expectTypeOf<DeliveryStory>().toExtend<Static<typeof story>>();
  expectTypeOf<keyof Static<typeof mail>>().toEqualTypeOf<keyof FrozenMailWithHtml>();
  expectTypeOf<FrozenMailWithHtml>().toExtend<Static<typeof mail>>();
  expectTypeOf<Static<typeof notification>>().toExtend<Notification>();
  expectTypeOf<Notification>().toExtend<Static<typeof notification>>();
  expectTypeOf<keyof Static<typeof runAnswer>>().toEqualTypeOf<keyof RunDetails>();
  expectTypeOf<RunDetails>().toExtend<Required<Static<typeof runAnswer>>>();
  expectTypeOf<keyof Static<typeof runItem>>().toEqualTypeOf<keyof RunItem>();
  expectTypeOf<RunItem>().toExtend<Static<typeof runItem>>();
  expectTypeOf<Static<typeof triggerAnswer>>().toExtend<Triggered>();
  expectTypeOf<Triggered>().toExtend<Static<typeof triggerAnswer>>();
  expectTypeOf<Required<Static<typeof jobAnswer>>>().toExtend<ReviewJobDetails>();
  expectTypeOf<keyof ReviewJobDetails>().toEqualTypeOf<keyof Static<typeof jobAnswer>>();
  expectTypeOf<Static<typeof submitAnswer>>().toExtend<Submitted>();
  expectTypeOf<Submitted>().toExtend<Static<typeof submitAnswer>>();
  expectTypeOf<Static<typeof submitBody>>().toExtend<ReviewResult>();
  expectTypeOf<keyof ReviewResult>().toEqualTypeOf<keyof Static<typeof submitBody>>();
  expectTypeOf<Static<typeof retryAnswer>>().toExtend<Retried>();
  expectTypeOf<Retried>().toExtend<Static<typeof retryAnswer>>();
  expectTypeOf<Static<typeof deadLetter>>().toExtend<DeadLetter>();
  expectTypeOf<DeadLetter>().toExtend<Static<typeof deadLetter>>();
  expectTypeOf<NonNullable<SectionWish['locale']>>().toEqualTypeOf<Locale>();
  expectTypeOf<Static<typeof section>>().toExtend<Section>();
  expectTypeOf<Section>().toExtend<Static<typeof section>>();
  expectTypeOf<Static<typeof watch>>().toExtend<Watch>();
  expectTypeOf<Watch>().toExtend<Static<typeof watch>>();
  expectTypeOf<Static<typeof list>>().toExtend<SectionList>();
  expectTypeOf<SectionList>().toExtend<Static<typeof list>>();
});
