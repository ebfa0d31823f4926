import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Place } from './frame.ts';

/** The attributes of an element as React writes them. */
export function attributesOf(tag: string, props: Readonly<Record<string, unknown>>): string {
  let markup = '';
  for (const name in props) {
    const value = props[name];
    if (value === undefined || value === null || contents.has(name)) continue;
    markup += name === 'style' ? styleOf(value as object) : attributeOf(tag, name, value);
  }
  return markup;
}

const contents: ReadonlySet<string> = new Set(['children', 'dangerouslySetInnerHTML']);

/** Thrown where only React knows how to write something. */
export const unknown = new Error('Only React knows how to write this.');

function attributeOf(tag: string, name: string, value: unknown): string {
  // A link of another element is no link to follow.
  if (name === 'href' && tag === 'a') return ` href="${linkOf(value)}"`;
  const own = attributes.get(name);
  if (own === undefined || (typeof value !== 'string' && typeof value !== 'number')) throw unknown;
  return ` ${own}="${escaped(String(value))}"`;
}

/** React looks into links for scripts; what begins like this is none. */
export function linkOf(value: unknown): string {
  if (value instanceof Place) return value.markFor('link');
  if (typeof value !== 'string' || !/^(?:https?|mailto):/i.test(value)) throw unknown;
  return escaped(value);
}

const asTheyAre = [
  ...['align', 'width', 'height', 'border', 'cellPadding', 'cellSpacing', 'scope', 'role', 'aria-label'],
  ...['aria-hidden', 'target', 'dir', 'lang', 'name', 'content'],
];
/** By their names in React. Of none does the meaning depend on its value. */
const attributes: ReadonlyMap<string, string> = new Map([
  ['className', 'class'],
  ['httpEquiv', 'http-equiv'],
  ...asTheyAre.map((name) => [name, name] as const),
]);

/** React is asked: it spells names in another way, and gives some numbers a unit. In a frame that is once for all mails. */
function styleOf(style: object): string {
  const markup = renderToStaticMarkup(createElement('i', { style }));
  const own = /^<i( style="[^"]*")?><\/i>$/.exec(markup);
  if (own === null) throw unknown;
  return own[1] ?? '';
}

/** For a text and for an attribute alike, as React does it. */
export function escaped(text: string): string {
  return special.test(text) ? text.replace(specials, (sign) => entities.get(sign) ?? sign) : text;
}

const special = /["&'<>]/;
const specials = /["&'<>]/g;
const entities: ReadonlyMap<string, string> = new Map([
  ...[['"', '&quot;'] as const, ['&', '&amp;'] as const, ["'", '&#x27;'] as const],
  ...[['<', '&lt;'] as const, ['>', '&gt;'] as const],
]);
