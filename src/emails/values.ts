import type { TValidationError } from 'typebox/error';
import Format from 'typebox/format';
import { Compile } from 'typebox/schema';
import { nearest } from '../std/nearest.ts';
import { isSafeLink, linkCharactersMax } from './link.ts';

/**
 * The values that a template is given: what it names in its schema, tidied and checked, and nothing else. What may come from
 * strangers is one of three kinds: a line, a text or a link; everything else is one of a few words that the template knows.
 * Escaping is left to the markup, where it is done for every text and attribute; what escaping cannot mend (a `javascript:` link, a line
 * break in a subject, a text that turns round what follows) is dealt with here.
 */
export interface PropsSchema {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, ValueSchema>>;
}
type ValueSchema = PropsSchema | ListSchema | WordsSchema | ChoiceSchema;
interface ListSchema {
  readonly type: 'array';
  readonly items: PropsSchema;
  readonly maxItems: number;
}
interface WordsSchema {
  readonly type: 'string';
  readonly format: Kind;
  readonly maxLength: number;
}
interface ChoiceSchema {
  readonly type: 'string';
  readonly enum: readonly string[];
}
type Kind = 'tidings-line' | 'tidings-text' | 'tidings-link' | 'tidings-percent';

/** As the schema says, and nothing of it can be changed. */
export type PropsOf<Schema extends PropsSchema> = {
  readonly [Name in keyof Schema['properties'] as Name extends Schema['required'][number]
    ? Name
    : never]: ValueOf<Schema['properties'][Name]>;
} & {
  readonly [Name in keyof Schema['properties'] as Name extends Schema['required'][number]
    ? never
    : Name]?: ValueOf<Schema['properties'][Name]>;
};
type ValueOf<Schema extends ValueSchema> = Schema extends ChoiceSchema
  ? Schema['enum'][number]
  : Schema extends WordsSchema
    ? string
    : Schema extends ListSchema
      ? readonly PropsOf<Schema['items']>[]
      : Schema extends PropsSchema
        ? PropsOf<Schema>
        : never;

/** One line: subjects, headings, labels. */
export const line = <const Max extends number>(charactersMax: Max) =>
  ({ type: 'string', format: 'tidings-line', maxLength: charactersMax }) as const;

/** Paragraphs, with line breaks. */
export const text = <const Max extends number>(charactersMax: Max) =>
  ({ type: 'string', format: 'tidings-text', maxLength: charactersMax }) as const;

export const link = { type: 'string', format: 'tidings-link', maxLength: linkCharactersMax } as const;

/** How long a bar is, from `0` to `100`: it stands in a style, where nothing but digits may. */
export const percent = { type: 'string', format: 'tidings-percent', maxLength: 3 } as const;

/** One of the few words that decide what a template says. None of them is shown as it is. */
export const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  ({ type: 'string', enum: words }) as const;

/** At most so many groups of variables. */
export const listOf = <const Items extends PropsSchema, const Max extends number>(
  entriesMax: Max,
  items: Items,
) => ({ type: 'array', items, maxItems: entriesMax }) as const;

/**
 * Embeddings, overrides and isolates: names in Arabic or Hebrew do without, for their letters have a direction of their own.
 * And the byte order mark, which some readers drop and others do not. They are taken out, not refused, because otherwise a
 * stranger's name could keep other people's mail from leaving.
 */
const superfluous = /[\u202a-\u202e\u2066-\u2069\ufeff]/g;
const controlCharacter = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

const isLine = (value: string) => !controlCharacter.test(value);
const isText = (value: string) =>
  !controlCharacter.test(value.replaceAll(/[\n\t]/g, '')) && value.split('\n').length <= linesMax;
// A mail of blank lines alone would be rendered for seconds, and then be refused for its size.
const linesMax = 10_000;
const isPercent = (value: string) => /^(?:100|[1-9]?[0-9])$/.test(value);

// A format that nobody has registered passes everything: these must be known before any schema is compiled.
Format.Set('tidings-line', isLine);
Format.Set('tidings-text', isText);
Format.Set('tidings-link', isSafeLink);
Format.Set('tidings-percent', isPercent);

export type Values<Schema extends PropsSchema> =
  | { readonly ok: true; readonly props: PropsOf<Schema> }
  | { readonly ok: false; readonly code: ValueProblem; readonly sentence: string };
export type ValueProblem = 'missing_variable' | 'variable_too_long' | 'invalid_variable';

/** Reads the values of one template: made once, used for every mail. */
export function createValues<const Schema extends PropsSchema>(
  template: string,
  schema: Schema,
): (given: Readonly<Record<string, unknown>>) => Values<Schema> {
  const validator = Compile(schema);
  return (given) => {
    const props = tidied(schema, given);
    if (validator.Check(props)) return { ok: true, props: props as PropsOf<Schema> };
    return problemOf(template, validator.Errors(props)[1]);
  };
}

/**
 * What was given under a name that the template does not have: at the door most likely a slip, and a part of the mail that
 * nobody would miss until it is read.
 */
export function unknownVariable(
  template: string,
  schema: PropsSchema,
  given: Readonly<Record<string, unknown>>,
  path: readonly string[] = [],
): Problem | undefined {
  const known = Object.keys(schema.properties);
  for (const [name, value] of Object.entries(given)) {
    const own = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    if (!own) {
      const shown = JSON.stringify(placeOf([...path, name.length > 60 ? `${name.slice(0, 59)}…` : name]));
      const meant = nearest(name.slice(0, 40), known);
      const choice = `${meant ? ` Did you mean ${meant}?` : ''} There are: ${known.join(', ')}.`;
      const sentence = `The template ${template} has no variable ${shown}.${choice}`;
      return { ok: false, code: 'invalid_variable', sentence };
    }
    for (const [at, inner] of groupsOf(own, value)) {
      const unknown = unknownVariable(template, inner.schema, inner.given, [...path, name, ...at]);
      if (unknown) return unknown;
    }
  }
  return undefined;
}

/** The groups of variables in a value: the value itself, or the entries of a list, with their places in it. */
function groupsOf(schema: ValueSchema, value: unknown): [string[], Group][] {
  if (schema.type === 'string' || typeof value !== 'object' || value === null) return [];
  if (schema.type === 'object')
    return Array.isArray(value) ? [] : [[[], { schema, given: value as Group['given'] }]];
  const entries = Array.isArray(value) ? value.slice(0, schema.maxItems) : [];
  return entries.flatMap((entry, place) =>
    groupsOf(schema.items, entry).map(([, group]): [string[], Group] => [[String(place)], group]),
  );
}

interface Group {
  schema: PropsSchema;
  given: Readonly<Record<string, unknown>>;
}

/** Only what the schema names; what is blank is as good as not given. */
function tidied(schema: ValueSchema, value: unknown): unknown {
  if (schema.type === 'string') return typeof value === 'string' ? tidiedString(schema, value) : value;
  if (schema.type === 'array') {
    // Of a list that is too long no more is looked at than shows that it is.
    const isList = Array.isArray(value);
    return isList ? value.slice(0, schema.maxItems + 1).map((entry) => tidied(schema.items, entry)) : value;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const props: Record<string, unknown> = {};
  for (const name in schema.properties) {
    const inner = schema.properties[name];
    if (inner === undefined || !Object.hasOwn(value, name)) continue;
    const own = tidied(inner, (value as Record<string, unknown>)[name]);
    if (own !== undefined && own !== null && own !== '') props[name] = own;
  }
  return props;
}

function tidiedString(schema: WordsSchema | ChoiceSchema, value: string): string {
  const format = 'format' in schema ? schema.format : 'tidings-line';
  const charactersMax = 'format' in schema ? schema.maxLength : choiceCharactersMax;
  // No work is done on what is refused anyway. A character has at most two units.
  if (value.length > 2 * charactersMax || format === 'tidings-link') return value;
  const readable = value.replaceAll(superfluous, '');
  if (format !== 'tidings-text') return readable.trim();
  return readable
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/^\s*\n/, '')
    .trimEnd();
}

const choiceCharactersMax = 60; // Longer than any word that a template gives to choose from.

type Problem = Extract<Values<PropsSchema>, { ok: false }>;

/** The most telling of what is wrong: something that is not there, something too long, then whatever comes first. */
function problemOf(template: string, errors: readonly TValidationError[]): Problem {
  const weights = ['required', 'maxLength', 'maxItems'];
  const weight = ({ keyword }: TValidationError) => weights.indexOf(keyword) + 1 || weights.length + 1;
  const [error] = [...errors].sort((one, other) => weight(one) - weight(other));
  const path = error?.instancePath.split('/').slice(1) ?? [];
  if (error?.keyword === 'required') {
    const name = placeOf([...path, error.params.requiredProperties[0] ?? '']);
    const sentence = `The template ${template} needs the variable ${name}.`;
    return { ok: false, code: 'missing_variable', sentence };
  }
  const variable = `The variable ${placeOf(path)} of the template ${template}`;
  if (error?.keyword === 'maxLength') {
    const sentence = `${variable} is longer than ${error.params.limit} characters; shorten it.`;
    return { ok: false, code: 'variable_too_long', sentence };
  }
  if (error?.keyword === 'maxItems') {
    const sentence = `${variable} has more than ${error.params.limit} entries; leave some out.`;
    return { ok: false, code: 'variable_too_long', sentence };
  }
  return { ok: false, code: 'invalid_variable', sentence: `${variable} ${error ? mustOf(error) : ''}.` };
}

function mustOf(error: TValidationError): string {
  if (error.keyword === 'format') return formatSentences[error.params.format as Kind];
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`;
  if (error.keyword === 'type' && error.params.type === 'string') return 'must be a text';
  if (error.keyword === 'type' && error.params.type === 'array') return 'must be a list';
  return 'must be an object with variables of its own';
}

/** `topExpenses[0].name` */
function placeOf(path: readonly string[]): string {
  return path.map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`)).join('');
}

const formatSentences: Readonly<Record<Kind, string>> = {
  'tidings-line': 'holds a line break or another control character; remove it',
  'tidings-text': `holds a control character, half of a character, or more than ${linesMax} lines; clean or shorten it`,
  'tidings-link':
    'is no link that a mail may hold; give an http, https or mailto address without a password, percent-encoded',
  'tidings-percent': 'must be a whole number from 0 to 100',
};
