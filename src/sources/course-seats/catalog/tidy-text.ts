/**
 * Texts of the catalog, which strangers have written, as they may stand in a row, a page and a mail: one line, no signs that steer
 * anything, of a length that has an end. What is no text is none.
 */
export function tidyText(value: unknown, charactersMax: number): string | null {
  const given = typeof value === 'number' ? String(value) : value;
  if (typeof given !== 'string') return null;
  // Cut before it is looked through as well: a field may be as long as its course.
  const text = given
    .slice(0, 4 * charactersMax)
    .toWellFormed()
    .replace(unwanted, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? null : shortened(text, charactersMax);
}

/** Controls, NUL among them, which PostgreSQL refuses; line separators; and what turns the writing direction. */
const unwanted = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

function shortened(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  // Not through the middle of a sign of two.
  const cut = text.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, '');
  return `${cut.trimEnd()}…`;
}

/** The entries of what should be a list of objects. */
export function objectsIn(value: unknown, entriesMax: number): Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isObject).slice(0, entriesMax);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Several texts as one; what is missing or said already is left out. */
export function joined(
  texts: readonly (string | null)[],
  separator: string,
  charactersMax: number,
): string | null {
  const said = new Set(texts.filter((text): text is string => text !== null));
  return said.size === 0 ? null : shortened([...said].join(separator), charactersMax);
}
