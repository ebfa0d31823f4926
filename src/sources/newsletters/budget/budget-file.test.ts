import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine } from '../../../std/csv.ts';
import { type BudgetRecord, readBudgetFile } from './budget-file.ts';
import type { FileWords } from './platform-answer.ts';

async function* inChunks(text: string, length = 7) {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}

async function read(text: string | object, words: FileWords = {}, ignored = new Set<string>()) {
  const records: BudgetRecord[] = [];
  const whole = typeof text === 'string' ? text : JSON.stringify(text, null, 1);
  for await (const record of readBudgetFile(inChunks(whole), words, ignored)) records.push(record);
  return records;
}

const entries = async (text: string | object, words?: FileWords) =>
  (await read(text, words)).map((record) => ('entry' in record ? record.entry : record.problem));
const amount = (more: object = {}) => ({
  ...{ kind: 'amount', cui: '4305857', periodKey: '2023', side: 'income', chapter: '', chapterName: null },
  ...{ amount: '1.5', currency: 'RON', ...more },
});
const entity = (more: object = {}) => ({
  ...{ kind: 'entity', cui: '4305857', name: 'CLUJ', entityType: null, countyName: null, population: null },
  ...more,
});

describe('CSV', () => {
  test('of amounts, in any order, with or without what may be left out', async () => {
    const ignored = new Set<string>();
    const text = `\ufeffAmount;Period;CUI;note;side;Chapter Name;chapter
1.50;2023;RO4305857;x;income;;
-2e3;2023-Q1;4305857;;ch;" Învăță
mânt ";65.02
`;
    expect(await read(text, {}, ignored)).toEqual([
      { line: 2, entry: amount() },
      {
        line: 3,
        entry: amount({
          ...{ amount: '-2000', periodKey: '2023-Q1', side: 'expenses', chapter: '65.02' },
          chapterName: 'Învăță mânt',
        }),
      },
    ]);
    expect([...ignored]).toEqual(['note']);
  });

  test('of entities', async () => {
    const text =
      'cui,name,entity_type,county_name,population\n4305857,CLUJ,admin_municipality,CLUJ,300000\n4305857,CLUJ,,,\n';
    expect(await entries(text)).toEqual([
      entity({ entityType: 'admin_municipality', countyName: 'CLUJ', population: 300_000 }),
      entity(),
    ]);
  });

  test('what cannot be read is told with its line, and the next goes on', async () => {
    const text = [
      'cui,period,side,amount,currency,chapter',
      'abc,2023,income,1,,',
      '4305857,2023-13,income,1,,',
      '4305857,2023,both,1,,',
      '4305857,2023,income,"1.234,56",,',
      '4305857,2023,income,,,',
      '4305857,2023,income,1,lei,',
      '4305857,2023,income,1,,a b',
      '"4305857,2023',
      '4305857,2023,income,1.5,,',
    ].join('\n');
    const told = (await read(text)).map(
      (record) => `${record.line} ${'problem' in record ? record.problem : 'fine'}`,
    );
    expect(told).toEqual([
      '2 "abc" is no fiscal code (CUI), such as 4305857.',
      '3 "2023-13" is no period. Write a year, 2023, a quarter, 2023-Q1, or a month, 2023-01.',
      '4 The side "both" is neither income nor expenses.',
      '5 "1.234,56" is no amount. Write it with a point and without spaces: 1234567.89.',
      '6 An empty value is no amount. Write it with a point and without spaces: 1234567.89.',
      '7 "lei" is no currency, such as RON.',
      '8 "a b" is no code of a chapter, such as 65 or 65.02.',
      expect.stringMatching(/^9 A quotation mark is opened/),
      '10 fine',
    ]);
    expect(await entries('cui,name,population\n1,,5\n4305857,X,many\n4305857,,1')).toEqual([
      '"1" is no fiscal code (CUI), such as 4305857.',
      'The population "many" is no whole number.',
      'The entity has no name.',
    ]);
  });

  test.each(['cui,period,amount\n', 'a,b\n1,2\n', '4305857,2023,income,5\n', 'name\nx\n'])(
    'a header that does not say enough is refused: %j',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({ code: 'unknown_columns' });
    },
  );

  test('an empty file has nothing in it, and one that is no text is refused', async () => {
    expect(await read(' \n\n')).toEqual([]);
    await expect(read('\0\0')).rejects.toMatchObject({ code: 'not_text' });
  });

  test('whatever stands in a line, it is an entry or a problem of that line', async () => {
    const field = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('4305857', '2023', 'income', '1.5', '-3', '65', 'RON', ''),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(field, { minLength: 7, maxLength: 7 }), { maxLength: 5 }),
        async (rows) => {
          const header = ['cui', 'period', 'side', 'chapter', 'chapter_name', 'amount', 'currency'];
          const records = await read([header, ...rows].map((row) => csvLine(row)).join('\n'));
          for (const record of records) {
            expect(record.line).toBeGreaterThan(1);
            if ('problem' in record) expect(record.problem).toMatch(/\.$/);
            else
              expect(record.entry).toMatchObject({
                kind: 'amount',
                cui: expect.stringMatching(/^\d{2,10}$/),
              });
          }
        },
      ),
    );
  });
});

describe('JSON', () => {
  test('of our own shape, amounts exact as numbers and as texts', async () => {
    const text = `{
  "entities": [{ "cui": 4305857, "name": "CLUJ", "entityType": "uat", "county_name": "CJ", "population": 5 }],
  "amounts": [
    { "cui": "4305857", "period": 2023, "side": "income", "amount": 90071992547409931.50 },
    { "cui": "4305857", "period": "2023", "side": "income", "amount": "1.5", "chapter": 65, "chapterName": "A" },
    { "cui": "4305857", "period": "2023", "side": "income", "amount": null },
    7
  ]
}`;
    expect(await read(text)).toEqual([
      { line: 2, number: 1, entry: entity({ entityType: 'uat', countyName: 'CJ', population: 5 }) },
      { line: 4, number: 1, entry: amount({ amount: '90071992547409931.5' }) },
      { line: 5, number: 2, entry: amount({ chapter: '65', chapterName: 'A' }) },
      { line: 6, number: 3, problem: expect.stringContaining('is no amount') },
      { line: 3, number: 4, problem: 'This is no object.' },
    ]);
  });

  test('a list alone', async () => {
    expect(await entries([{ cui: '4305857', period: '2023', side: 'vn', amount: 1.5 }])).toEqual([amount()]);
    expect(await entries([{ cui: '4305857', name: 'CLUJ' }, 'x'])).toEqual([entity(), 'This is no object.']);
    expect(await entries([])).toEqual([]);
  });

  test('what is broken, unknown or too large is refused as a whole', async () => {
    await expect(read('{"amounts":\n[}')).rejects.toMatchObject({ code: 'not_json', message: /^Line 2: / });
    for (const unknown of [{}, { executionAnalytics: [] }, { entities: { nodes: [] } }, { data: null }])
      await expect(read(unknown)).rejects.toMatchObject({ code: 'unknown_json' });
    async function* endless() {
      for (;;) yield '['.repeat(1024 * 1024);
    }
    const reading = readBudgetFile(endless(), {}, new Set()).next();
    await expect(reading).rejects.toMatchObject({ code: 'file_too_large' });
  });
});

describe("an answer of the platform's", () => {
  const cluj = {
    ...{ cui: '4305857', name: 'CLUJ', entity_type: 'admin_municipality', is_uat: true },
    uat: { county_name: 'CLUJ', population: 300_000 },
  };
  const trend = (unit: string, y: number) => ({ yAxis: { unit }, data: [{ x: '2022-Q1', y }] });
  const known = entity({ entityType: 'admin_municipality', countyName: 'CLUJ', population: 300_000 });

  test('entity: who it is, and the totals of the period that somebody says', async () => {
    const answer = { data: { entity: { ...cluj, totalIncome: 1.5, totalExpenses: 2, budgetBalance: -0.5 } } };
    expect(await entries(answer, { period: '2023' })).toEqual([
      ...[known, amount(), amount({ side: 'expenses', amount: '2' })],
    ]);
    await expect(read(answer)).rejects.toMatchObject({
      code: 'period_required',
      message: 'This answer does not say what was asked for. Say it, as in: --period 2023',
    });
  });

  test('entity: of the period that was asked for the total holds, once', async () => {
    const entity = { ...cluj, incomeTrend: trend('RON', 3), totalIncome: 9 };
    expect(await entries({ data: { entity } }, { period: '2022-Q1' })).toEqual([
      known,
      amount({ periodKey: '2022-Q1', amount: '9' }),
    ]);
  });

  test('entity: trends name their own periods', async () => {
    const entity = { ...cluj, incomeTrend: trend('EUR', 3), expensesTrend: trend('EUR', 4), totalIncome: 9 };
    const quarter = { periodKey: '2022-Q1', currency: 'EUR' };
    expect(await entries({ entity })).toEqual([
      ...[known, amount({ ...quarter, amount: '3' }), amount({ ...quarter, side: 'expenses', amount: '4' })],
    ]);
    expect(await entries({ entity }, { period: '2022' })).toContainEqual(
      amount({ periodKey: '2022', amount: '9', currency: 'EUR' }),
    );
  });

  test('entity: what is per head is no total', async () => {
    const perHead = { ...cluj, totalIncome: 1600.5, incomeTrend: trend('RON/capita', 1600.5) };
    expect(await entries({ entity: perHead }, { period: '2022-Q1' })).toEqual([
      known,
      'Its amounts are in "RON/capita", which is no currency: ask for totals. The entity itself was read.',
    ]);
  });

  test("entity: a school's people are not the town's", async () => {
    expect(await entries({ entity: { ...cluj, is_uat: false } })).toEqual([{ ...known, population: null }]);
  });

  test('heatmapUATData: an entity and one side of its budget each', async () => {
    const place = { uat_code: '4305857', uat_name: 'CLUJ', county_name: 'CLUJ', population: 300_000 };
    const answer = { heatmapUATData: [{ ...place, amount: 0.01, total_amount: 1.5 }] };
    expect(await entries(answer, { period: '2023', side: 'income' })).toEqual([
      entity({ countyName: 'CLUJ', population: 300_000 }),
      amount(),
    ]);
    for (const words of [{}, { period: '2023' }, { side: 'income' }] as const)
      await expect(read(answer, words)).rejects.toMatchObject({ code: 'period_required' });
  });

  test('uats: entities', async () => {
    const nodes = [{ uat_code: '4305857', name: 'CLUJ', county_name: 'CLUJ', population: 300_000 }, null];
    expect(await entries({ uats: { nodes } })).toEqual([entity({ countyName: 'CLUJ', population: 300_000 })]);
  });
});
