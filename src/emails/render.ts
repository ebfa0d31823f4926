import type { Markup } from './markup.ts';
import type { Template } from './template.ts';
import type { unknownVariable, ValueProblem } from './values.ts';
import { localeFor, words } from './words.ts';

/**
 * Templates: from named props to subject, html and text, once per round; the result is frozen with its mail and never rendered
 * again. The same props give the same bytes. Values from outside are checked and escaped in this folder and nowhere else; what
 * is wrong with them is an answer. It throws only where the program itself cannot be loaded, which says nothing about the mail.
 */
export type Rendered =
  | {
      readonly ok: true;
      readonly subject: string;
      readonly html: string;
      readonly text: string;
      readonly templateName: string;
      readonly templateVersion: string;
    }
  | { readonly ok: false; readonly code: RenderProblem; readonly sentence: string };

type RenderProblem = 'missing_template' | 'missing_locale' | ValueProblem | 'template_failed';

export interface RenderOrder {
  template: string;
  /** 000-85: the one that was asked for, and no other; without it, the one that there is. */
  version?: string;
  /** Null for whoever has not chosen a language. */
  locale: string | null;
  props: Readonly<Record<string, unknown>>;
  /** The way out of the mail, for the template that is given none of its own. */
  unsubscribeUrl?: string;
}

const templates: ReadonlyMap<string, () => Promise<Template>> = new Map<string, () => Promise<Template>>([
  ['plain', async () => (await import('./templates/plain.tsx')).plain],
  ['open-seat', async () => (await import('./templates/open-seat.tsx')).openSeat],
  ['verification', async () => (await import('./templates/verification.tsx')).verification],
  ['watch-link', async () => (await import('./templates/watch-link.tsx')).watchLink],
  ['newsletter-entity', async () => (await import('./templates/newsletter-entity.tsx')).newsletterEntity],
  ['alert-series', async () => (await import('./templates/alert-series.tsx')).alertSeries],
  ['review-ready', async () => (await import('./templates/review-ready.tsx')).reviewReady],
]);

/** What was accepted by another version may hold variables that this one does not know: only the door refuses them. */
export async function render(
  { template: name, version, locale, props, unsubscribeUrl }: RenderOrder,
  unknownVariables: 'ignored' | 'refused' = 'ignored',
): Promise<Rendered> {
  const read = templates.get(name);
  if (!read) return problem('missing_template', `There is no template named ${quoted(name)}.`);
  const { template, markup, unknownIn } = loaded.get(name) ?? (await load(name, read));
  if (version !== undefined && version !== template.version) {
    const there = `The template ${name} is there in the version ${template.version}`;
    return problem('missing_template', `${there}, and not in ${quoted(version)}.`);
  }
  const language = localeFor(locale, template.locales);
  if (!language) {
    const written = `The template ${name} is written in ${template.locales.join(', ')}`;
    return problem('missing_locale', `${written}, and not in ${quoted(locale ?? '')}.`);
  }
  try {
    const unknown = unknownVariables === 'refused' && unknownIn(name, template.schema, props);
    if (unknown) return unknown;
    const values = template.read(unsubscribeUrl === undefined ? props : { unsubscribeUrl, ...props });
    if (!values.ok) return values;
    const said = words[language];
    return {
      ok: true,
      subject: template.subject(values.props, said),
      html: `<!DOCTYPE html>${markup.of(template.html(values.props, said))}`,
      text: template.text(values.props, said),
      templateName: name,
      templateVersion: template.version,
    };
  } catch (error) {
    return problem('template_failed', `The template ${name} threw: ${String(error)}`);
  }
}

interface Loaded {
  template: Template;
  markup: Markup;
  unknownIn: typeof unknownVariable;
}

/** Kept here, so that all mails but the first are made without waiting for anything. */
const loaded = new Map<string, Loaded>();

/** All of it now: a server whose files are replaced under it, by a build or an update, goes on with what it has. */
export async function loadTemplates(): Promise<void> {
  for (const [name, read] of templates) if (!loaded.has(name)) await load(name, read);
}

export const templateNames: readonly string[] = [...templates.keys()];

/** For previews; whoever sends asks for a mail by name. */
export async function readTemplate(name: string): Promise<Template | undefined> {
  const read = templates.get(name);
  return read && (loaded.get(name) ?? (await load(name, read))).template;
}

/** When the first mail is made: who only lists deliveries waits neither for React nor for schemas. */
async function load(name: string, read: () => Promise<Template>): Promise<Loaded> {
  const [template, { createMarkup }, { unknownVariable: unknownIn }] = await Promise.all([
    read(),
    import('./markup.ts'),
    import('./values.ts'),
  ]);
  const parts = { template, markup: createMarkup(), unknownIn };
  loaded.set(name, parts);
  return parts;
}

function problem(code: RenderProblem, sentence: string): Rendered {
  return { ok: false, code, sentence };
}

/** What somebody sent, short enough and in one line, for a sentence that is stored and shown. */
function quoted(value: string): string {
  return JSON.stringify(value.length > 80 ? `${value.slice(0, 79)}…` : value);
}
