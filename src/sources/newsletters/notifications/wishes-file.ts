import type { JsonPlace } from '../../../std/json-records.ts';
import { type FileShape, readRecordFile } from '../../../std/record-file.ts';
import type { SubscribeOrder } from './notifications.ts';

/** Who is to follow what, as a file: a user, a type, an entity or the configuration of an alert, and a language if one is known. */
export type WishRecord = JsonPlace & ({ order: SubscribeOrder } | { problem: string });

type FieldName = 'user' | 'type' | 'entity' | 'config' | 'locale';

const shape: FileShape<FieldName> = {
  meanings: {
    ...{ user: 'user', userid: 'user' },
    ...{ type: 'type', notificationtype: 'type' },
    ...{ entity: 'entity', cui: 'entity', entitycui: 'entity' },
    ...{ config: 'config', locale: 'locale', language: 'locale' },
  },
  listName: 'notifications',
  example: '{ "user": …, "type": …, "entity": … }',
  isHeader: (names) => names.includes('user') && names.includes('type'),
  columns:
    'The first line must name the columns: user and type, then entity for newsletters, config (JSON) for alerts, and locale if there is one.',
};

/** `ignored` is filled with the names of columns that mean nothing to us. */
export async function* readWishesFile(
  chunks: AsyncIterable<string>,
  ignored: Set<string>,
): AsyncGenerator<WishRecord> {
  for await (const record of readRecordFile(chunks, shape, ignored)) {
    if ('problem' in record) yield record;
    else {
      const { found, ...place } = record;
      yield { ...place, ...orderOf(found) };
    }
  }
}

/** What a wish may be is said where one is read; here only what a file may call it. */
function orderOf(
  found: Partial<Record<FieldName, unknown>>,
): { order: SubscribeOrder } | { problem: string } {
  const [userId, type] = [textOf(found.user), textOf(found.type)];
  if (userId === undefined || type === undefined)
    return { problem: `The ${userId === undefined ? 'user' : 'type'} is missing.` };
  const entityCui = textOf(found.entity)?.replace(/^RO(?=\d)/i, '');
  const locale = textOf(found.locale);
  const config = configOf(found.config);
  if (config !== undefined && 'problem' in config) return config;
  return {
    order: {
      ...{ userId, type },
      ...(entityCui !== undefined && { entityCui }),
      ...(config !== undefined && { config: config.value }),
      ...(locale !== undefined && { locale }),
    },
  };
}

/** Many systems number their users, and entities are numbers. */
function textOf(given: unknown): string | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  if (typeof given === 'string') return given;
  return Number.isSafeInteger(given) ? String(given) : '';
}

/** A cell of CSV holds it as text. */
function configOf(given: unknown): { value: unknown } | { problem: string } | undefined {
  if (given === undefined || given === null || given === '') return undefined;
  if (typeof given !== 'string') return { value: given };
  try {
    return { value: JSON.parse(given) };
  } catch {
    return {
      problem: 'The config is no JSON; in CSV it stands in quotation marks, and those in it are doubled.',
    };
  }
}
