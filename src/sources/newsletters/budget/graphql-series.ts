import { periodBefore } from '../period.ts';
import type { SeriesValue, SeriesWanted } from './budget-data.ts';
import { unexpectedAnswer } from './graphql-answer.ts';
import type { Question } from './graphql-client.ts';
import { amountIn, partIn, types } from './graphql-report.ts';
import type { SeriesFilter } from './series-filter.ts';

/** Several series in one question of the platform's. */
export interface KnownSeries {
  filter: SeriesFilter;
  period: SeriesWanted['period'];
}

export function seriesQuestion(series: readonly KnownSeries[]): Question {
  const inputs = series.map(({ filter, period }, index) => ({
    seriesId: String(index),
    filter: {
      ...filter,
      report_period: {
        type: types[period.frequency],
        // Growth is against the period before, which must be in it for that.
        selection: { interval: { start: periodBefore(period).key, end: period.key } },
      },
    },
  }));
  return { query: seriesQuery, variables: { inputs } };
}

const seriesQuery = `query TidingsSeries($inputs: [AnalyticsInput!]!) {
  executionAnalytics(inputs: $inputs) { seriesId yAxis { unit } data { x y } }
}`;

/** In the order of the question; null where a series has no point of its period. */
export function readSeriesAnswer(data: unknown, series: readonly KnownSeries[]): (SeriesValue | null)[] {
  const { executionAnalytics } = data as { executionAnalytics?: unknown };
  if (!Array.isArray(executionAnalytics)) throw unexpectedAnswer('a list of series', executionAnalytics);
  const byId = new Map(
    executionAnalytics.map((found) => {
      const part = partIn(found, 'a series');
      return [String(part.seriesId), part] as const;
    }),
  );
  return series.map(({ period }, index) => {
    const part = byId.get(String(index));
    if (!part) throw unexpectedAnswer(`series ${index}`, [...byId.keys()]);
    const { unit } = partIn(part.yAxis, 'a unit of a series');
    if (typeof unit !== 'string') throw unexpectedAnswer('a unit of a series', unit);
    if (!Array.isArray(part.data)) throw unexpectedAnswer('the points of a series', part.data);
    const point = part.data
      .map((one) => partIn(one, 'a point of a series'))
      .find(({ x }) => x === period.key);
    return point ? { value: amountIn(point.y), unit } : null;
  });
}
