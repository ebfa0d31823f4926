import { Refusal } from '../../../std/refusal.ts';
import { type FoundFields, type ReadEntry, readAmount, readEntity } from './budget-entry.ts';
import type { Side } from './known-figures.ts';

/**
 * Answers of the platform's GraphQL API that were kept as files: `entity`, `heatmapUATData` and `uats`, with or without the `data`
 * around them. They do not say what was asked, and so a person does: of which period they are, and which side of the budget.
 */
export interface FileWords {
  period?: string;
  side?: Side;
}

export type AnswerEntry = ReadEntry & { part: object };

type Part = Readonly<Record<string, unknown>>;

export function* entriesInAnswer(answer: unknown, words: FileWords): Generator<AnswerEntry> {
  const { data = answer } = partOf(answer);
  const { entity, heatmapUATData, uats } = partOf(data);
  if (isPart(entity)) yield* entriesOfEntity(entity, words);
  else if (Array.isArray(heatmapUATData)) yield* entriesOfMap(heatmapUATData.filter(isPart), words);
  else if (isPart(uats) && Array.isArray(uats.nodes)) {
    for (const part of uats.nodes.filter(isPart)) yield { part, ...entityOfUnit(part, part.name) };
  } else
    throw new Refusal(
      'unknown_json',
      'This JSON is neither { "entities": [ … ], "amounts": [ … ] } nor an answer of the platform that has entity, heatmapUATData or uats.',
    );
}

/** Of an entity: who it is, the totals of the period that was asked for, and those of the trends, which name their periods. */
function* entriesOfEntity(part: Part, { period }: FileWords): Generator<AnswerEntry> {
  const unit = partOf(part.uat);
  // A school's own place has people, but they are the town's.
  const population = part.is_uat === false ? undefined : unit.population;
  const entityType = part.entity_type;
  yield {
    part,
    ...readEntity({ cui: part.cui, name: part.name, entityType, countyName: unit.county_name, population }),
  };
  const trends = [
    ['income', partOf(part.incomeTrend)] as const,
    ['expenses', partOf(part.expensesTrend ?? part.expenseTrend)] as const,
  ];
  const units = trends.map(([, trend]) => partOf(trend.yAxis).unit).filter((unit) => unit !== undefined);
  const foreign = units.find((unit) => !/^[A-Z]{3}$/.test(String(unit)));
  if (foreign !== undefined) {
    yield {
      part,
      problem: `Its amounts are in ${JSON.stringify(foreign)}, which is no currency: ask for totals. The entity itself was read.`,
    };
    return;
  }
  const currency = units[0];
  const totals = [['income', part.totalIncome] as const, ['expenses', part.totalExpenses] as const];
  const known = totals.filter(([, amount]) => amount !== undefined && amount !== null);
  const points = trends.flatMap(([side, { data }]) =>
    (Array.isArray(data) ? data.filter(isPart) : []).map((point) => ({ side, point })),
  );
  if (period === undefined && known.length > 0 && points.length === 0) throw wordMissing('--period 2023');
  // Of the period that was asked for the total holds, and is not told a second time by its trend.
  const isTold = (side: Side, x: unknown) => x === period && known.some(([one]) => one === side);
  for (const { side, point } of points.filter(({ side, point }) => !isTold(side, point.x)))
    yield { part: point, ...readAmount({ cui: part.cui, period: point.x, side, amount: point.y, currency }) };
  if (period === undefined) return;
  for (const [side, amount] of known)
    yield { part, ...readAmount({ cui: part.cui, period, side, amount, currency }) };
}

function* entriesOfMap(parts: readonly Part[], { period, side }: FileWords): Generator<AnswerEntry> {
  if (period === undefined || side === undefined) throw wordMissing('--period 2023 --side expenses');
  for (const part of parts) {
    yield { part, ...entityOfUnit(part, part.uat_name) };
    yield { part, ...readAmount({ cui: part.uat_code, period, side, amount: part.total_amount }) };
  }
}

/** The code of an administrative unit is the fiscal code of its town hall. */
function entityOfUnit(part: Part, name: unknown): ReadEntry {
  const found: FoundFields = {
    cui: part.uat_code,
    name,
    countyName: part.county_name,
    population: part.population,
  };
  return readEntity(found);
}

const wordMissing = (example: string) =>
  new Refusal('period_required', `This answer does not say what was asked for. Say it, as in: ${example}`);

const isPart = (value: unknown): value is Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const partOf = (value: unknown): Part => (isPart(value) ? value : {});
