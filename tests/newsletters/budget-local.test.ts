import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BudgetData, reportKey } from '../../src/sources/newsletters/budget/budget-data.ts';
import type { BudgetEntry } from '../../src/sources/newsletters/budget/budget-entry.ts';
import { type BudgetStore, createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { createLocalBudget } from '../../src/sources/newsletters/budget/local-budget.ts';
import { add, decimalOf, sum } from '../../src/std/decimal.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';
import { amount, both, entity, month, period } from './budget-lines.ts';

onBothDatabases('the local store', (dialect) => {
  let world: World;
  let store: BudgetStore;
  let budget: BudgetData;
  let log: RecordingLog;
  beforeAll(async () => {
    world = await createWorld(dialect);
    store = createBudgetStore(world);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.db.write.deleteFrom('budget_entities').execute();
    await world.db.write.deleteFrom('budget_amounts').execute();
    log = createRecordingLog();
    budget = createLocalBudget({ ...world, log, datasets: async () => new Map() });
  });
  const put = (...entries: BudgetEntry[]) => store.put(entries);
  const reportOf = async (cui: string, key: string) => {
    const wanted = { cui, period: period(key) };
    return (await budget.reports([wanted])).get(reportKey(wanted));
  };

  describe('a report', () => {
    test('has the figures of its period, the one before, the year so far and the largest chapters', async () => {
      const months = Array.from({ length: 9 }, (_, at) =>
        both('11', month(2023, at + 1), `${at + 1}.10`, '1'),
      );
      const chapters = ['51', '65', '66', '67', '68', '70'].map((code, at) =>
        amount('11', '2023-08', 'expenses', `0.${at + 1}`, code, {
          chapterName: code === '70' ? 'Case' : null,
        }),
      );
      await put(entity('11', { name: 'CLUJ', population: 300_000 }), ...months.flat(), ...chapters);
      expect(await reportOf('11', '2023-08')).toEqual({
        ...{ cui: '11', name: 'CLUJ', currency: 'RON', population: 300_000, income: '8.1', expenses: '1' },
        before: { income: '7.1', expenses: '1' },
        yearToDate: { income: '36.8', expenses: '8' },
        topExpenses: [
          { code: '70', name: 'Case', amount: '0.6' },
          { code: '68', name: 'Asigurări și asistență socială', amount: '0.5' },
          { code: '67', name: 'Cultură, recreere și religie', amount: '0.4' },
          { code: '66', name: 'Sănătate', amount: '0.3' },
          { code: '65', name: 'Învățământ', amount: '0.2' },
        ],
      });
    });

    test('of a quarter and a year out of months alone', async () => {
      const months = Array.from({ length: 24 }, (_, at) => {
        const key = month(2022 + Math.floor(at / 12), (at % 12) + 1);
        return [
          amount('11', key, 'income', '1'),
          amount('11', key, 'expenses', '0.5', '65'),
          amount('11', key, 'expenses', '0.25', '66'),
        ];
      });
      await put(entity('11'), ...months.flat());
      expect(await reportOf('11', '2023')).toMatchObject({
        ...{ income: '12', expenses: '9', before: { income: '12', expenses: '9' } },
        yearToDate: { income: '12', expenses: '9' },
        topExpenses: [
          { code: '65', amount: '6' },
          { code: '66', amount: '3' },
        ],
      });
      expect(await reportOf('11', '2023-Q2')).toMatchObject({
        ...{ income: '3', expenses: '2.25', before: { income: '3', expenses: '2.25' } },
        yearToDate: { income: '6', expenses: '4.5' },
      });
      expect(await reportOf('11', '2022')).toMatchObject({ before: null });
    });

    test('is not there where a side, a month or all of it is missing', async () => {
      await put(
        entity('11'),
        amount('11', '2023-01', 'income', '1'),
        ...both('11', '2023-02', '1', '1'),
        ...both('11', '2023-03', '1', '1'),
      );
      expect(await reportOf('11', '2023-01')).toBeUndefined();
      expect(await reportOf('11', '2023-Q1')).toBeUndefined();
      expect(await reportOf('12', '2023-02')).toBeUndefined();
      expect(await reportOf('11', '2023-02')).toMatchObject({ before: null, yearToDate: null });
    });

    test('never adds up currencies', async () => {
      await put(
        ...both('11', '2023-02', '7', '8').map((entry) => ({ ...entry, currency: 'EUR' })),
        ...both('11', '2023-01', '1', '1'),
        amount('11', '2023-02', 'expenses', '3', '65', { currency: 'RON' }),
      );
      expect(await reportOf('11', '2023-02')).toMatchObject({
        currency: 'EUR',
        income: '7',
        before: null,
        topExpenses: [],
      });
      expect(await reportOf('11', '2023-01')).toMatchObject({ currency: 'RON' });
    });

    test('of an entity that nobody has named, or in which nobody lives', async () => {
      await put(
        ...both('11', '2023', '1', '1'),
        ...both('12', '2023', '1', '1'),
        entity('12', { population: 0 }),
      );
      expect(await reportOf('11', '2023')).toMatchObject({ name: 'CUI 11', population: null });
      expect(await reportOf('12', '2023')).toMatchObject({ name: 'Town 12', population: null });
    });

    test('a batch of many, with repeats, is what each of them is alone', async () => {
      const cuis = Array.from({ length: 450 }, (_, at) => String(1000 + at));
      await put(...cuis.flatMap((cui, at) => [entity(cui), ...both(cui, '2023', String(at), '1')]));
      const wanted = [...cuis, ...cuis.slice(0, 5), '7'].map((cui) => ({ cui, period: period('2023') }));
      const reports = await budget.reports(wanted);
      expect(reports.size).toBe(450);
      for (const [at, cui] of cuis.entries())
        expect(reports.get(`${cui} 2023`)).toMatchObject({ cui, income: String(at), name: `Town ${cui}` });
      expect(await budget.reports([])).toEqual(new Map());
    });
  });

  describe('a series', () => {
    beforeEach(async () => {
      await put(
        ...[entity('11', { population: 3 }), entity('12', { population: null })],
        ...both('11', '2023', '100', '40'),
        ...both('12', '2023', '5.5', '2'),
        ...[amount('11', '2023', 'expenses', '30', '65.02'), amount('11', '2023', 'expenses', '10', '66')],
        ...[amount('11', '2023', 'income', '60', '03'), amount('11', '2023', 'income', '40', '04')],
      );
    });
    const valuesOf = (...filters: Record<string, unknown>[]) =>
      budget.seriesValues(filters.map((filter) => ({ filter, period: period('2023') })));

    test('of entities and chapters, in the order of the question', async () => {
      const of = (more: object) => ({ account_category: 'ch', entity_cuis: ['11'], ...more });
      expect(
        await valuesOf(
          ...[of({}), of({ account_category: 'vn', entity_cuis: ['12', '11', '12'] })],
          ...[
            of({ functional_prefixes: ['65'] }),
            of({ functionalCodes: ['66'], functional_prefixes: ['6'] }),
          ],
          ...[of({ functional_codes: ['65'] }), of({ normalization: 'per_capita' })],
          ...[of({ account_category: 'vn', functional_prefixes: ['04'] }), of({ currency: 'EUR' })],
          of({
            report_type: 'DETAILED',
            inflation_adjusted: false,
            exclude: { functional_codes: [] },
            county_codes: [],
          }),
        ),
      ).toEqual([
        ...[
          { value: '40', unit: 'RON' },
          { value: '105.5', unit: 'RON' },
        ],
        ...[
          { value: '30', unit: 'RON' },
          { value: '40', unit: 'RON' },
        ],
        ...[null, { value: '13.33', unit: 'RON/capita' }],
        ...[{ value: '40', unit: 'RON' }, null],
        { value: '40', unit: 'RON' },
      ]);
      expect(log.lines).toEqual([]);
    });

    test('has no value where one of its entities has none', async () => {
      const all = { account_category: 'ch', entity_cuis: ['11', '13'] };
      expect(await valuesOf(all, { ...all, entity_cuis: ['12'], normalization: 'per_capita' })).toEqual([
        null,
        null,
      ]);
      expect(await budget.seriesValues([])).toEqual([]);
    });

    test('that asks for more than was imported has none, and the log says why', async () => {
      const of = (more: object) => ({ account_category: 'ch', entity_cuis: ['11'], ...more });
      const beyond = [
        ...[of({ economic_prefixes: ['10'] }), of({ entity_cuis: [] }), of({ normalization: 'percent_gdp' })],
        ...[of({ show_period_growth: true }), of({ exclude: { functional_codes: ['65'] } }), { nonsense: 1 }],
      ];
      expect(await valuesOf(...beyond, of({}))).toEqual([
        null,
        null,
        null,
        null,
        null,
        null,
        { value: '40', unit: 'RON' },
      ]);
      expect(log.lines.map(({ event, problem }) => `${event}: ${String(problem)}`)).toEqual([
        'budget.series_not_understood: economic_prefixes is more than the imported budgets know.',
        'budget.series_not_understood: entity_cuis must name the entities whose budgets are meant.',
        'budget.series_not_understood: normalization is more than the imported budgets know.',
        'budget.series_not_understood: show_period_growth is more than the imported budgets know.',
        'budget.series_not_understood: exclude is more than the imported budgets know.',
        'budget.series_not_understood: There is no nonsense in a filter.',
      ]);
    });
  });

  test('whatever was imported, a report is what its lines add up to', async () => {
    const cents = fc.integer({ min: 0, max: 10_000_000 }).map((units) => decimalOf(`${units}e-2`));
    const chapters = fc.uniqueArray(fc.tuple(fc.constantFrom('51', '65', '66', '84'), cents), {
      ...{ minLength: 1, selector: ([code]) => code },
    });
    const months = fc.array(fc.tuple(cents, chapters), { minLength: 1, maxLength: 12 });
    let cui = 5000;
    await fc.assert(
      fc.asyncProperty(months, async (made) => {
        cui += 1;
        const lines = made.flatMap(([income, own], at) => [
          amount(String(cui), month(2023, at + 1), 'income', income),
          ...own.map(([code, spent]) => amount(String(cui), month(2023, at + 1), 'expenses', spent, code)),
        ]);
        await store.put(lines);
        const totals = made.map(([income, own]) => ({
          income,
          expenses: sum(own.map(([, spent]) => spent)),
        }));
        const upTo = (at: number) =>
          totals.slice(0, at + 1).reduce((one, other) => ({
            income: add(one.income, other.income),
            expenses: add(one.expenses, other.expenses),
          }));
        const wanted = totals.map((_, at) => ({ cui: String(cui), period: period(month(2023, at + 1)) }));
        const reports = await budget.reports(wanted);
        for (const [at, one] of wanted.entries()) {
          expect(reports.get(reportKey(one))).toMatchObject({
            ...totals[at],
            before: totals[at - 1] ?? null,
            yearToDate: upTo(at),
          });
        }
        const year = await budget.reports([{ cui: String(cui), period: period('2023') }]);
        expect(year.size).toBe(made.length === 12 ? 1 : 0);
        for (const report of year.values()) expect(report).toMatchObject(upTo(11));
      }),
      { numRuns: 25 },
    );
  });
});
