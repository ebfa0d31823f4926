import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBudgetFile } from '../../src/sources/newsletters/budget/budget-file.ts';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { importBudget } from '../../src/sources/newsletters/budget/import-budget.ts';
import { openBudget } from '../../src/sources/newsletters/budget/open-budget.ts';
import type { FileWords } from '../../src/sources/newsletters/budget/platform-answer.ts';
import { newsletterProps } from '../../src/sources/newsletters/mail/newsletter-props.ts';
import { type Period, parsePeriod } from '../../src/sources/newsletters/period.ts';
import { silentLog } from '../../src/std/log.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';
import { isReal, realFolder, textOf, townOf2023 } from './budget-real-files.ts';

onBothDatabases('a real town, imported', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());

  async function importText(text: string, words: FileWords = {}) {
    async function* chunks() {
      yield text;
    }
    const records = readBudgetFile(chunks(), words, new Set());
    const { signal } = new AbortController();
    return importBudget({ store: createBudgetStore(world), clock: world.clock, records, signal });
  }

  const reportOf = async (cui: string, key: string) => {
    const parts = {
      budgetApiUrl: '',
      datasetsFolder: 'none',
      db: world.db,
      clock: world.clock,
      log: silentLog,
    };
    return [
      ...(await (await openBudget(parts)).reports([{ cui, period: parsePeriod(key) as Period }])).values(),
    ][0];
  };

  test('CUI 4305857, year 2023, in Romanian and in English style', async () => {
    const text = townOf2023();
    expect(await importText(text, { period: '2023' })).toMatchObject({
      entities: 1,
      amounts: 2,
      changed: 3,
      bad: 0,
    });
    expect(await importText(text, { period: '2023' })).toMatchObject({ changed: 0 });
    const report = await reportOf('4305857', '2023');
    if (!report) throw new Error('there is no report');
    const links = {
      entityUrl: '',
      preferencesUrl: '',
      platformBaseUrl: '',
      unsubscribeUrl: 'https://example.org/u',
    };
    const period = parsePeriod('2023') as Period;
    expect(newsletterProps({ report, period, locale: 'ro', links })).toMatchObject({
      ...{ entityName: 'MUNICIPIUL CLUJ-NAPOCA', periodLabel: '2023', balanceSign: 'surplus' },
      ...{ totalIncome: '1,97 mld. RON', totalExpenses: '1,52 mld. RON', budgetBalance: '451,98 mil. RON' },
    });
    expect(newsletterProps({ report, period, locale: 'en', links })).toMatchObject({
      ...{ totalIncome: '1.97B RON', totalExpenses: '1.52B RON', budgetBalance: '451.98M RON' },
    });
  });

  if (!isReal) return;
  describe('with all that there is', () => {
    test('every unit of a county has both sides of its budget, and its people', async () => {
      const units = await importText(textOf('entities_uats-by-county.json'));
      expect([units.bad, units.entities > 70]).toEqual([0, true]);
      for (const [name, side] of [
        ['heatmap_uat-cluj-2023.json', 'expenses'],
        ['heatmap_uat-income-cluj-2023.json', 'income'],
      ] as const)
        expect(await importText(textOf(name), { period: '2023', side })).toMatchObject({ bad: 0 });
      const { heatmapUATData } = JSON.parse(textOf('heatmap_uat-income-cluj-2023.json')) as {
        heatmapUATData: {
          uat_code: string;
          total_amount: number;
          per_capita_amount: number;
          population: number;
        }[];
      };
      expect(heatmapUATData.length).toBeGreaterThan(70);
      for (const { uat_code, total_amount, population } of heatmapUATData) {
        const report = await reportOf(uat_code, '2023');
        expect([Number(report?.income), report?.population]).toEqual([total_amount, population]);
      }
    });

    test('amounts per head are no totals', async () => {
      const told = await importText(textOf('entities_entity-details-with-per-capita-normalization.json'), {
        period: '2022-Q1',
      });
      expect(told).toMatchObject({ entities: 1, amounts: 0, bad: 1 });
      expect(await reportOf('4305857', '2022-Q1')).toBeUndefined();
    });

    test('what is of no entity is refused', async () => {
      const refused = importText(textOf('aggregated-line-items_budget-sector-2-local.json'));
      await expect(refused).rejects.toMatchObject({ code: 'unknown_json' });
    });

    test('the real dataset, to the last digit', async () => {
      const parts = {
        budgetApiUrl: '',
        datasetsFolder: realFolder.pathname,
        db: world.db,
        clock: world.clock,
        log: silentLog,
      };
      const id = 'ro.economics.inflation.yearly';
      const dataset = (await (await openBudget(parts)).datasets([id])).get(id);
      expect(dataset).toMatchObject({
        ...{ id, frequency: 'yearly', unit: '%' },
        titles: { ro: 'Rata anuală de inflatie', en: 'Annual inflation rate' },
      });
      expect(['1971', '1972', '1993', '2015', '2023'].map((key) => dataset?.values.get(key))).toEqual([
        ...['0.6', '0', '256.1', '-0.6', '10.4'],
      ]);
      expect(dataset?.values.size).toBe(54);
    });
  });
});
