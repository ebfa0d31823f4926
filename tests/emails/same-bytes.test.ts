import fc from 'fast-check';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { createMarkup } from '../../src/emails/markup.ts';
import { render } from '../../src/emails/render.ts';
import type { PropsSchema } from '../../src/emails/values.ts';
import { words as wordsIn } from '../../src/emails/words.ts';
import { patience, runs } from '../fuzz/runs.ts';
import { templates } from './mails.ts';

/** A mail must not depend on who wrote its markup down: all parts of every template, in all languages, with hostile words. */
type ValueSchema = PropsSchema['properties'][string];

const scraps = [
  ...['<script>', '</title>', '</style>', '<!--', '-->', '"', "'", '&', '&amp;', '&#x27;', '<', '>', '</p>'],
  ...['TBA', 'NB', 'ONLINE_NK', 'constructor', '__proto__', '0', '1', 'true', 'undefined', '=?', '$&', '{x}'],
  ...['node children', 'link url', 'text title', '\u00a0\u200c', ' ', '漢字', 'word', 'a'.repeat(130)],
];
const some = fc.oneof(fc.constantFrom(...scraps), fc.string({ unit: 'grapheme', maxLength: 4 }));
const line = fc
  .oneof(
    fc.constantFrom(...scraps),
    fc.array(some, { minLength: 1, maxLength: 4 }).map((all) => all.join('')),
  )
  .map((own) => own.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, ''));
const text = fc
  .array(fc.oneof(line, fc.constantFrom('\n', '\n\n', '\n \t\n', '\r\n', '\n\n\n')), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const link = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom("HTTP://a.example/?q='&lt;", 'https://a.example/?a&b=c&amp;d', 'mailto:a+b@example.org'),
);

function valueFor(schema: ValueSchema): fc.Arbitrary<unknown> {
  if (schema.type === 'object') return propsOf(schema);
  if (schema.type === 'array') return fc.array(propsOf(schema.items), { maxLength: schema.maxItems });
  if ('enum' in schema) return fc.constantFrom(...schema.enum);
  if (schema.format === 'tidings-percent') return fc.integer({ min: 0, max: 100 }).map(String);
  if (schema.format === 'tidings-link') return link;
  const words = schema.format === 'tidings-text' ? text : line;
  // What is blank is as good as not given, and is tried by leaving it out.
  return words.map((own) => (own.trim() === '' ? 'x' : [...own].slice(0, schema.maxLength).join('')));
}

/** Each of those that may be missing is there in every other mail. */
function propsOf({ required, properties }: PropsSchema): fc.Arbitrary<Record<string, unknown>> {
  const values = Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)] as const);
  return fc.record(Object.fromEntries(values), { requiredKeys: [...required] });
}

describe.each(templates.map((template) => [template.name, template] as const))('%s', (name, template) => {
  it('is written down as React does it, byte for byte, whatever its values are', patience, async () => {
    const orders = fc.record({
      props: propsOf(template.schema),
      locale: fc.constantFrom(...template.locales),
    });
    const markup = createMarkup();
    await fc.assert(
      fc.asyncProperty(orders, async ({ props, locale }) => {
        const values = template.read(props);
        if (!values.ok) return;
        const element = template.html(values.props, wordsIn[locale]);
        const byReact = renderToStaticMarkup(element);
        expect(markup.of(element)).toBe(byReact);
        const mail = await render({ template: name, locale, props });
        expect(mail).toMatchObject({ ok: true, html: `<!DOCTYPE html>${byReact}` });
      }),
      runs(300),
    );
    // Without this it would pass if React wrote them all.
    expect(markup.byReact).toBe(0);
    expect(markup.made).toBeGreaterThan(200);
  });
});
