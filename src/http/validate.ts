import type { TSchema } from 'typebox';
import type { TValidationError } from 'typebox/error';
import { Format } from 'typebox/format';
import { Compile } from 'typebox/schema';
import { nearest } from '../std/nearest.ts';
import { Refusal } from '../std/refusal.ts';
import type { RefusalCode } from '../std/refusals.ts';
import { otherNames, patternSentences } from './schemas.ts';

/**
 * Checks what was sent against a schema. Nothing is coerced and nothing is dropped: an unknown name or a wrong type is refused
 * with a sentence for each, in which the names stand and never the values, because those may be secrets.
 */
export type Part = 'body' | 'query' | 'address';

export interface Problem {
  /** Which intent of a batch, from 0. */
  index?: number;
  field: string;
  problem: string;
}

// A leap second and a zone's name in brackets are written as RFC 3339 and 9557 have it, and no number for us: what passes here is stored.
Format.Set('date-time', (text) => Format.IsDateTime(text) && !Number.isNaN(Date.parse(text)));

/** The second argument says where in the body the value stands, if it is not the whole of it. */
type Validator = (given: unknown, at?: readonly string[]) => unknown;

export function createValidator(schema: TSchema, part: Part): Validator {
  const variants = ((schema as { anyOf?: Shape[] }).anyOf ?? [schema as Shape]).map((shape) => ({
    shape,
    // Variants are told apart by the first name that each requires; the last is for everything else.
    mark: shape.required?.[0] ?? '',
    validator: compiledOnce(shape),
  }));
  return (given, at = []) => {
    if (given === undefined || given === null) {
      if (part === 'body' && at.length === 0)
        throw new Refusal(
          'body_missing',
          'The body is missing: send JSON, with content-type application/json.',
        );
    }
    const isObject = typeof given === 'object' && given !== null;
    const variant = variants.find(({ mark }) => isObject && Object.hasOwn(given, mark)) ?? variants.at(-1);
    if (!variant) throw new Error('a schema without variants');
    const value = part === 'body' ? given : readTexts(variant.shape, given);
    const validator = variant.validator();
    if (validator.Check(value)) return value;
    const [, errors] = validator.Errors(value);
    // A misspelt name explains what is missing, so it comes first.
    const ordered = [...errors.filter(isUnknown), ...errors.filter((error) => !isUnknown(error))];
    throw refusalOf(ordered.flatMap((error) => problemsOf(error, variant.shape, part, at)));
  };
}

/** For the first who asks: a server has a hundred of them, and most are never asked. */
function compiledOnce(shape: Shape) {
  let compiled: ReturnType<typeof Compile> | undefined;
  return () => {
    compiled ??= Compile(shape as TSchema);
    return compiled;
  };
}

const problemsShownMax = 20;

export function refusalOf(problems: readonly Problem[], code: RefusalCode = 'invalid_request'): Refusal {
  const [first] = problems;
  const more = problems.length - 1;
  const sentence = `${first?.problem ?? 'Something is not as it must be.'}${more > 0 ? ` And ${more} more: see details.` : ''}`;
  return new Refusal(code, sentence, { problems: problems.slice(0, problemsShownMax) });
}

interface Shape {
  type?: string;
  required?: readonly string[];
  properties?: Readonly<Record<string, Shape>>;
}

/** An address and its query hold nothing but texts; those that stand for numbers and lists become them. */
function readTexts({ properties = {} }: Shape, given: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given as Record<string, unknown>).map(([name, value]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined;
      if (type === 'array') return [name, Array.isArray(value) ? value : [value]];
      if (type === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value))
        return [name, Number(value)];
      return [name, value];
    }),
  );
}

/**
 * A name that is not there. Each is told by itself first, and then all of them once more; but only so many errors are told, and of many
 * unknown names the last word would be missing.
 */
const isUnknown = ({ keyword, schemaPath }: TValidationError) =>
  keyword === 'boolean' && schemaPath.endsWith('/additionalProperties');

function problemsOf(error: TValidationError, shape: Shape, part: Part, at: readonly string[]): Problem[] {
  const steps = error.instancePath.split('/').slice(1);
  const path = [...at, ...steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))];
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => {
      const place = placeOf([...path, name], part);
      return { ...place.at, problem: `${place.name} is missing.` };
    });
  }
  if (isUnknown(error)) {
    const inner = path.slice(0, -1);
    const name = path.at(-1) ?? '';
    const known = Object.keys(schemaAt(shape, error.schemaPath.replace(/\/[^/]*$/, '')).properties ?? {});
    const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined;
    const meant = other && known.includes(other) ? other : nearest(name.slice(0, 40), known);
    const choice = known.length === 0 ? 'None is taken here.' : `There are: ${known.join(', ')}.`;
    const inside = inner.length === 0 ? '' : ` in ${placeOf(inner, part).name}`;
    return [
      {
        ...placeOf([...inner, shown(name)], part).at,
        problem: `There is no ${part === 'query' ? 'parameter' : 'field'} ${JSON.stringify(shown(name))}${inside}. ${meant ? `Did you mean ${meant}?` : choice}`,
      },
    ];
  }
  const must = mustOf(error);
  const place = placeOf(path, part);
  return must === null ? [] : [{ ...place.at, problem: `${place.name} ${must}.` }];
}

const shown = (name: string) => (name.length > 60 ? `${name.slice(0, 59)}…` : name);

/** `intents[3].to`, and the same for programs. */
function placeOf(path: readonly string[], part: Part) {
  const whole = part === 'body' ? 'The body' : part === 'query' ? 'The query' : 'The address';
  const name = path
    .map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`))
    .join('');
  const [list, index, ...rest] = path;
  const isInBatch = list === 'intents' && index !== undefined && /^\d+$/.test(index);
  return {
    name: name === '' ? whole : name,
    at: isInBatch ? { index: Number(index), field: rest.join('.') } : { field: name },
  };
}

function schemaAt(shape: Shape, path: string): Shape {
  const steps = path.split('/').slice(1);
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], shape) as Shape;
}

const types: Readonly<Record<string, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const formatSentences: Readonly<Record<string, string>> = {
  'date-time': 'must be a time with its zone, like 2026-07-01T09:30:00Z',
  uuid: 'must be an id such as 6b1f0c3e-4f0a-4d57-9d0f-0c2f4e9a1b22',
};

/** Null for what another error says better. */
function mustOf({ keyword, params }: TValidationError): string | null {
  const { limit } = params as { limit?: number };
  switch (keyword) {
    case 'boolean':
    case 'additionalProperties':
    case 'anyOf':
      return null;
    case 'type':
      return `must be ${types[String((params as { type: unknown }).type)] ?? 'of another type'}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minItems':
      return `must have at least ${limit === 1 ? 'one entry' : `${limit} entries`}`;
    case 'maxItems':
      return `must have at most ${limit} entries`;
    case 'enum':
      return `must be one of ${(params as { allowedValues: unknown[] }).allowedValues.join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify((params as { allowedValue: unknown }).allowedValue)}`;
    case 'format':
      return formatSentences[(params as { format: string }).format] ?? 'is not written as it must be';
    case 'pattern':
      return (
        patternSentences[String((params as { pattern: unknown }).pattern)] ??
        'has characters that it may not have'
      );
    default:
      return 'is not what it must be';
  }
}
