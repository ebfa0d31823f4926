import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import {
  type BudgetData,
  type EntityReport,
  type ReportWanted,
  reportKey,
  type SeriesValue,
} from './budget-data.ts';
import { BudgetUnavailable } from './budget-unavailable.ts';
import { topExpenses } from './chapters.ts';
import { createGraphqlClient, type GraphqlLimits } from './graphql-client.ts';
import { readExpenses } from './graphql-expenses.ts';
import { entityQuestion, readEntityAnswer } from './graphql-report.ts';
import { type KnownSeries, readSeriesAnswer, seriesQuestion } from './graphql-series.ts';
import { readSeriesFilter } from './series-filter.ts';

/**
 * Budgets as the platform's GraphQL API has them. Each question is asked once; what cannot be answered is thrown as
 * `BudgetUnavailable`, and then nothing more of the batch is asked.
 */
export interface GraphqlBudgetParts {
  url: string;
  clock: Clock;
  log: Log;
  datasets: BudgetData['datasets'];
  limits?: Partial<GraphqlLimits>;
}

/** As many as there are connections: a question that waits in a queue has its time running. */
const questionsAtOnce = 4;
const seriesInOne = 20;

export function createGraphqlBudget({
  url,
  clock,
  log,
  datasets,
  limits = {},
}: GraphqlBudgetParts): BudgetData {
  const client = createGraphqlClient({ url, clock, limits: { connections: questionsAtOnce, ...limits } });

  async function reportOf({ cui, period }: ReportWanted): Promise<EntityReport | undefined> {
    if (!/^\d{1,20}$/.test(cui)) return undefined;
    const answer = readEntityAnswer(await client.ask(entityQuestion(cui, period)), cui, period);
    if (!answer) return undefined;
    const chapters = await readExpenses(client, { cui, period, reportType: answer.reportType });
    if (chapters === null) log.warn('budget.expenses_without_end', { cui, periodKey: period.key });
    return { ...answer.report, topExpenses: topExpenses(chapters ?? []) };
  }

  async function valuesOf(series: readonly KnownSeries[]): Promise<(SeriesValue | null)[]> {
    try {
      return readSeriesAnswer(await client.ask(seriesQuestion(series)), series);
    } catch (error) {
      if (!(error instanceof BudgetUnavailable) || error.code !== 'refused') throw error;
      // One that the platform does not take keeps no other from being answered: alone it has no value, and its owner is told that.
      if (series.length === 1) {
        log.warn('budget.series_not_understood', { problem: error.message });
        return [null];
      }
      const alone: (SeriesValue | null)[] = [];
      for (const one of series) alone.push(...(await valuesOf([one])));
      return alone;
    }
  }

  return {
    async reports(wanted) {
      const distinct = [...new Map(wanted.map((one) => [reportKey(one), one])).values()];
      const reports = await eachAtOnce(distinct, reportOf);
      return new Map(
        distinct.flatMap((one, index) => {
          const report = reports[index];
          return report ? [[reportKey(one), report] as const] : [];
        }),
      );
    },

    async seriesValues(wanted) {
      const asked = wanted.map(({ filter, period }) => ({ ...readSeriesFilter(filter), period }));
      const understood = asked.flatMap((one) => ('filter' in one ? [one] : []));
      const groups: KnownSeries[][] = [];
      for (let at = 0; at < understood.length; at += seriesInOne)
        groups.push(understood.slice(at, at + seriesInOne));
      const values = (await eachAtOnce(groups, valuesOf)).flat();
      return asked.map((one) => {
        if ('filter' in one) return values.shift() ?? null;
        log.warn('budget.series_not_understood', { problem: one.problem });
        return null;
      });
    },

    filterProblem(filter) {
      const read = readSeriesFilter(filter);
      return 'problem' in read ? read.problem : undefined;
    },

    datasets,
    async probe() {
      try {
        await client.ask({ query: 'query TidingsProbe { __typename }', variables: {} });
        return undefined;
      } catch (error) {
        if (!(error instanceof BudgetUnavailable)) throw error;
        return `${error.message} (${error.code})`;
      }
    },
    close: () => client.close(),
  };
}

/** A few at a time, answers in the order of the questions. After the first that fails none is begun. */
async function eachAtOnce<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const done: Out[] = [];
  let next = 0;
  let hasFailed = false;
  async function oneByOne(): Promise<void> {
    for (let index = next++; index < items.length && !hasFailed; index = next++) {
      try {
        done[index] = await work(items[index] as In);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  }
  const workers = Array.from({ length: Math.min(questionsAtOnce, items.length) }, oneByOne);
  // All of them end before anybody hears of a failure: nothing goes on behind the caller's back.
  const ended = await Promise.allSettled(workers);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return done;
}
