import { HtmlValidate } from 'html-validate';
import { Compile } from 'typebox/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApi, Operation } from '../../src/http/openapi.ts';
import { error } from '../../src/http/schemas.ts';
import { createServer } from '../../src/http/server.ts';
import { createQueries } from '../../src/outbox/queries.ts';
import { consentOf } from '../support/consent.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Answered, type Api, type AskOptions, keys } from './api-world.ts';
import { broken, databaseWith } from './broken-database.ts';
import { brokenSamples, consoleExamples, consoleParticular, samplesOf } from './console-examples.ts';
import { engineExamples, engineParticular } from './engine-examples.ts';
import { captured, inboxExamples, inboxParticular } from './inbox-examples.ts';
import {
  brokenNotifications,
  notificationExamples,
  notificationParticular,
} from './notifications-examples.ts';
import { notificationsOf } from './notifications-world.ts';
import { brokenReviews, reviewExamples, reviewParticular, reviewsOf } from './reviews-examples.ts';
import { brokenRuns, runExamples, runParticular, runsOf } from './runs-examples.ts';
import { createSeatsApiWorld, type SeatsApiWorld } from './seats-api-world.ts';
import { brokenSeats, seatExamples, seatParticular } from './seats-examples.ts';

/**
 * Walks the document: every answer that it promises is produced by a request to a real server and has the documented shape.
 * An answer that nothing here produces fails, and so does a route that is not in the document.
 */
let world: SeatsApiWorld;
let api: Api;
/** Answers one request, and then asks for patience until it is given some. */
let tight: Api & { rest(): void };
let brokenApi: Api;
let document: OpenApi;

type Request = [path: string, options?: AskOptions | undefined];

/** A request that is right in every way. */
const examples: Record<string, Request> = {
  ...engineExamples,
  ...inboxExamples,
  ...seatExamples,
  ...notificationExamples,
  ...runExamples,
  ...reviewExamples,
  ...consoleExamples,
};

/** Some hundreds of requests. */
const walkWithinMs = 180_000;

const exampleOf = (name: string): Request => examples[name] ?? ['no example'];
const methodOf = (name: string) => name.split(' ')[0] as string;

/** Whose key does not open it: one that is good for runs is good for nothing else. */
const wrongKey = (name: string) => (Object.hasOwn(runExamples, name) ? keys.service[0] : keys.trigger[0]);

const ask = (name: string, [path, options]: Request = exampleOf(name), server = api) =>
  server.ask(methodOf(name), path, options);

/** Answers that need something of their own. */
const particular: Record<string, () => Promise<Answered>> = {
  ...engineParticular({ world: () => world, api: () => api, brokenApi: () => brokenApi }),
  ...inboxParticular({ world: () => world, api: () => api }),
  ...seatParticular({ world: () => world, api: () => api, brokenApi: () => brokenApi }),
  ...notificationParticular({
    api: () => api,
    full: () => world.serveSeats({ api: { notifications: notificationsOf(world, 1) } }),
  }),
  ...runParticular({ api: () => api, world: () => world }),
  ...reviewParticular({ world: () => world, api: () => api }),
  ...consoleParticular({ world: () => world, api: () => api }),
};

const tooLarge = JSON.stringify('x'.repeat(5_000_000));

/** Answers that every route of a kind can give. */
const general: Record<string, (name: string) => Promise<Answered>> = {
  200: (name) => ask(name),
  400: (name) => {
    const [path, options] = exampleOf(name);
    return ask(name, [`${path}${path.includes('?') ? '&' : '?'}nonsense=1`, options]);
  },
  401: (name) => {
    const [path, options] = exampleOf(name);
    return ask(name, [path, { ...options, key: null }]);
  },
  403: (name) => {
    const [path, options] = exampleOf(name);
    return ask(name, [path, { ...options, key: wrongKey(name) }]);
  },
  413: (name) => {
    const [path, options] = exampleOf(name);
    return ask(name, [path, { ...options, body: tooLarge }]);
  },
  415: (name) => {
    const [path, options] = exampleOf(name);
    return ask(name, [path, { ...options, headers: { ...options?.headers, 'content-type': 'text/plain' } }]);
  },
  429: async (name) => {
    tight.rest();
    const { status, text } = await ask(name, exampleOf(name), tight);
    expect(status, `${name} has no patience left: ${text}`).not.toBe(429);
    return ask(name, exampleOf(name), tight);
  },
  default: (name) => ask(name, exampleOf(name), brokenApi),
};

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

onBothDatabases('the document', (dialect) => {
  beforeAll(async () => {
    world = await createSeatsApiWorld(dialect);
    await world.poll();
    const notifications = notificationsOf(world);
    const runs = runsOf(world);
    const reviews = reviewsOf(world);
    const samples = samplesOf();
    api = await world.serveSeats({ api: { notifications, runs, reviews, samples } });
    const one = {
      ...{ notifications, runs, reviews, samples },
      limits: { reads: 1, writes: 1, failures: 1 },
      seatLimits: { looks: 1, watches: 1, links: 1 },
    };
    let restedMs = 0;
    const { clock } = world.parts;
    const later = { ...clock, monotonic: () => clock.monotonic() + restedMs };
    tight = {
      ...(await world.serveSeats({ api: one, server: { clock: later } })),
      rest: () => {
        restedMs += 86_400_000; // No limit counts for longer than this.
      },
    };
    const { outbox } = world;
    const db = databaseWith(world.db, broken);
    brokenApi = await world.serveSeats({
      api: {
        seats: brokenSeats(world.seats),
        ...{ notifications: brokenNotifications, runs: brokenRuns },
        reviews: brokenReviews(reviews),
        samples: brokenSamples,
        queries: createQueries(db),
        outbox: { ...outbox, enqueue: broken, perform: broken },
        pauses: { list: broken, pause: broken, resume: broken },
        consent: {
          ...consentOf({ db, clock: world.clock }),
          suppressions: {
            add: broken,
            lift: broken,
            list: broken,
            beginning: broken,
            count: broken,
            forget: broken,
            learn: broken,
          },
        },
        webhooks: { ...world.parts.api.webhooks, receive: broken },
      },
      server: { db },
    });
    document = (await api.ask('GET', '/docs/openapi.json')).json;
  });
  afterAll(() => world.close());

  test('has an example here for every operation, and no example is left over', () => {
    expect(Object.keys(examples).sort()).toEqual(
      operations()
        .map(([name]) => name)
        .sort(),
    );
  });

  test.each([
    ['of course seats', true],
    ['of all else', false],
  ])(
    'every documented answer is given, as documented: %s',
    async (_, isOfSeats) => {
      const isAsked = (name: string) => name.includes('/seats') === isOfSeats;
      const unused = new Set(Object.keys(particular).filter(isAsked));
      for (const [name, operation] of operations().filter(([name]) => isAsked(name))) {
        for (const [status, { content }] of Object.entries(operation.responses)) {
          const title = `${name} ${status}`;
          unused.delete(title);
          const answer = await (particular[title] ?? (() => general[status]?.(name)))();
          expect(answer, `nothing here produces ${title}`).toBeDefined();
          if (!answer) continue;
          expect(`${title}: ${answer.status} ${answer.text.slice(0, 300)}`).toContain(
            `${title}: ${status === 'default' ? 500 : status} `,
          );
          const [type = ''] = Object.keys(content);
          if (type === '') expect([title, answer.text]).toEqual([title, '']);
          else expect(answer.headers.get('content-type'), title).toContain(type);
          // The names of the console's files change with their content.
          const isKept = title === 'GET /console/assets/{name} 200';
          if (!isKept) expect(answer.headers.get('cache-control'), title).toBe('no-store');
          expect(answer.headers.get('x-request-id'), title).toMatch(/^[\w-]{8,64}$/);
          if (type === 'application/json') expectShape(title, content[type]?.schema ?? {}, answer);
          const door = /\/webhooks\/(\w+)/.exec(name)?.[1] ?? '';
          const scheme = { resend: 'Svix', postmark: 'Basic realm="webhooks"' }[door] ?? 'Bearer';
          if (answer.status === 401) expect(answer.headers.get('www-authenticate')).toBe(scheme);
          if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        }
      }
      expect([...unused]).toEqual([]);
    },
    walkWithinMs,
  );

  test('the lists that were walked were not empty', async () => {
    expect((await api.ask('GET', '/api/v1/deliveries')).json.deliveries.length).toBeGreaterThan(1);
    await captured(world);
    expect((await api.ask('GET', '/api/v1/inbox')).json.mails).toHaveLength(1);
  });

  test('every route is in the document, and another method is answered with 405 and what there is', async () => {
    const { api: parts, ...rest } = world.parts;
    const server = await createServer({
      ...rest,
      api: {
        ...{ ...parts, seats: world.seats, notifications: notificationsOf(world) },
        ...{ runs: runsOf(world), reviews: reviewsOf(world) },
      },
    });
    await server.ready();
    const served = pathsIn(server.printRoutes({ commonPrefix: false }));
    await server.close();
    expect(served.sort()).toEqual(Object.keys(document.paths).sort());
    for (const [path, methods] of Object.entries(document.paths)) {
      const documented = Object.keys(methods).map((method) => method.toUpperCase());
      const [address] = exampleOf(`${documented[0]} ${path}`);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (documented.includes(method)) continue;
        const { status, headers, json } = await api.ask(method, address, { key: null });
        expect([method, path, status, json.code]).toEqual([method, path, 405, 'method_not_allowed']);
        const allowed = headers
          .get('allow')
          ?.split(', ')
          .filter((one) => one !== 'HEAD');
        expect(allowed?.sort()).toEqual(documented.sort());
        expect(json.error).toContain(`this address takes ${headers.get('allow')}`);
      }
    }
  });

  describe('the page', () => {
    test('names every operation, and loads nothing', async () => {
      const { text, headers } = await api.ask('GET', '/docs', { key: null });
      for (const [name] of operations()) expect(text).toContain(`<code>${name}</code>`);
      expect(text).not.toMatch(/<script|src=|url\(/);
      const { results } = await new HtmlValidate({ extends: ['html-validate:standard'] }).validateString(
        text,
      );
      expect(
        results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`)),
      ).toEqual([]);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    });
  });
});

/** 002-P6-02, 002-P7-02 and 002-P7-03 have them word for word. */
const ofTheSpec = ['Invalid API key', 'Missing svix headers', 'Invalid signature'];

function expectShape(title: string, schema: object, { json, headers, status }: Answered): void {
  const isError = '$ref' in schema;
  const validator = Compile((isError ? error : schema) as never);
  expect([title, validator.Errors(json)[1]]).toEqual([title, []]);
  if (!isError) return;
  if (!ofTheSpec.includes(json.error)) expect(json.error, title).toMatch(/^[A-Za-z].*\.$/);
  expect(json.traceId, title).toBe(headers.get('x-request-id'));
  expect(json.code === 'unexpected', title).toBe(status === 500);
}

/** Fastify prints its routes as a tree; each step in stands for the path above. */
function pathsIn(tree: string): string[] {
  const above: string[] = [];
  return [...tree.matchAll(/^(.*)[├└]── (\S+) \(/gm)].map(([, indent = '', name = '']) => {
    const depth = indent.length / 4;
    above.length = depth;
    const path = above.join('') + name;
    above.push(name);
    return path.replaceAll(/:(\w+)/g, '{$1}').replace(/\/?\*/, '/{page}');
  });
}
