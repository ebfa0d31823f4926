import { parseAddress } from '../domain/address.ts';
import { everySource, suppressionReasonNames } from '../domain/suppression.ts';
import type { SuppressionEntry } from './suppressions.ts';

/** One line of somebody's list, as it was found. */
export interface FoundEntry {
  address?: unknown;
  scope?: unknown;
  reason?: unknown;
  note?: unknown;
  liftedAt?: unknown;
}

export type ReadEntry =
  | { entry: SuppressionEntry }
  /** Never quotes what was found: it ends up in logs, and addresses stay out of those. */
  | { problem: string }
  /** A line of our own export that holds no more. */
  | { isLifted: true };

/** What somebody else's list must be to become part of ours. What is left out is `*` and `imported`. */
export function readEntry(found: FoundEntry, sources: readonly string[]): ReadEntry {
  if (!isLeftOut(found.liftedAt)) return { isLifted: true };
  const parsed = parseAddress(found.address);
  if (!parsed.ok) return { problem: parsed.sentence };
  const scopes = [everySource, ...sources];
  const scope = scopes.find((one) => one === orElse(found.scope, everySource));
  if (scope === undefined) {
    return { problem: `There is no source of that name; the scope is one of ${scopes.join(', ')}.` };
  }
  const given = orElse(found.reason, 'imported');
  const reason = suppressionReasonNames.find((one) => one === given) ?? 'imported';
  // What mail services give as a reason, a word of their own or a server's sentence, is kept as they wrote it.
  const note = orElse(found.note, reason === given ? null : cut(given));
  if (note !== null && !isNote(note)) {
    return {
      problem: `The note is no text, is longer than ${noteLengthMax} characters, or has broken ones.`,
    };
  }
  return { entry: { address: parsed.address, scope, reason, note } };
}

const noteLengthMax = 500;

const cut = (reason: unknown) =>
  typeof reason === 'string' ? reason.slice(0, noteLengthMax).toWellFormed().replaceAll('\0', '') : reason;

/** PostgreSQL stores no NUL, and neither database half of a character. */
const isNote = (note: unknown): note is string =>
  typeof note === 'string' && note.length <= noteLengthMax && !/[\0\p{Cs}]/u.test(note);

const isLeftOut = (value: unknown) => value === undefined || value === null || value === '';
const orElse = <Otherwise>(value: unknown, otherwise: Otherwise) => (isLeftOut(value) ? otherwise : value);
