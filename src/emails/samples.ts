import { nearest } from '../std/nearest.ts';
import { Refusal } from '../std/refusal.ts';
import { readTemplate, templateNames } from './render.ts';
import type { Template } from './template.ts';
import type { Locale } from './words.ts';

/** Templates and their samples by the names that people call them: for previews and test mails. */

/** As spec 002 writes a template's name: `newsletter_entity`. */
export const idOf = (name: string) => name.replaceAll('-', '_');

/** By either spelling. */
export async function requireTemplate(asked: string): Promise<Template> {
  const template = await readTemplate(asked.replaceAll('_', '-'));
  if (template) return template;
  throw new Refusal(
    'missing_template',
    `There is no template ${quoted(asked)}.${choice(asked, templateNames)}`,
  );
}

type Props = Readonly<Record<string, unknown>>;

/** A template's samples for a reader of that language: `ro-monthly` is `monthly` in Romanian, and not there in English. */
export function samplesIn(
  { samples, locales }: Pick<Template, 'samples' | 'locales'>,
  locale: Locale,
): Map<string, Props> {
  const found = new Map<string, Props>();
  for (const [name, props] of Object.entries(samples)) {
    const own = locales.find((one) => name.startsWith(`${one}-`));
    if (own === undefined) found.set(name, props);
    else if (own === locale) found.set(name.slice(own.length + 1), props);
  }
  return found;
}

/** The first where none is named. */
export function requireSample(template: Template, locale: Locale, asked?: string): Props {
  const samples = samplesIn(template, locale);
  const names = [...samples.keys()];
  const found = samples.get(asked ?? names[0] ?? '');
  if (found) return found;
  const sentence = `The template ${template.name} has no sample ${quoted(asked ?? '')}.`;
  throw new Refusal('missing_sample', `${sentence}${choice(asked ?? '', names)}`);
}

/** The line above a mail that says that it is one, for a template that has it. */
export function asPreview({ schema }: Template, props: Props): Props {
  return Object.hasOwn(schema.properties, 'isPreview') ? { ...props, isPreview: 'true' } : props;
}

function choice(asked: string, names: readonly string[]): string {
  const meant = nearest(asked.slice(0, 40), [...names]);
  return `${meant ? ` Did you mean ${meant}?` : ''} There are: ${names.join(', ')}.`;
}

const quoted = (text: string) => JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
