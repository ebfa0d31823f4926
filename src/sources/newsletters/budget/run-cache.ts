import type { Period } from '../period.ts';
import {
  type BudgetData,
  type EntityReport,
  type ReportWanted,
  reportKey,
  type SeriesValue,
  type SeriesWanted,
} from './budget-data.ts';

/**
 * What was asked in a run is not asked again: thousands follow the same town. Who asks while an answer is on its way waits for it.
 * That there is no answer is one, too; what failed is asked again. Of the oldest no more than `entriesMax` of each kind are kept.
 */
export function createRunCache(budget: BudgetData, { entriesMax }: { entriesMax: number }): BudgetData {
  const reports = createKept<ReportWanted, EntityReport | undefined>(entriesMax, async (wanted) => {
    const found = await budget.reports(wanted);
    return wanted.map((one) => found.get(reportKey(one)));
  });
  const series = createKept<SeriesWanted, SeriesValue | null>(entriesMax, (wanted) =>
    budget.seriesValues(wanted),
  );
  const datasets = createKept(entriesMax, async (ids: readonly string[]) => {
    const found = await budget.datasets(ids);
    return ids.map((id) => found.get(id));
  });
  return {
    async reports(wanted) {
      const found = await reports(wanted, reportKey);
      return new Map(wanted.flatMap((one, index) => entryOf(reportKey(one), found[index])));
    },
    seriesValues: (wanted) => series(wanted, seriesKey),
    async datasets(ids) {
      const found = await datasets(ids, (id) => id);
      return new Map(ids.flatMap((id, index) => entryOf(id, found[index])));
    },
    ...(budget.filterProblem && { filterProblem: budget.filterProblem }),
    ...(budget.close && { close: () => (budget.close as () => Promise<void>)() }),
  };
}

const entryOf = <Value>(key: string, value: Value | undefined) =>
  value === undefined ? [] : [[key, value] as const];

const seriesKey = ({ filter, period }: { filter: unknown; period: Period }) =>
  `${period.key} ${spelt(filter)}`;

/** The same whatever the order in which its members were written. */
function spelt(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spelt).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${spelt(member)}`);
  return `{${members.sort().join(',')}}`;
}

function createKept<Wanted, Found>(
  entriesMax: number,
  ask: (wanted: readonly Wanted[]) => Promise<readonly Found[]>,
) {
  const kept = new Map<string, Promise<Found>>();

  return async (wanted: readonly Wanted[], keyOf: (one: Wanted) => string): Promise<Found[]> => {
    const keys = wanted.map(keyOf);
    const missing = new Map(wanted.map((one, index) => [keys[index] as string, one]));
    for (const key of missing.keys()) if (kept.has(key)) missing.delete(key);
    const found = new Map(keys.flatMap((key) => entryOf(key, kept.get(key))));
    if (missing.size > 0) {
      const answers = ask([...missing.values()]);
      for (const [index, key] of [...missing.keys()].entries()) {
        const one = answers.then((list) => list[index] as Found);
        // Whoever waits for it hears of a failure below.
        one.catch(() => kept.get(key) === one && kept.delete(key));
        kept.set(key, one);
        found.set(key, one);
      }
    }
    for (const key of kept.keys()) {
      if (kept.size <= entriesMax) break;
      kept.delete(key);
    }
    return Promise.all(keys.map((key) => found.get(key) as Promise<Found>));
  };
}
