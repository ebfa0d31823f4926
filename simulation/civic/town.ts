import type { Dataset, EntityReport, SeriesValue } from '../../src/sources/newsletters/budget/budget-data.ts';
import type { Decimal } from '../../src/std/decimal.ts';
import type { Chance } from '../chance.ts';
import type { Story } from '../story.ts';

/**
 * The truth: what the town halls have spent, as far as it is known, and who lives where. It changes at any moment; only the budget and
 * the directory tell of it, and neither always. Every version of a figure can be told from every other by reading a mail.
 */
export interface Town {
  readonly entities: readonly Entity[];
  readonly series: Series;
  /** What the dataset `yearly` counts once a year, and `monthly` every month. */
  readonly datasets: readonly TownDataset[];
  readonly citizens: readonly Citizen[];
  reportOf(entity: Entity): EntityReport;
  valueOf(series: Series): SeriesValue | null;
  datasetOf(dataset: TownDataset): Dataset;
  change(what: Entity | Series | TownDataset): void;
  /** As the register has it from now on; null for nobody. */
  move(citizen: Citizen, address: string | null): void;
}

interface Entity {
  cui: string;
  version: number;
  /** The figures of the last period are there. */
  isKnown: boolean;
  /** They cannot be had now, and those of others can. */
  isBroken: boolean;
  /** They will never be had, in peace neither. */
  isHopeless: boolean;
}
interface Series {
  id: string;
  value: number;
  isKnown: boolean;
}
interface TownDataset extends Series {
  frequency: Dataset['frequency'];
}
interface Citizen {
  id: string;
  /** Newest last. */
  addresses: { from: number; address: string | null }[];
}

export const cuis = ['4305857', '4270740', '4192910'];
/** What alerts ask whether it is exceeded, and what values there are around it. */
export const threshold = 100;
const values = [50, 100, 150, 200];
export const unit = 'RON';
/** Of which somebody may be told, by how often it is. */
export const periods = { monthly: ['2025-12', '2025-11'], quarterly: ['2025-Q4'], yearly: ['2025'] } as const;

export function createTown(chance: Chance, clock: { now(): number }, story: Story): Town {
  const isKnown = () => chance.isTrue(0.9);
  const entities = cuis.map(
    (cui): Entity => ({
      ...{ cui, version: 1, isKnown: isKnown(), isBroken: chance.isTrue(0.2), isHopeless: false },
    }),
  );
  const series = { id: 'heating', value: chance.one(values), isKnown: isKnown() };
  const datasets = (['yearly', 'monthly'] as const).map(
    (frequency): TownDataset => ({ id: frequency, frequency, value: chance.one(values), isKnown: isKnown() }),
  );
  const citizens = Array.from({ length: chance.between(5, 9) }, (_, index): Citizen => {
    const id = `citizen${index + 1}`;
    return { id, addresses: [{ from: 0, address: chance.isTrue(0.06) ? null : `${id}@example.org` }] };
  });
  const decimal = (number: number) => `${number}.00` as Decimal;

  return {
    ...{ entities, series, datasets, citizens },
    reportOf: ({ cui, version }) => ({
      ...{ cui, name: nameOf(cui, version), currency: unit, population: 1_000 },
      ...{ income: decimal(1_000 + version), expenses: decimal(900), before: null, yearToDate: null },
      topExpenses: [],
    }),
    valueOf: (one) => (one.isKnown ? { value: decimal(one.value), unit } : null),
    datasetOf: ({ id, frequency, value, isKnown: isThere }) => ({
      ...{ id, frequency, unit, titles: { en: id, ro: id } },
      values: new Map(
        isThere ? Object.values(periods).flatMap((keys) => keys.map((key) => [key, decimal(value)])) : [],
      ),
    }),
    change(what) {
      if ('cui' in what) what.version += 1;
      else what.value = chance.one(values.filter((value) => value !== what.value));
      story.tell('cui' in what ? `the figures of ${what.cui} change` : `${what.id} is ${what.value} now`);
    },
    move(citizen, address) {
      citizen.addresses.push({ from: clock.now(), address });
      story.tell(`${citizen.id} ${address === null ? 'is gone from the register' : `lives at ${address}`}`);
    },
  };
}

/** By which a version is known in a mail. */
const nameOf = (cui: string, version: number) => `Town hall ${cui}, version ${version}`;
