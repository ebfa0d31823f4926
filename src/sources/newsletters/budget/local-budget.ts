import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { rowsOf } from '../../../db/dialect.ts';
import type { Clock } from '../../../std/clock.ts';
import { type Decimal, sum } from '../../../std/decimal.ts';
import type { Log } from '../../../std/log.ts';
import { type Period, periodBefore } from '../period.ts';
import {
  type BudgetData,
  type EntityReport,
  type ReportWanted,
  reportKey,
  type SeriesValue,
  type Totals,
} from './budget-data.ts';
import { topExpenses } from './chapters.ts';
import { type KnownFigures, knownFigures, yearToDateParts } from './known-figures.ts';
import { type LocalSeries, localSeriesOf, valueOfSeries } from './local-series.ts';
import { type AmountsWanted, readAmounts } from './read-amounts.ts';

/** Budgets as `tidings budget import` has put them into the database. Two statements for a batch, however large it is. */
export interface LocalBudgetParts {
  db: Database;
  clock: Clock;
  log: Log;
  datasets: BudgetData['datasets'];
}

/** Of a report some thirty months are read, and SQLite's driver lets nobody else do anything meanwhile. */
const reportsAtOnce = 25;

export function createLocalBudget({ db, clock, log, datasets }: LocalBudgetParts): BudgetData {
  async function reportsOf(wanted: readonly ReportWanted[]): Promise<(readonly [string, EntityReport])[]> {
    const figures = knownFigures(await readAmounts(db, wanted.flatMap(amountsOf)));
    const entities = await readEntities(
      db,
      wanted.map(({ cui }) => cui),
    );
    return wanted.flatMap((one) => {
      const report = reportOf(one, figures, entities.get(one.cui));
      return report ? [[reportKey(one), report] as const] : [];
    });
  }

  return {
    async reports(wanted) {
      const made = new Map<string, EntityReport>();
      for (let at = 0; at < wanted.length; at += reportsAtOnce) {
        for (const [key, report] of await reportsOf(wanted.slice(at, at + reportsAtOnce)))
          made.set(key, report);
        await clock.nextTurn();
      }
      return made;
    },

    async seriesValues(wanted) {
      const asked = wanted.map(({ filter, period }) => ({ series: localSeriesOf(filter), period }));
      const understood = asked.flatMap(({ series, period }) =>
        'problem' in series ? [] : [{ series, period }],
      );
      const figures = knownFigures(await readAmounts(db, understood.flatMap(amountsOfSeries)));
      const perHead = understood.flatMap(({ series }) => (series.isPerHead ? series.cuis : []));
      const entities = await readEntities(db, perHead);
      const populations = new Map([...entities].map(([cui, { population }]) => [cui, population]));
      return asked.map(({ series, period }): SeriesValue | null => {
        if (!('problem' in series)) return valueOfSeries(series, period, figures, populations);
        log.warn('budget.series_not_understood', { problem: series.problem });
        return null;
      });
    },

    filterProblem(filter) {
      const series = localSeriesOf(filter);
      return 'problem' in series ? series.problem : undefined;
    },

    datasets,
  };
}

interface Entity {
  name: string;
  population: number | null;
}

/** Those of which a name was imported. */
export async function readEntities(db: Database, cuis: readonly string[]): Promise<Map<string, Entity>> {
  if (cuis.length === 0) return new Map();
  const distinct = [...new Set(cuis)].map((cui) => ({ cui }));
  const { rows } = await sql<Entity & { cui: string }>`
    SELECT entities.cui, entities.name, entities.population
    FROM ${rowsOf(db.dialect, { cui: 'text' }, distinct)} CROSS JOIN budget_entities AS entities
    WHERE entities.cui = input.cui
  `.execute(db.read);
  return new Map(rows.map(({ cui, name, population }) => [cui, { name, population }]));
}

function amountsOf({ cui, period }: ReportWanted): AmountsWanted[] {
  const others = [periodBefore(period), ...yearToDateParts(period)];
  return [
    { cui, period, chaptersOf: 'expenses' },
    ...others.map((other) => ({ cui, period: other, chaptersOf: null })),
  ];
}

function amountsOfSeries({ series, period }: { series: LocalSeries; period: Period }): AmountsWanted[] {
  const { cuis, side, chapters } = series;
  return cuis.map((cui) => ({ cui, period, chaptersOf: chapters ? side : null }));
}

function reportOf(
  { cui, period }: ReportWanted,
  figures: KnownFigures,
  entity: Entity | undefined,
): EntityReport | undefined {
  for (const currency of figures.currencies(cui)) {
    const totals = totalsOf(figures, { cui, currency }, [period]);
    if (!totals) continue;
    return {
      ...{ cui, currency, ...totals },
      // Amounts may be imported before anybody says whose they are.
      name: entity?.name ?? `CUI ${cui}`,
      population: entity?.population || null,
      before: totalsOf(figures, { cui, currency }, [periodBefore(period)]),
      yearToDate: totalsOf(figures, { cui, currency }, yearToDateParts(period)),
      topExpenses: topExpenses(figures.chapters({ cui, currency, side: 'expenses' }, period) ?? []),
    };
  }
  return undefined;
}

/** Of all periods together, where both sides of each are known. */
function totalsOf(
  figures: KnownFigures,
  whose: { cui: string; currency: string },
  periods: readonly Period[],
): Totals | null {
  const of = (side: 'income' | 'expenses') => {
    const amounts = periods.map((period) => figures.total({ ...whose, side }, period));
    return amounts.every((amount): amount is Decimal => amount !== undefined) ? sum(amounts) : null;
  };
  const [income, expenses] = [of('income'), of('expenses')];
  return income === null || expenses === null ? null : { income, expenses };
}
