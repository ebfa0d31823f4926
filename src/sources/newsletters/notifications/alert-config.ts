import { Refusal } from '../../../std/refusal.ts';
import { type AlertCondition, alertOperators } from '../mail/alert-verdict.ts';
import type { NotificationType } from '../notification-type.ts';
import { canonicalJson, depthOf } from './canonical-json.ts';
import { isExact, readThreshold } from './threshold.ts';

/**
 * What an alert watches, and when it speaks: a series of the platform by its filter, or a dataset by its id. Without conditions it
 * speaks every period. Read from whatever came, and bounded so that a mail of it can always be written.
 */
export interface AlertConfig {
  title?: string;
  description?: string;
  conditions: readonly AlertCondition[];
  /** As the platform's own filter: what it means is the data's business. */
  filter?: Readonly<Record<string, unknown>>;
  datasetId?: string;
}

export const configLimits = {
  title: 300,
  description: 2_000,
  conditions: 20,
  unit: 30,
  datasetId: 128,
  filterCharacters: 8_000,
  filterDepth: 8,
} as const;

/** Also the name of a file, so that nothing in it leads anywhere else. */
export const datasetIdPattern = '^[A-Za-z0-9][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)*$';

const known = ['title', 'description', 'conditions', 'filter', 'datasetId'];

export function readAlertConfig(type: NotificationType, given: unknown): AlertConfig {
  if (!isObject(given)) throw invalid('config', 'must be an object: what to watch, and when to speak');
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalid(
      'config',
      `has no field ${JSON.stringify(unknown.slice(0, 60))}; there are ${known.join(', ')}`,
    );
  }
  const title = readText('title', given.title);
  const description = readText('description', given.description);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    conditions: readConditions(given.conditions ?? []),
    ...readWhat(type, given),
  };
}

/** Why the data that there is can never tell of a series; undefined where it can. */
export type FilterProblem = (filter: Readonly<Record<string, unknown>>) => string | undefined;

/** A series that nobody could ever tell of is refused while somebody can do something about it. */
export function requireKnownSeries(config: AlertConfig | null, problemOf: FilterProblem | undefined): void {
  const problem = config?.filter && problemOf?.(config.filter);
  if (problem !== undefined) throw invalid('filter', `cannot be watched: ${problem.replace(/\.$/, '')}`);
}

export const alertConfigJson = (config: AlertConfig): string => canonicalJson(config);

function readWhat(
  type: NotificationType,
  { filter, datasetId }: Given,
): Pick<AlertConfig, 'filter' | 'datasetId'> {
  if (type === 'alert_series_static') {
    if (filter !== undefined)
      throw invalid('filter', 'is not for this type; it watches a dataset by its datasetId');
    if (
      typeof datasetId !== 'string' ||
      datasetId.length > configLimits.datasetId ||
      !isDatasetId.test(datasetId)
    )
      throw invalid('datasetId', 'must be the id of a dataset, such as ro.economics.inflation.yearly');
    return { datasetId };
  }
  if (datasetId !== undefined)
    throw invalid('datasetId', 'is not for this type; it watches a series by its filter');
  if (!isObject(filter)) throw invalid('filter', 'must be an object: the filter of the series to watch');
  if (depthOf(filter, configLimits.filterDepth + 1) > configLimits.filterDepth)
    throw invalid('filter', `must not have more than ${configLimits.filterDepth} levels`);
  if (numbersIn(filter).some((number) => !isExact(number)))
    throw invalid('filter', 'has a number with more digits than JSON keeps; send it as a text');
  if (canonicalJson(filter).length > configLimits.filterCharacters)
    throw invalid('filter', `must have at most ${configLimits.filterCharacters} characters as JSON`);
  return { filter };
}

/** Of a value whose depth is bounded. */
function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersIn);
}

const isDatasetId = new RegExp(datasetIdPattern);

function readConditions(given: unknown): AlertCondition[] {
  if (!Array.isArray(given))
    throw invalid('conditions', 'must be a list; an empty one for word in every period');
  if (given.length > configLimits.conditions)
    throw invalid('conditions', `must have at most ${configLimits.conditions} entries`);
  return given.map((one: unknown, index) => {
    const place = `conditions[${index}]`;
    if (!isObject(one)) throw invalid(place, 'must be an object with operator, threshold and unit');
    const operator = alertOperators.find((name) => name === one.operator);
    if (!operator) throw invalid(`${place}.operator`, `must be one of ${alertOperators.join(', ')}`);
    const read = readThreshold(one.threshold);
    if ('problem' in read) throw invalid(`${place}.threshold`, read.problem);
    const unit = one.unit === undefined || one.unit === null ? '' : one.unit;
    if (typeof unit !== 'string' || unit.length > configLimits.unit || controlCharacter.test(unit))
      throw invalid(`${place}.unit`, `must be one line of at most ${configLimits.unit} characters`);
    return { operator, threshold: read.threshold, unit: unit.trim() };
  });
}

const controlCharacter = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** What a mail would refuse is refused here, where somebody can do something about it. */
function readText(name: 'title' | 'description', given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  const most = configLimits[name];
  const words = name === 'title' ? 'one line' : 'a text';
  const problem = `must be ${words} of at most ${most} characters, without control characters`;
  if (typeof given !== 'string' || given.length > most) throw invalid(name, problem);
  const text = given.replaceAll(/\r\n?/g, '\n').trim();
  const shown = name === 'title' ? text : text.replaceAll(/[\n\t]/g, '');
  if (controlCharacter.test(shown)) throw invalid(name, problem);
  return text === '' ? undefined : text;
}

type Given = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function invalid(field: string, problem: string): Refusal {
  const place = field === 'config' ? 'config' : `config.${field}`;
  return new Refusal('invalid_config', `${place} ${problem}.`, {
    problems: [{ field: place, problem: `${place} ${problem}.` }],
  });
}

/** As it was kept: read and checked when it came. */
export function storedAlertConfig(json: string | null): AlertConfig {
  return json === null ? { conditions: [] } : (JSON.parse(json) as AlertConfig);
}
