import { afterEach, describe, expect, test } from 'vitest';
import { reportKey } from '../../src/sources/newsletters/budget/budget-data.ts';
import { createRunCache } from '../../src/sources/newsletters/budget/run-cache.ts';
import { type Period, parsePeriod } from '../../src/sources/newsletters/period.ts';
import {
  type Answer,
  type Asked,
  type BudgetServer,
  platformAnswers,
  sendData,
  sendJson,
  startBudgetServer,
} from './budget-server.ts';

const period = (key: string) => parsePeriod(key) as Period;
const wanted = (cui: string, key: string) => ({ cui, period: period(key) });
const servers: BudgetServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(...args: Parameters<typeof startBudgetServer>): Promise<BudgetServer> {
  const server = await startBudgetServer(...args);
  servers.push(server);
  return server;
}

const reportOf = async ({ budget }: BudgetServer, cui: string, key: string) =>
  (await budget.reports([wanted(cui, key)])).get(`${cui} ${key}`);

const months = (year: number, count: number, each: readonly [string, string] = ['2.5', '1']) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`${year}-${String(at + 1).padStart(2, '0')}`, each] as const),
  );

describe('a report', () => {
  test('of a month: totals, the month before, the year so far, chapters', async () => {
    const server = await start(
      platformAnswers({
        '4305857': {
          totals: { ...months(2023, 9), '2023-10': ['9007199254740993.10', '451980246.84'] },
          items: [
            ...([
              ['65.02.03', '10.25'],
              ['84.03.01', '7'],
              ['65.04', '0.50'],
              ['70', '3'],
            ] as const),
            ...([
              ['66.06', '2'],
              ['51.01', '1'],
              ['68.05', '0.9'],
              ['99.01', '0.01'],
            ] as const),
          ],
        },
      }),
    );
    expect(await reportOf(server, '4305857', '2023-10')).toEqual({
      ...{ cui: '4305857', name: 'CLUJ', currency: 'RON', population: 300_000 },
      ...{ income: '9007199254740993.1', expenses: '451980246.84' },
      before: { income: '2.5', expenses: '1' },
      yearToDate: { income: '9007199254741015.6', expenses: '451980255.84' },
      topExpenses: [
        { code: '65', name: 'Învățământ', amount: '10.75' },
        { code: '84', name: 'Transporturi', amount: '7' },
        { code: '70', name: 'Locuințe, servicii și dezvoltare publică', amount: '3' },
        { code: '66', name: 'Sănătate', amount: '2' },
        { code: '51', name: 'Autorități publice și acțiuni externe', amount: '1' },
      ],
    });
    expect(server.asked.map(({ variables }) => variables)).toEqual([
      {
        cui: '4305857',
        period: { type: 'MONTH', selection: { dates: ['2023-10'] } },
        trend: { type: 'MONTH', selection: { interval: { start: '2023-01', end: '2023-10' } } },
      },
      {
        filter: {
          ...{
            account_category: 'ch',
            entity_cuis: ['4305857'],
            report_type: 'DETAILED',
            normalization: 'total',
          },
          report_period: { type: 'MONTH', selection: { dates: ['2023-10'] } },
          exclude: { economic_prefixes: ['51.01', '51.02'] },
        },
        ...{ limit: 1000, offset: 0 },
      },
    ]);
  });

  test('of January, a quarter and a year: the trend begins with the period before', async () => {
    const totals = {
      '2022': ['5', '4'],
      '2023': ['7', '6'],
      '2022-12': ['1', '1'],
      '2023-01': ['2', '2'],
    } as const;
    const quarters = { '2023-Q1': ['1', '1'], '2023-Q2': ['2', '1'], '2023-Q3': ['3', '1'] } as const;
    const server = await start(platformAnswers({ '11': { totals: { ...totals, ...quarters } } }));
    const own = { income: '2', expenses: '2' };
    expect(await reportOf(server, '11', '2023-01')).toMatchObject({
      before: { income: '1' },
      yearToDate: own,
    });
    expect(await reportOf(server, '11', '2023-Q3')).toMatchObject({
      ...{ income: '3', before: { income: '2' }, yearToDate: { income: '6', expenses: '3' } },
    });
    expect(await reportOf(server, '11', '2023')).toMatchObject({
      ...{ income: '7', before: { income: '5', expenses: '4' }, yearToDate: { income: '7', expenses: '6' } },
    });
    const intervals = server.asked.flatMap(({ variables: { trend } }) => (trend ? [trend] : []));
    expect(intervals).toEqual([
      { type: 'MONTH', selection: { interval: { start: '2022-12', end: '2023-01' } } },
      { type: 'QUARTER', selection: { interval: { start: '2023-Q1', end: '2023-Q3' } } },
      { type: 'YEAR', selection: { interval: { start: '2022', end: '2023' } } },
    ]);
  });

  test('where months are missing, the year so far is not known, nor what came before', async () => {
    const server = await start(
      platformAnswers({ '11': { totals: { '2023-01': ['1', '1'], '2023-04': ['2', '2'] } } }),
    );
    expect(await reportOf(server, '11', '2023-04')).toMatchObject({ before: null, yearToDate: null });
  });

  test('is not there for an unknown entity, a code that is none, and totals of nothing', async () => {
    const server = await start(platformAnswers({ '11': { totals: { '2022': ['1', '1'] } } }));
    const reports = await server.budget.reports(['11', '12', '../x', ''].map((cui) => wanted(cui, '2023')));
    expect(reports.size).toBe(0);
    expect(server.asked.map(({ variables }) => variables.cui)).toEqual(['11', '12']);
  });

  test("a school's people are not the town's", async () => {
    const totals = { '2023': ['1', '1'] } as const;
    const server = await start(
      platformAnswers({ '11': { totals, isUat: false }, '12': { totals, population: 0 } }),
    );
    for (const cui of ['11', '12'])
      expect(await reportOf(server, cui, '2023')).toMatchObject({ population: null });
  });

  test('line items come page by page, to the last', async () => {
    const items = Array.from({ length: 25 }, (_, at) => [at < 24 ? '65.02' : '66.01', '1.5'] as const);
    const server = await start(platformAnswers({ '11': { totals: { '2023': ['1', '40'] }, items } }, 1000));
    const paged = await start((asked, response, request) => {
      const { offset } = asked.variables as { offset?: number };
      if (offset === undefined)
        return platformAnswers({ '11': { totals: { '2023': ['1', '40'] } } })(asked, response, request);
      const node = `{"functional_code":"${offset < 2000 ? '65' : '66'}.01","amount":18}`;
      sendData(
        response,
        `{"aggregatedLineItems":{"nodes":[${node}],"pageInfo":{"hasNextPage":${offset < 2000}}}}`,
      );
    });
    expect((await reportOf(server, '11', '2023'))?.topExpenses).toMatchObject([
      { code: '65', amount: '36' },
      { code: '66', amount: '1.5' },
    ]);
    expect((await reportOf(paged, '11', '2023'))?.topExpenses).toMatchObject([
      { code: '65', amount: '36' },
      { code: '66', amount: '18' },
    ]);
    expect(paged.asked.map(({ variables }) => variables.offset)).toEqual([undefined, 0, 1000, 2000]);
  });

  test('a server that always has one more page is not followed for ever', async () => {
    const server = await start((asked, response, request) => {
      if (asked.query.includes('entity(cui'))
        return platformAnswers({ '11': { totals: { '2023': ['1', '1'] } } })(asked, response, request);
      const node = '{"functional_code":"65","amount":1}';
      sendData(response, `{"aggregatedLineItems":{"nodes":[${node}],"pageInfo":{"hasNextPage":true}}}`);
    });
    expect((await reportOf(server, '11', '2023'))?.topExpenses).toEqual([]);
    expect(server.asked).toHaveLength(21);
    expect(server.log.lines).toMatchObject([
      { event: 'budget.expenses_without_end', cui: '11', periodKey: '2023' },
    ]);
  });

  test('a batch is asked a few at a time, each once, however often it is wanted', async () => {
    const totals = { '2023': ['1', '1'] } as const;
    const cuis = Array.from({ length: 30 }, (_, at) => String(100 + at));
    const answer = platformAnswers(Object.fromEntries(cuis.map((cui) => [cui, { totals, name: `E${cui}` }])));
    let [now, most] = [0, 0];
    const server = await start((asked, response, request) => {
      now += 1;
      most = Math.max(most, now);
      response.on('finish', () => {
        now -= 1;
      });
      setImmediate(() => answer(asked, response, request));
    });
    const list = [...cuis, ...cuis].map((cui) => wanted(cui, '2023'));
    const reports = await server.budget.reports(list);
    expect([...reports.keys()].sort()).toEqual(list.slice(0, 30).map(reportKey).sort());
    expect(reports.get('117 2023')?.name).toBe('E117');
    expect(server.asked).toHaveLength(60);
    expect(most).toBeLessThanOrEqual(4);
    expect(most).toBeGreaterThan(1);
  });

  test('in a run, thousands that follow one town are one question', async () => {
    const server = await start(platformAnswers({ '11': { totals: { '2023': ['1', '1'] } } }));
    const cache = createRunCache(server.budget, { entriesMax: 100 });
    await Promise.all(Array.from({ length: 50 }, () => cache.reports([wanted('11', '2023')])));
    expect(server.asked).toHaveLength(2);
  });
});

describe('a series', () => {
  interface Input {
    seriesId: string;
    filter: Record<string, unknown>;
  }
  const inputsOf = ({ variables }: Asked) => variables.inputs as Input[];
  const series = (more: object, key = '2023') => ({
    ...{ filter: { account_category: 'ch', ...more }, period: period(key) },
  });
  /** Each is worth its first entity's number, in the period that was asked for. */
  const valued: Answer = (asked, response) => {
    const made = inputsOf(asked).map(({ seriesId, filter }) => {
      const { selection } = filter.report_period as { selection: { interval: { end: string } } };
      const [cui] = (filter.entity_cuis ?? []) as string[];
      const point = cui ? `{"x":"${selection.interval.end}","y":${cui}.50}` : '{"x":"1999","y":1}';
      return `{"seriesId":"${seriesId}","yAxis":{"unit":"RON"},"data":[${point}]}`;
    });
    // In another order than they were asked for.
    sendData(response, `{"executionAnalytics":[${made.reverse().join(',')}]}`);
  };

  test('many in one question, values in their order, with their unit', async () => {
    const server = await start(valued);
    const list = Array.from({ length: 25 }, (_, at) => series({ entityCuis: [String(at + 10)] }, '2023-Q1'));
    const values = await server.budget.seriesValues([series({}), ...list, series({ nonsense: true })]);
    expect(values).toEqual([null, ...list.map((_, at) => ({ value: `${at + 10}.5`, unit: 'RON' })), null]);
    expect(server.asked.map((asked) => inputsOf(asked).length).sort()).toEqual([20, 6]);
    expect(inputsOf(server.asked[0] as Asked)[1]).toEqual({
      seriesId: '1',
      filter: {
        ...{ account_category: 'ch', entity_cuis: ['10'] },
        report_period: { type: 'QUARTER', selection: { interval: { start: '2022-Q4', end: '2023-Q1' } } },
      },
    });
    expect(server.log.lines).toMatchObject([{ event: 'budget.series_not_understood', level: 'warn' }]);
    expect(await server.budget.seriesValues([])).toEqual([]);
  });

  test('one that the platform refuses keeps no other from being answered', async () => {
    const server = await start((asked, response, request) => {
      if (inputsOf(asked).some(({ filter }) => filter.search === 'bad'))
        return sendJson(response, '{"errors":[{"message":"no such thing"}],"data":null}', 400);
      valued(asked, response, request);
    });
    const list = [series({ entity_cuis: ['5'] }), series({ search: 'bad' }), series({ entity_cuis: ['6'] })];
    expect(await server.budget.seriesValues(list)).toEqual([
      ...[{ value: '5.5', unit: 'RON' }, null, { value: '6.5', unit: 'RON' }],
    ]);
    expect(server.asked.map((asked) => inputsOf(asked).length)).toEqual([3, 1, 1, 1]);
    expect(server.log.lines[0]?.problem).toBe('the budget API refused the question: no such thing');
  });

  test('an outage is none of its filter', async () => {
    const server = await start((_asked, response) => sendJson(response, '{}', 503));
    const asked = server.budget.seriesValues([series({}), series({ search: 'x' })]);
    await expect(asked).rejects.toMatchObject({ when: 'later', code: 'http_503' });
    expect(server.asked).toHaveLength(1);
  });

  test.each([
    '[]',
    'null',
    '[null]',
    '[{"seriesId":"0"}]',
    '[{"seriesId":"0","yAxis":{"unit":5},"data":[]}]',
    '[{"seriesId":"0","yAxis":{"unit":"RON"},"data":{}}]',
    '[{"seriesId":"0","yAxis":{"unit":"RON"},"data":[{"x":"2023","y":"5"}]}]',
    '[{"seriesId":"0","yAxis":{"unit":"RON"},"data":[{"x":"2023","y":null}]}]',
  ])('what is none is not taken for one: %s', async (answer) => {
    const server = await start((_asked, response) => sendData(response, `{"executionAnalytics":${answer}}`));
    await expect(server.budget.seriesValues([series({})])).rejects.toMatchObject({
      ...{ when: 'never', code: 'unexpected_answer' },
    });
  });
});
