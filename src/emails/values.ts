import type { TValidationError } from 'typebox/error';
import Format from 'typebox/format';
import { Compile, type XStatic } from 'typebox/schema';
import { nearest } from '../std/nearest.ts';
import { isSafeLink, linkCharactersMax } from './link.ts';

/**
 * The values that a template is given: what it names in its schema, tidied and checked, and nothing else. What may come from
 * strangers is one of three kinds. Escaping is left to React, which does it for every text and attribute; what escaping cannot
 * mend (a `javascript:` link, a line break in a subject, a text that turns round what follows) is dealt with here.
 */
export interface PropsSchema {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, ValueSchema>>;
}
type ValueSchema =
  | PropsSchema
  | { readonly type: 'string'; readonly format: Kind; readonly maxLength: number };
type Kind = 'tidings-line' | 'tidings-text' | 'tidings-link';

export type PropsOf<Schema extends PropsSchema> = XStatic<Schema>;

/** One line: subjects, headings, labels. */
export const line = <const Max extends number>(charactersMax: Max) =>
  ({ type: 'string', format: 'tidings-line', maxLength: charactersMax }) as const;

/** Paragraphs, with line breaks. */
export const text = <const Max extends number>(charactersMax: Max) =>
  ({ type: 'string', format: 'tidings-text', maxLength: charactersMax }) as const;

export const link = { type: 'string', format: 'tidings-link', maxLength: linkCharactersMax } as const;

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

// A format that nobody has registered passes everything: these three must be known before any schema is compiled.
Format.Set('tidings-line', isLine);
Format.Set('tidings-text', isText);
Format.Set('tidings-link', isSafeLink);

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
      const shown = JSON.stringify([...path, name.length > 60 ? `${name.slice(0, 59)}…` : name].join('.'));
      const meant = nearest(name.slice(0, 40), known);
      const choice = `${meant ? ` Did you mean ${meant}?` : ''} There are: ${known.join(', ')}.`;
      const sentence = `The template ${template} has no variable ${shown}.${choice}`;
      return { ok: false, code: 'invalid_variable', sentence };
    }
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const inner =
      own.type === 'object' && isObject
        ? unknownVariable(template, own, value as Record<string, unknown>, [...path, name])
        : undefined;
    if (inner) return inner;
  }
  return undefined;
}

/** Only what the schema names; what is blank is as good as not given. */
function tidied(schema: ValueSchema, value: unknown): unknown {
  if (schema.type === 'string') return typeof value === 'string' ? tidiedString(schema, value) : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(schema.properties).flatMap(([name, inner]) => {
    const own = Object.hasOwn(value, name)
      ? tidied(inner, (value as Record<string, unknown>)[name])
      : undefined;
    const isGiven = own !== undefined && own !== null && own !== '';
    return isGiven ? [[name, own] as const] : [];
  });
  return Object.fromEntries(entries);
}

function tidiedString({ format, maxLength }: { format: Kind; maxLength: number }, value: string): string {
  // No work is done on what is refused anyway. A character has at most two units.
  if (value.length > 2 * maxLength || format === 'tidings-link') return value;
  const readable = value.replaceAll(superfluous, '');
  if (format === 'tidings-line') return readable.trim();
  return readable
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/^\s*\n/, '')
    .trimEnd();
}

type Problem = Extract<Values<PropsSchema>, { ok: false }>;

/** The most telling of what is wrong: something that is not there, something too long, then whatever comes first. */
function problemOf(template: string, errors: readonly TValidationError[]): Problem {
  const weight = ({ keyword }: TValidationError) => ['required', 'maxLength'].indexOf(keyword) + 1 || 3;
  const [error] = [...errors].sort((one, other) => weight(one) - weight(other));
  const path = error?.instancePath.split('/').slice(1) ?? [];
  if (error?.keyword === 'required') {
    const name = [...path, error.params.requiredProperties[0]].join('.');
    const sentence = `The template ${template} needs the variable ${name}.`;
    return { ok: false, code: 'missing_variable', sentence };
  }
  const variable = `The variable ${path.join('.')} of the template ${template}`;
  if (error?.keyword === 'maxLength') {
    const sentence = `${variable} is longer than ${error.params.limit} characters; shorten it.`;
    return { ok: false, code: 'variable_too_long', sentence };
  }
  const reason =
    error?.keyword === 'format'
      ? formatSentences[error.params.format as Kind]
      : error?.keyword === 'type' && error.params.type === 'string'
        ? 'must be a text'
        : 'must be an object with variables of its own';
  return { ok: false, code: 'invalid_variable', sentence: `${variable} ${reason}.` };
}

const formatSentences: Readonly<Record<Kind, string>> = {
  'tidings-line': 'holds a line break or another control character; remove it',
  'tidings-text': `holds a control character, half of a character, or more than ${linesMax} lines; clean or shorten it`,
  'tidings-link':
    'is no link that a mail may hold; give an http, https or mailto address without a password, percent-encoded',
};
