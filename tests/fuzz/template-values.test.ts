import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { checkMail } from '../../src/domain/message.ts';
import { render } from '../../src/emails/render.ts';
import { writeLetter } from '../../src/providers/smtp-letter.ts';
import {
  mailOf,
  pageOf,
  tameFor,
  templates,
  type Variable,
  variablesOf,
  withValue,
} from '../emails/mails.ts';
import { mailTo } from '../support/mails.ts';
import { hostileSigns, patience, runs } from './runs.ts';

/** One hostile value at a time is tried beside the templates; here all variables are, in all languages, up to the letter. */
const scraps = [
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '</title><b>',
    '<!--',
    '-->',
    ']]>',
    '<style>',
    '</p>',
  ],
  ...[
    '" onload="x',
    "' style='x",
    '&lt;',
    '&#60;',
    '&amp;#60;b&amp;#62;',
    'javascript:alert(1)',
    'https://a.example/?q=<b>',
  ],
  ...[
    '\r\nBcc: eve@example.org',
    '\n\n',
    '\n.\n',
    '\u202egro',
    '=?utf-8?q?x?=',
    'word',
    '漢字',
    '%0d%0aBcc:x',
    '{{x}}',
  ],
] as const;
const words = fc
  .array(fc.oneof(fc.constantFrom(...scraps, ...hostileSigns), fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''));
const links = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  words.map((text) => `https://example.org/${text}`),
  words.map((text) => `https://example.org/?q=${encodeURIComponent(text.toWellFormed())}`),
  words,
);
const odd = fc.oneof(
  fc.constantFrom(null, undefined, 7, true, [], {}, { toString: '<b>' }),
  fc.constant('x'.repeat(3000)),
);

/** Mostly what may pass, and the more so the more variables there are, so that many mails get as far as the page. */
function valueFor(variable: Variable, among: number): fc.Arbitrary<unknown> {
  const { format, choices } = variable;
  const tame = fc.constantFrom(tameFor(variable), ...choices);
  const oneLine = words.map((text) => text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, ''));
  const hostile =
    format === 'tidings-link' ? links : format === 'tidings-line' ? fc.oneof(oneLine, words) : words;
  return fc.oneof(
    { weight: 8, arbitrary: hostile },
    { weight: Math.max(12, 3 * among), arbitrary: tame },
    { weight: 1, arbitrary: odd },
  );
}

const refusals = ['missing_variable', 'variable_too_long', 'invalid_variable'];
const key = '11111111-1111-5111-8111-111111111111';

describe.each(templates.map((template) => [template.name, template] as const))(
  'the template %s',
  (name, template) => {
    const variables = variablesOf(template.schema);
    const values = fc.tuple(
      ...variables.map((variable) => fc.tuple(fc.constant(variable), valueFor(variable, variables.length))),
    );
    const orders = fc.record({ values, locale: fc.constantFrom(...template.locales) });
    const propsOf = (given: readonly (readonly [Variable, unknown])[]) =>
      given.reduce<Record<string, unknown>>((props, [{ path }, value]) => withValue(props, path, value), {});

    /** Every element that it makes by itself, with its attributes; only where a link leads may differ. */
    const own = async (locale: string) => {
      const shapes = new Set<string>();
      for (const props of Object.values(template.samples)) {
        for (const shape of shapesIn((await mailOf({ template: name, locale, props })).html))
          shapes.add(shape);
      }
      return shapes;
    };

    it(
      'whatever stands in all of its variables, its mail has no element, header or line that is not its own',
      patience,
      async () => {
        const shapes = new Map<string, Set<string>>();
        for (const locale of template.locales) shapes.set(locale, await own(locale));
        const headersOf = async (bytes: Buffer) =>
          (await PostalMime.parse(bytes)).headers.map((one) => one.key).sort();
        const usual = await headersOf((await writeLetter(key, mailTo(1), 0)).bytes);
        let rendered = 0;
        await fc.assert(
          fc.asyncProperty(orders, async ({ values: given, locale }) => {
            const mail = await render({ template: name, locale, props: propsOf(given) });
            if (!mail.ok) {
              expect(refusals).toContain(mail.code);
              expect(mail.sentence).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]{1,300}$/u);
              return;
            }
            rendered += 1;
            const { subject, html, text } = mail;
            expect(shapesIn(html).filter((shape) => !shapes.get(locale)?.has(shape))).toEqual([]);
            for (const { attributes } of pageOf(html).elements) {
              if (attributes.href === undefined) continue;
              const { protocol, username, password, search } = new URL(attributes.href);
              expect(['http:', 'https:', 'mailto:']).toContain(protocol);
              expect([username, password, protocol === 'mailto:' ? search : '']).toEqual(['', '', '']);
            }
            expect(subject).toMatch(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u);
            expect(text).not.toMatch(/[\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
            expect(text.replaceAll(/[\n\t]/g, '')).not.toMatch(/\p{Cc}/u);

            const whole = mailTo(1, { subject, html, text });
            const checked = checkMail(whole);
            // Three things are left to the last check: what nobody would see, what a reader's program would decode, and octets.
            if (!checked.ok) {
              expect(['subject_empty', 'subject_encoded', 'subject_too_long']).toContain(checked.code);
              return;
            }
            const { bytes } = await writeLetter(key, whole, 0);
            const read = await PostalMime.parse(bytes);
            expect(await headersOf(bytes)).toEqual(usual);
            expect(read.subject).toBe(subject);
            expect([lines(read.html), lines(read.text)]).toEqual([lines(html), lines(text)]);
          }),
          runs(300),
        );
        expect(rendered).toBeGreaterThan(30);
      },
    );
  },
);

/** Line ends are the wire's; the last one is the parser's. */
const lines = (text: string | undefined) => (text ?? '').replaceAll('\r\n', '\n').replace(/\n+$/, '');

function shapesIn(html: string): string[] {
  return pageOf(html).elements.map(({ tag, attributes: { href, ...rest } }) =>
    JSON.stringify([tag, href === undefined ? '' : 'href', rest]),
  );
}
