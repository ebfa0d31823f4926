import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { Rendered, RenderOrder } from '../../src/emails/render.ts';
import { readTemplate, render, templateNames } from '../../src/emails/render.ts';
import type { Template } from '../../src/emails/template.ts';
import type { PropsSchema } from '../../src/emails/values.ts';

/** All of them: a new one is tried like the others as soon as it can be rendered. */
export const templates: readonly Template[] = await Promise.all(
  templateNames.map(async (name) => {
    const template = await readTemplate(name);
    if (!template) throw new Error(`the template ${name} is not there`);
    return template;
  }),
);

export type Mail = Extract<Rendered, { ok: true }>;

export async function mailOf(order: RenderOrder): Promise<Mail> {
  const rendered = await render(order);
  if (!rendered.ok) throw new Error(rendered.sentence);
  return rendered;
}

/** The sample in which the most of a template shows. */
export function fullest({ samples }: Template): Readonly<Record<string, unknown>> {
  const all = Object.values(samples) as Record<string, unknown>[];
  return all.reduce((most, one) => (Object.keys(one).length > Object.keys(most).length ? one : most), {});
}

export interface Variable {
  path: readonly string[];
  /** `choice` where it is one of a few words. */
  format: string;
  choices: readonly string[];
  charactersMax: number;
}

/** What people write, and may be anything; the others are links, and what only programs write. */
const isWords = ({ format }: Variable) => ['tidings-line', 'tidings-text'].includes(format);

/** What is said there as it is; what is longer than its place is refused. */
export const mayBeSaid = (variable: Variable, value: string) =>
  isWords(variable) && [...value].length <= variable.charactersMax;

/** Something harmless for its place. */
export function tameFor({ format, choices }: Variable): string {
  if (format === 'tidings-link') return 'https://a.example/';
  return choices[0] ?? (format === 'tidings-percent' ? '100' : 'Tame');
}

/** Every place of a template into which a stranger's words can come; of a list, those of its first entry. */
export function variablesOf({ properties }: PropsSchema, above: readonly string[] = []): Variable[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...above, name];
    if (schema.type === 'object') return variablesOf(schema, path);
    if (schema.type === 'array') return variablesOf(schema.items, [...path, '0']);
    return 'enum' in schema
      ? [{ path, format: 'choice', choices: schema.enum, charactersMax: 0 }]
      : [{ path, format: schema.format, choices: [], charactersMax: schema.maxLength }];
  });
}

/** The same with another value in one place. What leads there and is not there yet is made: a list where its step is a number. */
export function withValue<Within>(
  props: Within,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Within {
  const [next = ''] = rest;
  const room = /^\d+$/.test(next) ? [] : {};
  const inner = (props as Record<string, unknown>)[name] ?? room;
  const changed = rest.length === 0 ? value : withValue(inner, rest, value);
  if (Array.isArray(props)) return Object.assign([...props], { [name]: changed }) as Within;
  return { ...props, [name]: changed };
}

export interface Element {
  tag: string;
  attributes: Readonly<Record<string, string>>;
}

/** The html as a browser understands it: what is an element, and what is only text. */
export interface Page {
  elements: Element[];
  texts: string[];
}

export function pageOf(html: string): Page {
  const page: Page = { elements: [], texts: [] };
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      // Without a prototype: there is no name that an attribute may not have.
      const attributes: Record<string, string> = Object.create(null);
      for (const { name, value } of node.attrs) attributes[name] = value;
      page.elements.push({ tag: node.tagName, attributes });
    }
    if ('value' in node) page.texts.push(node.value);
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return page;
}
