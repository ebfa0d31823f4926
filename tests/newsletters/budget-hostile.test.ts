import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createGraphqlBudget } from '../../src/sources/newsletters/budget/graphql-budget.ts';
import { type Period, parsePeriod } from '../../src/sources/newsletters/period.ts';
import { createManualClock, systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import {
  type Answer,
  type BudgetServer,
  platformAnswers,
  sendData,
  sendJson,
  startBudgetServer,
} from './budget-server.ts';

/** What a budget API may do, or whoever answers in its place. Each question is asked once, and each answer is one of two errors. */
const wanted = [{ cui: '11', period: parsePeriod('2023') as Period }];
const servers: Pick<BudgetServer, 'close'>[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(...args: Parameters<typeof startBudgetServer>): Promise<BudgetServer> {
  const server = await startBudgetServer(...args);
  servers.push(server);
  return server;
}

const sending =
  (status: number, headers: Record<string, string>, body: string) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end(body);
  };

const entity = (more: Record<string, unknown>) => {
  const trend = { yAxis: { unit: 'RON' }, data: [{ x: '2023', y: 1 }] };
  const own = {
    cui: '11',
    name: 'CLUJ',
    totalIncome: 1,
    totalExpenses: 1,
    incomeTrend: trend,
    expensesTrend: trend,
  };
  return (response: ServerResponse) => sendData(response, JSON.stringify({ entity: { ...own, ...more } }));
};

describe('later', () => {
  test.each([
    ['429 with Retry-After', sending(429, { 'retry-after': '90' }, ''), 'http_429', 90_000],
    ['429 without', sending(429, {}, '{"errors":[{"message":"slow down"}]}'), 'http_429', undefined],
    [
      '503 with a page',
      sending(503, { 'content-type': 'text/html' }, '<h1>Back soon</h1>'),
      'http_503',
      undefined,
    ],
    ['503 until then', sending(503, { 'retry-after': '5' }, '{}'), 'http_503', 5_000],
    ['500 with data', sending(500, {}, '{"data":{"entity":null}}'), 'http_500', undefined],
    ['408', sending(408, {}, ''), 'http_408', undefined],
    [
      'a page of HTML with 200',
      sending(200, { 'content-type': 'text/html' }, '<html>log in</html>'),
      'not_json',
      undefined,
    ],
    ['nothing', sending(200, {}, ''), 'not_json', undefined],
    ['half of it', sending(200, {}, '{"data":{"entity":nu'), 'not_json', undefined],
    [
      'what is no UTF-8',
      (response: ServerResponse) => response.end(Buffer.from([0x7b, 0xff, 0x7d])),
      'not_json',
      undefined,
    ],
    ['nested without end', sending(200, {}, '['.repeat(100_000)), 'not_json', undefined],
    [
      ...([
        'its own trouble, in words',
        sending(200, {}, '{"errors":[{"message":"statement timeout"}],"data":{"entity":null}}'),
      ] as const),
      ...(['failed', undefined] as const),
    ],
    [
      ...([
        'its own trouble, with a code',
        sending(200, {}, '{"errors":[{"message":"x","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}'),
      ] as const),
      ...(['failed', undefined] as const),
    ],
    ['a connection that ends', (response: ServerResponse) => response.destroy(), 'unreachable', undefined],
    [
      ...([
        'one that ends in the middle',
        (response: ServerResponse) => {
          response.writeHead(200, { 'content-length': '999' }).write('{"data"');
          setImmediate(() => response.destroy());
        },
      ] as const),
      ...(['unreachable', undefined] as const),
    ],
  ])('%s', async (_name, answer, code, retryAfterMs) => {
    const server = await start((_asked, response) => answer(response));
    await expect(server.budget.reports(wanted)).rejects.toMatchObject({
      ...{ name: 'BudgetUnavailable', when: 'later', code, retryAfterMs, message: expect.any(String) },
    });
    expect(server.asked).toHaveLength(1);
  });

  test('nobody at that address', async () => {
    const server = await start(() => {});
    await server.close();
    const budget = createGraphqlBudget({
      ...{ url: server.url, clock: systemClock, log: silentLog, datasets: async () => new Map() },
    });
    servers.push({ close: async () => budget.close?.() });
    await expect(budget.reports(wanted)).rejects.toMatchObject({ when: 'later', code: 'unreachable' });
  });

  test('an answer that does not come in time, or not to its end', async () => {
    for (const answer of [() => {}, (response: ServerResponse) => response.write('{"data":')]) {
      const clock = createManualClock();
      let hear = () => {};
      const heard = new Promise<void>((resolve) => {
        hear = resolve;
      });
      const server = await start(
        (_asked, response) => {
          answer(response);
          hear();
        },
        { clock, limits: { answerMs: 5_000 } },
      );
      const failed = server.budget.reports(wanted).catch((error: unknown) => error);
      await heard;
      await clock.advance(4_999);
      expect(clock.nextWakeMs()).toBe(1);
      await clock.advance(1);
      expect(await failed).toMatchObject({
        ...{ when: 'later', code: 'timed_out', message: 'no whole answer within 5 s' },
      });
      expect(clock.nextWakeMs()).toBeUndefined();
    }
  });

  test('what is no HTTP', async () => {
    const server = createSocketServer((socket) => socket.end('220 mail.example.org ESMTP\r\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const budget = createGraphqlBudget({
      url,
      clock: systemClock,
      log: silentLog,
      datasets: async () => new Map(),
    });
    servers.push({
      close: async () => {
        await budget.close?.();
        server.close();
      },
    });
    await expect(budget.reports(wanted)).rejects.toMatchObject({ when: 'later', code: 'unreachable' });
  });
});

describe('never', () => {
  test.each([
    ['401', sending(401, {}, '{}'), 'http_401'],
    ['404', sending(404, {}, '<h1>No</h1>'), 'http_404'],
    ['a redirect', sending(302, { location: 'http://127.0.0.1:1/' }, ''), 'http_302'],
    ['400 in words', sending(400, {}, '{"errors":[{"message":"Unknown argument"}]}'), 'refused'],
    ['400 without', sending(400, {}, ''), 'http_400'],
    [
      'a refusal of the question',
      sending(200, {}, '{"errors":[{"message":"no","extensions":{"code":"GRAPHQL_VALIDATION_FAILED"}}]}'),
      'refused',
    ],
    ['null', sending(200, {}, 'null'), 'unexpected_answer'],
    ['a number', sending(200, {}, '5'), 'unexpected_answer'],
    ['a list', sending(200, {}, '[]'), 'unexpected_answer'],
    ['no data', sending(200, {}, '{"data":null}'), 'unexpected_answer'],
    ['errors that are none', sending(200, {}, '{"errors":[],"data":"x"}'), 'unexpected_answer'],
    ['errors of nothing', sending(400, {}, '{"errors":[null]}'), 'refused'],
    ['no entity', sending(200, {}, '{"data":{}}'), 'unexpected_answer'],
    ['an entity that is a list', sending(200, {}, '{"data":{"entity":[]}}'), 'unexpected_answer'],
    ['an entity that is a number', sending(200, {}, '{"data":{"entity":5}}'), 'unexpected_answer'],
    ['a name that is none', entity({ name: 5 }), 'unexpected_answer'],
    ['an amount in words', entity({ totalIncome: '1' }), 'unexpected_answer'],
    ['no trend', entity({ incomeTrend: null }), 'unexpected_answer'],
    ['a trend of no points', entity({ incomeTrend: { yAxis: { unit: 'RON' } } }), 'unexpected_answer'],
    [
      'a point of null',
      entity({ incomeTrend: { yAxis: { unit: 'RON' }, data: [null] } }),
      'unexpected_answer',
    ],
    [
      'amounts per head',
      entity({ expensesTrend: { yAxis: { unit: 'RON/capita' }, data: [] } }),
      'unexpected_answer',
    ],
    [
      'an amount without end',
      sending(
        200,
        {},
        '{"data":{"entity":{"name":"x","incomeTrend":{"yAxis":{"unit":"RON"},"data":[{"x":"2023","y":1e999}]},"expensesTrend":{"yAxis":{"unit":"RON"},"data":[]}}}}',
      ),
      'unexpected_answer',
    ],
  ])('%s', async (_name, answer, code) => {
    const server = await start((_asked, response) => answer(response));
    await expect(server.budget.reports(wanted)).rejects.toMatchObject({
      ...{ name: 'BudgetUnavailable', when: 'never', code, retryAfterMs: undefined },
    });
    expect(server.asked).toHaveLength(1);
  });

  test('an answer that is too large is not read to its end', async () => {
    let written = 0;
    const server = await start(
      (_asked, response) => {
        const more = () => {
          while (!response.destroyed && written < 500_000_000) {
            written += 65_536;
            if (!response.write(' '.repeat(65_536))) return void response.once('drain', more);
          }
        };
        more();
      },
      { limits: { octetsMax: 1_000_000 } },
    );
    await expect(server.budget.reports(wanted)).rejects.toMatchObject({ when: 'never', code: 'too_large' });
    expect(written).toBeLessThan(100_000_000);
  });

  test.each([
    'null',
    '{"nodes":null,"pageInfo":{}}',
    '{"nodes":[{"functional_code":5,"amount":1}],"pageInfo":{}}',
    '{"nodes":[]}',
  ])('line items that are none: %s', async (items) => {
    const known = platformAnswers({ '11': { totals: { '2023': ['1', '1'] } } });
    const answer: Answer = (asked, response, request) =>
      asked.query.includes('entity(cui')
        ? known(asked, response, request)
        : sendData(response, `{"aggregatedLineItems":${items}}`);
    const server = await start(answer);
    await expect(server.budget.reports(wanted)).rejects.toMatchObject({
      when: 'never',
      code: 'unexpected_answer',
    });
  });
});

test('after the first that fails, nothing more of a batch is asked, and nothing goes on behind it', async () => {
  const known = platformAnswers(
    Object.fromEntries(
      Array.from({ length: 99 }, (_, at) => [String(at), { totals: { '2023': ['1', '1'] } }]),
    ),
  );
  const server = await start((asked, response, request) =>
    asked.variables.cui === '3' ? sendJson(response, '{}', 503) : known(asked, response, request),
  );
  const list = Array.from({ length: 99 }, (_, at) => ({
    cui: String(at),
    period: parsePeriod('2023') as Period,
  }));
  await expect(server.budget.reports(list)).rejects.toMatchObject({ code: 'http_503' });
  const { length } = server.asked;
  expect(length).toBeLessThan(20);
  await server.budget.reports(wanted);
  expect(server.asked).toHaveLength(length + 2);
});

test('what is closed answers nobody', async () => {
  const server = await start(platformAnswers({}));
  await server.budget.close?.();
  await server.budget.close?.();
  await expect(server.budget.reports(wanted)).rejects.toMatchObject({ when: 'later', code: 'unreachable' });
});
