import { type Decimal, parseDecimal } from '../../../std/decimal.ts';
import { JsonNumber } from '../../../std/json-exact.ts';
import { parsePeriod } from '../period.ts';
import type { Side } from './known-figures.ts';

/**
 * One thing that a file says of budgets, checked: who an entity is, or one amount. What cannot be read is told in a sentence that
 * says how to write it.
 */
export type BudgetEntry = EntityEntry | AmountEntry;

export interface EntityEntry {
  kind: 'entity';
  cui: string;
  name: string;
  entityType: string | null;
  countyName: string | null;
  population: number | null;
}

export interface AmountEntry {
  kind: 'amount';
  cui: string;
  periodKey: string;
  side: Side;
  /** Empty for the total. */
  chapter: string;
  chapterName: string | null;
  amount: Decimal;
  currency: string;
}

/** What an amount is of: there is one of each. */
export const amountKey = ({ cui, periodKey, side, chapter }: AmountEntry) =>
  `${cui} ${periodKey} ${side} ${chapter}`;

export type ReadEntry = { entry: BudgetEntry } | { problem: string };

/** As they stand in a column or a member: texts, exact numbers, or whatever else somebody wrote there. */
export type FoundFields = Readonly<Partial<Record<FieldName, unknown>>>;

export const fieldNames = [
  ...(['cui', 'period', 'side', 'chapter', 'chapterName', 'amount', 'currency'] as const),
  ...(['name', 'entityType', 'countyName', 'population'] as const),
] as const;
export type FieldName = (typeof fieldNames)[number];

export function readEntity(found: FoundFields): ReadEntry {
  const cui = cuiOf(found.cui);
  if (cui === undefined) return badCui(found.cui);
  const name = textOf(found.name);
  if (name === '') return { problem: 'The entity has no name.' };
  const population = textOf(found.population);
  if (population !== '' && !/^\d{1,9}$/.test(population))
    return { problem: `The population ${quoted(population)} is no whole number.` };
  return {
    entry: {
      ...{ kind: 'entity', cui, name },
      entityType: textOf(found.entityType) || null,
      countyName: textOf(found.countyName) || null,
      population: population === '' ? null : Number(population),
    },
  };
}

export function readAmount(found: FoundFields): ReadEntry {
  const cui = cuiOf(found.cui);
  if (cui === undefined) return badCui(found.cui);
  const period = parsePeriod(textOf(found.period));
  if (!period)
    return {
      problem: `${quoted(found.period)} is no period. Write a year, 2023, a quarter, 2023-Q1, or a month, 2023-01.`,
    };
  const side = sideOf(textOf(found.side));
  if (!side) return { problem: `The side ${quoted(found.side)} is neither income nor expenses.` };
  const chapter = textOf(found.chapter);
  if (!/^[\w.-]{0,40}$/.test(chapter))
    return { problem: `${quoted(chapter)} is no code of a chapter, such as 65 or 65.02.` };
  const amount = parseDecimal(found.amount instanceof JsonNumber ? found.amount.text : textOf(found.amount));
  if (amount === undefined)
    return {
      problem: `${quoted(found.amount)} is no amount. Write it with a point and without spaces: 1234567.89.`,
    };
  const currency = textOf(found.currency) || 'RON';
  if (!/^[A-Z]{3}$/.test(currency)) return { problem: `${quoted(currency)} is no currency, such as RON.` };
  const chapterName = textOf(found.chapterName) || null;
  return {
    entry: { kind: 'amount', cui, periodKey: period.key, side, chapter, chapterName, amount, currency },
  };
}

/** Fiscal codes are written with the country's letters before them, or without. */
function cuiOf(found: unknown): string | undefined {
  return /^(?:RO)?(\d{2,10})$/i.exec(textOf(found))?.[1];
}

const badCui = (found: unknown) => ({
  problem: `${quoted(found)} is no fiscal code (CUI), such as 4305857.`,
});

/** The platform's account categories, and how files call the same. */
export function sideOf(text: string): Side | undefined {
  const word = text.toLowerCase();
  if (['income', 'vn', 'venituri'].includes(word)) return 'income';
  return ['expenses', 'expense', 'ch', 'cheltuieli'].includes(word) ? 'expenses' : undefined;
}

const charactersMax = 300;

/** In one line of a bounded length; what is neither a text nor a number is none. */
function textOf(found: unknown): string {
  const text = found instanceof JsonNumber ? found.text : found;
  if (typeof text !== 'string') return '';
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, charactersMax)
    .toWellFormed();
}

function quoted(found: unknown): string {
  if (found === undefined || found === null || found === '') return 'An empty value';
  const text = found instanceof JsonNumber ? found.text : found;
  return (JSON.stringify(text) ?? String(text)).slice(0, 60);
}
