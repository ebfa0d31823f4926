import { parse } from 'yaml';
import { type Decimal, parseDecimal } from '../../../std/decimal.ts';
import { JsonNumber, parseExactJson } from '../../../std/json-exact.ts';
import { type Frequency, parsePeriod } from '../period.ts';
import type { Dataset } from './budget-data.ts';

/**
 * A dataset's text: who it is (`metadata`), what it is called (`i18n`), what its axes are, and its points. YAML is read without
 * knowing what numbers are, so that `0.60` stays these four signs until it is a decimal; JSON likewise.
 */
export type ReadDataset = { dataset: Dataset } | { problem: string };

type Part = Readonly<Record<string, unknown>>;

export function readDataset(text: string, format: 'yaml' | 'json', id: string): ReadDataset {
  const parsed = format === 'json' ? parseExactJson(text.replace(/^\ufeff/, '')) : parseYaml(text);
  if ('problem' in parsed) return { problem: parsed.problem };
  const { metadata, i18n, axes, data } = partOf(parsed.value);
  const { x, y } = partOf(axes);
  const ownId = textOf(partOf(metadata).id);
  if (ownId !== '' && ownId !== id)
    return { problem: `It says that its id is ${JSON.stringify(ownId.slice(0, 60))}.` };
  const frequency = textOf(partOf(x).frequency);
  if (!isFrequency(frequency))
    return { problem: 'Its axes.x.frequency is none of monthly, quarterly and yearly.' };
  if (!Array.isArray(data)) return { problem: 'It has no list that is called data.' };
  const values = valuesOf(data, frequency);
  if ('problem' in values) return values;
  const titles = Object.entries(partOf(i18n)).flatMap(([language, words]) => {
    const title = textOf(partOf(words).title);
    return title === '' ? [] : [[language, title] as const];
  });
  const unit = textOf(partOf(y).unit) || textOf(partOf(metadata).units);
  return { dataset: { id, frequency, unit, titles: Object.fromEntries(titles), values } };
}

/** Aliases are not followed: a short text could make a huge one of them. */
function parseYaml(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: parse(text, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' }) };
  } catch (error) {
    return {
      problem: `It is no YAML: ${String((error as Error).message)
        .split('\n')[0]
        ?.slice(0, 200)}`,
    };
  }
}

/** One point that is none spoils it: nobody knows what the others are worth. A point without a value is not known yet. */
function valuesOf(
  data: readonly unknown[],
  frequency: Frequency,
): Map<string, Decimal> | { problem: string } {
  const values = new Map<string, Decimal>();
  for (const [index, point] of data.entries()) {
    const { x, y } = partOf(point);
    const period = parsePeriod(textOf(x));
    if (period?.frequency !== frequency)
      return {
        problem: `Point ${index + 1} is of ${quoted(x)}, which is no period of a ${frequency} dataset.`,
      };
    if (values.has(period.key)) return { problem: `It has two points of ${period.key}.` };
    if (noValue.includes(textOf(y))) continue;
    const value = parseDecimal(textOf(y));
    if (value === undefined) return { problem: `The value of ${period.key} is no number: ${quoted(y)}.` };
    values.set(period.key, value);
  }
  return values;
}

const noValue = ['', 'null', '~'];

const isFrequency = (text: string): text is Frequency => ['monthly', 'quarterly', 'yearly'].includes(text);

const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};

function textOf(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  return typeof value === 'string' ? value.trim() : '';
}

const quoted = (value: unknown) => JSON.stringify(textOf(value).slice(0, 60));
