import type { Address } from '../../src/domain/address.ts';
import { type BudgetData, reportKey } from '../../src/sources/newsletters/budget/budget-data.ts';
import { BudgetUnavailable } from '../../src/sources/newsletters/budget/budget-unavailable.ts';
import type { FoundAddress, UserDirectory } from '../../src/sources/newsletters/users/user-directory.ts';
import { secondMs } from '../chance.ts';
import type { Strike, What } from '../faults.ts';
import type { FaultName } from '../tally.ts';
import type { World } from '../world.ts';
import type { Town } from './town.ts';

/** Everything that a process awaits goes through here. */
type Call = <T>(what: What, work: (strike: Strike) => Promise<T>) => Promise<T>;

/** Budget and directory as they tell of the town: mostly so, and in times of trouble late, in part, or not at all. */
export interface TownHall {
  budgetOf(call: Call): BudgetData;
  directoryOf(call: Call): UserDirectory;
  trouble(kind: Trouble, ms: number): void;
  endTroubles(): void;
  /** Whatever was ever answered: of an entity its name, of a series or dataset its value; `nothing` where nothing was known. */
  readonly told: ReadonlyMap<string, ReadonlySet<string>>;
}

export const troubles = {
  budget_down: 'the figures cannot be had',
  budget_slow: 'the figures are slow to come',
  directory_down: 'the directory cannot be asked',
  directory_slow: 'the directory is slow',
} as const satisfies Readonly<Record<string, FaultName>>;
export type Trouble = keyof typeof troubles;

export const nothing = 'nothing';
/** It was said that there will be no figures, unless somebody changes something. */
export const never = 'never';

type HallWorld = Pick<World, 'chance' | 'clock' | 'story'>;

export function createTownHall({ chance, clock, story }: HallWorld, town: Town): TownHall {
  const told = new Map<string, Set<string>>();
  const until = new Map<Trouble, number>();
  const has = (kind: Trouble) => (until.get(kind) ?? 0) > clock.now();
  function tell(key: string, what: string): void {
    const known = told.get(key) ?? new Set();
    told.set(key, known.add(what));
  }
  async function ask(): Promise<void> {
    if (has('budget_slow')) await clock.sleep(chance.between(0, 40 * secondMs));
    if (!has('budget_down')) return;
    const more = chance.isTrue(0.3) ? { retryAfterMs: chance.between(secondMs, 90 * secondMs) } : {};
    throw Object.assign(new Error('the platform does not answer'), more);
  }

  const budget: BudgetData = {
    async reports(wanted) {
      await ask();
      const asked = wanted.map((one) => ({
        ...one,
        entity: town.entities.find(({ cui }) => cui === one.cui),
      }));
      const hopeless = asked.filter(({ entity }) => entity?.isHopeless);
      for (const one of hopeless) tell(reportKey(one), never);
      if (hopeless.length > 0) throw new BudgetUnavailable('never', 'too_large', 'the answer is too large');
      if (asked.some(({ entity }) => entity?.isBroken))
        throw new Error('the figures of one of them cannot be had');
      return new Map(
        asked.flatMap(({ entity, ...one }) => {
          const report = entity?.isKnown ? town.reportOf(entity) : undefined;
          tell(reportKey(one), report?.name ?? nothing);
          return report ? [[reportKey(one), report] as const] : [];
        }),
      );
    },
    async seriesValues(wanted) {
      await ask();
      const value = town.valueOf(town.series);
      if (wanted.length > 0) tell(town.series.id, value?.value ?? nothing);
      return wanted.map(() => value);
    },
    async datasets(ids) {
      await ask();
      return new Map(
        town.datasets
          .filter(({ id }) => ids.includes(id))
          .map((one) => {
            tell(one.id, town.valueOf(one)?.value ?? nothing);
            return [one.id, town.datasetOf(one)] as const;
          }),
      );
    },
  };

  function found(userId: string): FoundAddress {
    const address = town.citizens.find(({ id }) => id === userId)?.addresses.at(-1)?.address;
    if (address) return { kind: 'address', address: address as Address };
    return { kind: 'none', code: 'no_such_user', message: 'There is nobody of that name.' };
  }

  return {
    told,
    budgetOf: (call) => ({
      reports: (wanted) => call('a question to the budget', () => budget.reports(wanted)),
      seriesValues: (wanted) => call('a question to the budget', () => budget.seriesValues(wanted)),
      datasets: (ids) => call('a question to the budget', () => budget.datasets(ids)),
    }),
    directoryOf: (call) => ({
      name: 'simulated',
      addressesOf: (ids) =>
        call('a question to the directory', async () => {
          if (has('directory_slow')) await clock.sleep(chance.between(0, 40 * secondMs));
          const isDown = has('directory_down');
          if (isDown && chance.isTrue(0.3)) throw new Error('the directory does not answer');
          const waitMs = chance.between(secondMs, 60 * secondMs);
          const later = {
            kind: 'later',
            waitMs,
            code: 'unreachable',
            message: 'It does not answer.',
          } as const;
          return new Map(ids.map((id) => [id, isDown && chance.isTrue(0.8) ? later : found(id)]));
        }),
    }),
    trouble(kind, ms) {
      until.set(kind, clock.now() + ms);
      story.tell(`${troubles[kind]}, for ${ms / 1000} s`);
    },
    endTroubles() {
      until.clear();
      for (const entity of town.entities) entity.isBroken = false;
      for (const one of [...town.entities, town.series, ...town.datasets]) one.isKnown = true;
    },
  };
}
