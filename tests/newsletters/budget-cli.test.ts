import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';
import { platformAnswers, sendJson, startBudgetServer } from './budget-server.ts';

const entities =
  'cui,name,entity_type,county_name,population\n4305857,MUNICIPIUL CLUJ-NAPOCA,admin_municipality,CLUJ,300000\n';
const header = 'cui,period,side,chapter,chapter_name,amount,currency';
const amounts = [
  header,
  '4305857,2023,income,,,1972345678.95,RON',
  '4305857,2023,expenses,,,1520365432.11,RON',
  '4305857,2023,expenses,65,Învățământ,700000000,RON',
  '4305857,2022,income,,,1892846141.03,RON',
  '4305857,2022,expenses,,,1600384665.38,RON',
  '4305857,2021,income,,,1,RON',
].join('\n');

/** Each test goes on where the last one ended. */
onBothDatabases('tidings budget', (dialect) => {
  let shell: CommandLine;
  let world: World;
  let settings: Record<string, string>;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld(dialect);
    settings = { DATABASE_URL: world.url, LOG_LEVEL: 'error' };
    file('entities.csv', entities);
    file('amounts.csv', amounts);
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });
  const file = (name: string, text: string) => writeFileSync(join(shell.folder, name), text);
  const budget = (...args: string[]) => shell.run(['budget', ...args], { env: settings });
  const countAmounts = async () => {
    const { count } = await world.db.read
      .selectFrom('budget_amounts')
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  };

  test('imports files, and the second time nothing is new', async () => {
    const first = await budget('import', 'entities.csv', 'amounts.csv');
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toBe(
      'entities.csv: 1 entity, 0 amounts; 1 new or changed.\namounts.csv: 0 entities, 6 amounts; 6 new or changed.\n',
    );
    const second = JSON.parse((await budget('import', 'amounts.csv', '--json')).out);
    expect(second).toEqual({
      files: [
        {
          ...{
            file: 'amounts.csv',
            entities: 0,
            amounts: 6,
            changed: 0,
            bad: 0,
            problems: [],
            isStopped: false,
          },
          ignoredColumns: [],
        },
      ],
    });
    expect(await countAmounts()).toBe(6);
  });

  test('shows what a newsletter would tell', async () => {
    const { code, out } = await budget('show', 'RO4305857', '2023');
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'MUNICIPIUL CLUJ-NAPOCA (CUI 4305857), 2023, population 300000',
      '',
      expect.stringMatching(/^ +AMOUNT +CHANGE +YEAR TO DATE +PER HEAD$/),
      expect.stringMatching(/^Income +1,972,345,678\.95 RON +\+4\.2% +1,972,345,678\.95 RON +6,574\.49 RON$/),
      expect.stringMatching(/^Expenses +1,520,365,432\.11 RON +-5% +1,520,365,432\.11 RON +5,067\.88 RON$/),
      expect.stringMatching(/^Balance +451,980,246\.84 RON +\+54\.5% +451,980,246\.84 RON +1,506\.60 RON$/),
      '',
      expect.stringMatching(/^LARGEST EXPENSES +AMOUNT +SHARE$/),
      expect.stringMatching(/^65 Învățământ +700,000,000\.00 RON +46%$/),
      '',
    ]);
    expect(JSON.parse((await budget('show', '4305857', '2023', '--json')).out)).toMatchObject({
      ...{
        period: '2023',
        income: '1972345678.95',
        balance: '451980246.84',
        before: { income: '1892846141.03' },
      },
    });
  });

  test('without a period, all that are known; one side alone is a dash', async () => {
    const { out } = await budget('show', '4305857');
    expect(out).toMatch(
      /^MUNICIPIUL CLUJ-NAPOCA, CUI 4305857\n\nPERIOD +INCOME +EXPENSES +BALANCE\n2023 +1,972.*\n2022 .*\n2021 +- +- +-\n\nWhere there is a dash/,
    );
    const { periods } = JSON.parse((await budget('show', '4305857', '--json')).out);
    expect(periods[2]).toEqual({
      period: '2021',
      income: null,
      expenses: null,
      balance: null,
      currency: null,
    });
  });

  test('of one side alone it is said which is missing; a nameless entity is not named twice', async () => {
    const { code, err } = await budget('show', '4305857', '2021');
    expect([code, err]).toEqual([
      2,
      'Of the budget of CUI 4305857 in 2021 only income is known; expenses are missing, and nobody is told of such a period. Import a line of expenses, with 0 if there are none.\n',
    ]);
    file('nameless.csv', `${header}\n555,2023,income,,,1,RON\n555,2023,expenses,,,1,RON\n`);
    await budget('import', 'nameless.csv');
    expect((await budget('show', '555', '2023')).out).toMatch(/^CUI 555, 2023\n/);
  });

  test('bad lines are named, the good ones are in, and the exit code is 1', async () => {
    file(
      'mixed.csv',
      `${header},extra\n4305857,2020,income,,,5,RON,x\n4305857,2020,sideways,,,5,RON\n4305857,2020,income,,,"1,5",RON\n`,
    );
    const { code, out, err } = await budget('import', 'mixed.csv');
    expect(code).toBe(1);
    expect(out).toBe(
      'mixed.csv: 0 entities, 1 amount; 1 new or changed, 2 bad.\n  Columns that were not read: extra.\n',
    );
    expect(err).toBe(
      'mixed.csv, line 3: The side "sideways" is neither income nor expenses.\nmixed.csv, line 4: "1,5" is no amount. Write it with a point and without spaces: 1234567.89.\n',
    );
    const { files } = JSON.parse((await budget('import', 'mixed.csv', '--json')).out);
    expect(files[0].problems.map(({ line }: { line: number }) => line)).toEqual([3, 4]);
  });

  test('a figure that would silently be wrong is told: a line that repeats another, and a second currency', async () => {
    const lines = [
      ...['77,2023,income,,,500,RON', '77,2023,expenses,65,,100,RON', '77,2023,expenses,65,,50,RON'],
      '77,2023,expenses,66,,70,EUR',
    ];
    file('parts.csv', [header, ...lines].join('\n'));
    const { code, out, err } = await budget('import', 'parts.csv');
    expect([code, out]).toEqual([1, 'parts.csv: 0 entities, 2 amounts; 2 new or changed, 2 bad.\n']);
    expect(err).toMatch(
      /^parts\.csv, line 4: It repeats line 3, which holds: .*\nparts\.csv, line 5: It is in EUR, and the budget of CUI 77 in 2023 is in RON: .*\n$/,
    );
    const shown = JSON.parse((await budget('show', '77', '2023', '--json')).out);
    expect([shown.expenses, shown.currency]).toEqual(['100', 'RON']);
    const amountsOf77 = lines.slice(1, 3).map(() => '{"cui":77,"period":2022,"side":"income","amount":1}');
    file('parts.json', `[${amountsOf77.join(', ')}]`);
    expect((await budget('import', 'parts.json')).err).toContain('line 1, entry 2: It repeats entry 1,');
  });

  test('what was imported of a period is taken out, and once more there is nothing', async () => {
    const first = await budget('remove', 'RO77', '2023');
    expect([first.code, first.out]).toEqual([0, 'CUI 77, 2023: 2 amounts are taken out.\n']);
    expect((await budget('remove', '77', '2023')).out).toBe(
      'CUI 77, 2023: there are none. What there is: npx tidings budget show 77\n',
    );
    const again = await budget('remove', '77', '2023', '--json');
    expect([again.code, JSON.parse(again.out)]).toEqual([1, { cui: '77', period: '2023', removed: 0 }]);
  });

  test('a long file goes in batch by batch', async () => {
    const lines = Array.from({ length: 2_300 }, (_, at) => `${1000 + at},2019-01,income,,,${at}.10,RON`);
    file('long.csv', [header, ...lines].join('\n'));
    const before = await countAmounts();
    expect((await budget('import', 'long.csv')).out).toBe(
      'long.csv: 0 entities, 2300 amounts; 2300 new or changed.\n',
    );
    expect((await countAmounts()) - before).toBe(2_300);
  });

  test("an answer of the platform's needs to be told what was asked", async () => {
    const place = { uat_code: '4354566', uat_name: 'CÂMPIA TURZII', county_name: 'CLUJ', population: 20_000 };
    file('map.json', JSON.stringify({ heatmapUATData: [{ ...place, total_amount: 150123456.78 }] }));
    const asked = await budget('import', 'map.json');
    expect([asked.code, asked.err]).toEqual([
      2,
      'map.json: This answer does not say what was asked for. Say it, as in: --period 2023 --side expenses\n',
    ]);
    const told = await budget('import', 'map.json', '--period', '2023', '--side', 'ch');
    expect(told.out).toBe('map.json: 1 entity, 1 amount; 2 new or changed.\n');
  });

  // They end before any table is asked.
  if (dialect === 'postgres') return;
  describe('mistakes', () => {
    test.each([
      [['import', 'none.csv'], 'There is no file "none.csv". Check its name, and the folder you are in.'],
      [['import', '.'], '"." is a folder. Give a file.'],
      [
        ['import', 'amounts.csv', '--period', 'soon'],
        '"soon" is no period. Give a year, 2023, a quarter, 2023-Q1, or a month, 2023-01.',
      ],
      [['import', 'amounts.csv', '--side', 'up'], 'There is no side "up". Give income or expenses.'],
      [
        ['show', '4305857', '2023-13'],
        '"2023-13" is no period. Give a year, 2023, a quarter, 2023-Q1, or a month, 2023-01.',
      ],
      [
        ['show', '99', '2023'],
        'Nothing is known of the budget of CUI 99 in 2023. Import it first: npx tidings budget import <file>',
      ],
      [
        ['show', '99'],
        'Nothing is known of the budget of CUI 99 at all. Import it first: npx tidings budget import <file>',
      ],
    ])('%j', async (args, sentence) => {
      const { code, out, err } = await budget(...args);
      expect([code, out, err]).toEqual([2, '', `${sentence}\n`]);
    });
  });
});

describe('tidings budget, with an API', () => {
  test('show asks there; what it cannot say is told; import says that nobody reads it', async () => {
    const shell = createCommandLine();
    const world = await createWorld('sqlite');
    const known = platformAnswers({ '4305857': { totals: { '2023': ['1972345678.95', '5'] } } });
    let isDown = false;
    const server = await startBudgetServer((asked, response, request) =>
      isDown ? sendJson(response, '{}', 503) : known(asked, response, request),
    );
    try {
      const env = { DATABASE_URL: world.url, BUDGET_API_URL: server.url, LOG_LEVEL: 'error' };
      const budget = (...args: string[]) => shell.run(['budget', ...args], { env });
      const shown = await budget('show', '4305857', '2023');
      expect(shown.out).toMatch(/^CLUJ \(CUI 4305857\), 2023, population 300000\n/);
      const unknown = await budget('show', '99', '2023');
      expect([unknown.code, unknown.err]).toEqual([
        2,
        'Nothing is known of the budget of CUI 99 in 2023. The API at BUDGET_API_URL has nothing.\n',
      ]);
      expect((await budget('show', '4305857')).code).toBe(2);
      writeFileSync(join(shell.folder, 'entities.csv'), entities);
      expect((await budget('import', 'entities.csv')).out).toContain('BUDGET_API_URL is set');
      isDown = true;
      const down = await budget('show', '4305857', '2023');
      expect([down.code, down.err]).toEqual([
        1,
        'Try again later: the budget API answered 503 (http_503).\n',
      ]);
    } finally {
      await server.close();
      await shell.close();
      await world.close();
    }
  });
});
