import type { ReactElement } from 'react';
import { type Framed, Place } from './frame.ts';
import { attributesOf, escaped, linkOf, unknown } from './write-attributes.ts';

/**
 * Writes down a tree of elements as React does, byte for byte, going through it once. Components are called with the values
 * themselves, so nothing is assumed of what they do with them; only of a frame, which promises to do nothing with them, the markup
 * is kept. What is known here is what mails are made of. Whatever else a tree holds, the answer is nothing, and the tree is
 * React's; so it is where a component throws, for it may work only within React.
 */
export function writeMarkup(element: ReactElement): string | undefined {
  try {
    return written(element, { parent: '', viewport: '', hoisted: '' });
  } catch {
    return undefined;
  }
}

/** Where in the tree; and of a head, what React moves to its beginning. */
interface Where {
  readonly parent: '' | 'html' | 'head' | 'body';
  viewport: string;
  hoisted: string;
}

const inBody: Where = Object.freeze({ parent: 'body', viewport: '', hoisted: '' });

function written(node: unknown, where: Where): string {
  if (typeof node === 'string') return escaped(node);
  if (node === null || node === undefined || typeof node === 'boolean') return '';
  if (typeof node === 'number') return String(node);
  if (Array.isArray(node)) {
    let markup = '';
    for (const one of node) markup += written(one, where);
    return markup;
  }
  if (node instanceof Place && where === inBody) return node.markFor('node');
  const { $$typeof, type, props } = node as TreeElement;
  if ($$typeof !== elementMark) throw unknown;
  if (typeof type === 'string') return elementOf(type, props, where);
  if (typeof type === 'function')
    return 'places' in type ? framed(type, props, where) : written(type(props), where);
  if (type === fragmentMark) return written(props.children, where);
  // The components of React Email are functions that pass on a ref; a mail has none.
  if (typeof type === 'symbol' || type.$$typeof !== forwardMark || props.ref !== undefined) throw unknown;
  return written(type.render(props, null), where);
}

type Props = Readonly<Record<string, unknown>>;
type Component = (props: Props) => unknown;
interface TreeElement {
  readonly $$typeof: symbol;
  readonly type: string | symbol | Component | (Component & Framed) | Forwarding;
  readonly props: Props;
}
interface Forwarding {
  readonly $$typeof: symbol;
  render(props: Props, ref: null): unknown;
}

const elementMark = Symbol.for('react.transitional.element');
const forwardMark = Symbol.for('react.forward_ref');
const fragmentMark = Symbol.for('react.fragment');

function elementOf(tag: string, props: Props, where: Where): string {
  const parent = parents.get(tag);
  if (parent === undefined || (parent !== 'body' && parent !== where.parent)) throw unknown;
  const opened = `<${tag}${attributesOf(tag, props)}`;
  if (tag === 'br' || tag === 'hr') return `${opened}/>`;
  if (tag === 'style') return `${opened}>${sheetOf(props.children)}</style>`;
  if (tag === 'meta' || tag === 'title') {
    const markup = tag === 'meta' ? `${opened}/>` : `${opened}>${titleOf(props.children)}</title>`;
    where[props.name === 'viewport' ? 'viewport' : 'hoisted'] += markup;
    return '';
  }
  const inner =
    tag === 'html' || tag === 'head' ? ({ parent: tag, viewport: '', hoisted: '' } as Where) : inBody;
  const content = contentOf(props, inner);
  // React gives every page a head.
  if (tag === 'html' && !content.startsWith('<head')) throw unknown;
  return `${opened}>${inner.viewport}${inner.hoisted}${content}</${tag}>`;
}

const inBodies = ['table', 'tbody', 'tr', 'td', 'th', 'p', 'h1', 'h2', 'ul', 'li', 'div', 'span', 'a', 'b'];
/** Where each element stands. React gives those of a head another meaning elsewhere. */
const parents: ReadonlyMap<string, Where['parent']> = new Map([
  ...[['html', ''] as const, ['head', 'html'] as const, ['body', 'html'] as const],
  ...['meta', 'title', 'style'].map((tag) => [tag, 'head'] as const),
  ...[...inBodies, 'code', 'br', 'hr'].map((tag) => [tag, 'body'] as const),
]);

/** A style sheet is not escaped. One that React would change is not known here. */
function sheetOf(children: unknown): string {
  if (typeof children !== 'string' || children.includes('<')) throw unknown;
  return children;
}

function titleOf(children: unknown): string {
  if (children instanceof Place) return children.markFor('text');
  if (typeof children !== 'string') throw unknown;
  return escaped(children);
}

function contentOf({ children, dangerouslySetInnerHTML: html }: Props, inner: Where): string {
  if (html === undefined) return written(children, inner);
  const { __html: own } = html as { __html: unknown };
  if (typeof own !== 'string' || children !== undefined) throw unknown;
  return own;
}

function framed(frame: Component & Framed, props: Props, where: Where): string {
  const parts = partsOf(frame, props, where);
  if (parts === null) return written(frame(props), where);
  let markup = parts[0] ?? '';
  for (let at = 1; at < parts.length; at += 3)
    markup += filled(parts[at], props[parts[at + 1] ?? '']) + parts[at + 2];
  return markup;
}

/** A text, then the kind of a place and its name, then a text, and so on. */
function partsOf(frame: Component & Framed, props: Props, where: Where): readonly string[] | null {
  const key = keyOf(frame, props, where);
  if (key === undefined) return null;
  const known = frame.parts.get(key);
  if (known !== undefined) return known;
  if (frame.parts.size === partsMax) return null;
  const parts = splitMarkup(frame, props, where);
  frame.parts.set(key, parts);
  return parts;
}

const partsMax = 200; // Of one frame. Most have one or two, and a bar has one for each of its lengths.

/** All that decides about the markup of a frame; undefined where something else than words might. */
function keyOf({ places }: Framed, props: Props, { parent }: Where): string | undefined {
  let key: string = parent;
  for (const name in props) {
    const value = props[name];
    if (value === undefined) continue;
    key += `\0${name}`;
    if (places.has(name) && canBePlaced(value)) continue;
    if (typeof value !== 'boolean' && (typeof value !== 'string' || value.includes('\0'))) return undefined;
    key += `=${typeof value}:${value}`;
  }
  return key;
}

/** What is empty decides about the markup instead: a frame may ask whether there is anything. */
function canBePlaced(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;
}

/** Null where a frame does not keep its promise, or where its markup is not in one piece, as that of a part of a head. */
function splitMarkup(frame: Component & Framed, props: Props, where: Where): readonly string[] | null {
  const open: Record<string, unknown> = { ...props };
  for (const name in props)
    if (frame.places.has(name) && canBePlaced(props[name])) open[name] = new Place(name);
  const apart = { ...where, viewport: '', hoisted: '' };
  try {
    const markup = written(frame(open), where === inBody ? inBody : apart);
    return apart.viewport + apart.hoisted === '' ? markup.split(Place.marks) : null;
  } catch {
    return null;
  }
}

function filled(kind: string | undefined, value: unknown): string {
  if (kind === 'node') return written(value, inBody);
  return kind === 'link' ? linkOf(value) : titleOf(value);
}
