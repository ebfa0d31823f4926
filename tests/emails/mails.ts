import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import type { Rendered, RenderOrder } from '../../src/emails/render.ts';
import { render } from '../../src/emails/render.ts';
import type { Template } from '../../src/emails/template.ts';
import { openSeat } from '../../src/emails/templates/open-seat.tsx';
import { plain } from '../../src/emails/templates/plain.tsx';
import { verification } from '../../src/emails/templates/verification.tsx';
import { watchLink } from '../../src/emails/templates/watch-link.tsx';
import type { PropsSchema } from '../../src/emails/values.ts';

/** All of them: a new one is tested like the others as soon as it stands here. */
export const templates: readonly Template[] = [plain, openSeat, verification, watchLink];

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
  format: string;
}

/** Every place of a template into which a stranger's words can come. */
export function variablesOf({ properties }: PropsSchema, above: readonly string[] = []): Variable[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = [...above, name];
    return schema.type === 'object' ? variablesOf(schema, path) : [{ path, format: schema.format }];
  });
}

export function withValue(
  props: Readonly<Record<string, unknown>>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (rest.length === 0) return { ...props, [name]: value };
  return { ...props, [name]: withValue(props[name] as Record<string, unknown>, rest, value) };
}

export interface Element {
  tag: string;
  attributes: Readonly<Record<string, string>>;
}

/** The html as a browser understands it: what is an element, and what is only text. */
export function pageOf(html: string): { elements: Element[]; texts: string[] } {
  const page = { elements: [] as Element[], texts: [] as string[] };
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      page.elements.push({ tag: node.tagName, attributes });
    }
    if ('value' in node) page.texts.push(node.value);
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(html));
  return page;
}
