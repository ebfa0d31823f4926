import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkMail } from '../../src/domain/message.ts';
import { render } from '../../src/emails/render.ts';
import { runs } from '../fuzz/runs.ts';
import { mailTo } from '../support/mails.ts';
import { requireEqual } from '../support/require-equal.ts';
import {
  fullest,
  type Mail,
  mailOf,
  mayBeSaid,
  type Page,
  pageOf,
  tameFor,
  templates,
  type Variable,
  variablesOf,
  withValue,
} from './mails.ts';

/** In one line each: what stays text must not change the page by as much as an element. */
const staysText = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '</title><script>alert(1)</script>',
  '</style><style>*{display:none}</style>',
  '</p></td></tr></table><h1>out</h1>',
  '<!-- <b>',
  '<!--[if mso]><i>x</i><![endif]-->',
  ']]><a href="https://evil.example">',
  '"><b>bold</b>',
  '" onmouseover="alert(1)',
  "' style='display:none",
  '`$' + '{alert(1)}` {{x}} {x} %s $& $1',
  '&lt;b&gt; &amp; &#60;b&#62; &nbsp',
  'javascript:alert(1)',
  'data:text/html,<b>',
  'https://evil.example/',
  '=?utf-8?q?Bcc:_x?=',
  'שלום עולם',
  'مرحبا 123',
  '👩‍👩‍👧‍👦 e\u0301\u0301\u0301',
];

const refused = [
  'a\r\nBcc: all@example.org',
  'a\nb',
  'a\rb',
  'a\u0085b',
  'a\u2028b',
  'a\0b',
  'a\u001b[31m',
  'a\ud800',
  '\udc00a',
  'x'.repeat(1_000_000),
  '<b>'.repeat(350_000),
  { toString: '<b>' },
  ['<b>'],
  7,
];

/** Made once: it takes longer to make than many values of it. */
const scraps = fc.array(
  fc.oneof(
    fc.constantFrom(...'<>"\'&/=% {`', '<!--', '-->', '</', 'script', 'https://'),
    fc.string({ unit: 'binary', maxLength: 4 }),
  ),
);

const codes = ['missing_variable', 'variable_too_long', 'invalid_variable'];

describe.each(templates.map((template) => [template.name, template] as const))(
  'the template %s',
  (name, template) => {
    const base = fullest(template);
    const places = variablesOf(template.schema).map(
      (variable) => [variable.path.join('.'), variable] as const,
    );
    const renderWith = ({ path }: Variable, value: unknown) =>
      render({ template: name, locale: 'en', props: withValue(base, path, value) });

    /** The page with one harmless word in that place: nothing that is written there may make it another. */
    const tameShape = async (variable: Variable) => {
      const props = withValue(base, variable.path, tameFor(variable));
      return shapeOf(pageOf((await mailOf({ template: name, locale: 'en', props })).html).elements);
    };

    it('shows every variable in its fullest sample', () => {
      for (const [, { path }] of places) {
        expect(path.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], base)).toEqual(
          expect.any(String),
        );
      }
    });

    it.each(places)('%s: markup, quotes and scripts stay text, or are refused', async (_, variable) => {
      const shape = await tameShape(variable);
      for (const value of staysText) {
        const rendered = await renderWith(variable, value);
        if (!rendered.ok) {
          expect([mayBeSaid(variable, value), codes.includes(rendered.code)], value).toEqual([false, true]);
          continue;
        }
        const its = pageOf(rendered.html);
        requireSame(shape, its, value);
        if (variable.format !== 'tidings-link') requireSaid(value, variable, its, rendered);
        // An encoded word stays text, and is refused where a mail program would decode it.
        if (!rendered.subject.includes('=?')) requireSendable(rendered);
      }
    });

    it.each(places)(
      '%s: what could break a header, a line or the machine is refused',
      async (_, variable) => {
        for (const value of refused) {
          const isLines =
            variable.format === 'tidings-text' && typeof value === 'string' && isLineBreak(value);
          const rendered = await renderWith(variable, value);
          if (isLines) requireSendable(rendered as Mail);
          else expect(rendered, JSON.stringify(value).slice(0, 40)).toMatchObject({ ok: false });
          if (!rendered.ok) expect(codes).toContain(rendered.code);
          if (!rendered.ok) expect(rendered.sentence.length).toBeLessThan(300);
        }
      },
    );

    it.each(places)('%s: nothing turns round what stands beside it', async (_, variable) => {
      for (const sign of '\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069') {
        const value = `https://a.example/${sign}gro`;
        const rendered = await renderWith(variable, value);
        if (!rendered.ok) expect(mayBeSaid(variable, value)).toBe(false);
        else expect(rendered.subject + rendered.html + rendered.text).not.toContain(sign);
      }
    });

    it.each(places)('%s: whatever is written there, the page stays the same', async (_, variable) => {
      const shape = await tameShape(variable);
      await fc.assert(
        fc.asyncProperty(scraps, async (parts) => {
          const start = variable.format === 'tidings-link' ? 'https://a' : 'x';
          const value = start + parts.join('').replaceAll(/[\r\n\u0085\u2028\u2029]/g, '');
          const rendered = await renderWith(variable, value);
          if (rendered.ok) {
            requireSame(shape, pageOf(rendered.html), value);
            requireSendable(rendered);
          } else {
            expect(codes).toContain(rendered.code);
          }
        }),
        runs(40),
      );
    });

    it('is not moved by names that objects have by themselves', async () => {
      const props = JSON.parse('{"__proto__":{"subject":"a","text":"b"},"constructor":"x"}') as Record<
        string,
        unknown
      >;
      expect(await render({ template: name, locale: 'en', props })).toMatchObject({
        code: 'missing_variable',
      });
      for (const inherited of ['constructor', '__proto__', 'toString']) {
        const rendered = await render({ template: inherited, locale: 'en', props: {} });
        expect(rendered).toMatchObject({ ok: false, code: 'missing_template' });
      }
    });
  },
);

const isLineBreak = (value: string) => /[\r\n\u0085\u2028]/.test(value);

/** The same elements with the same attributes; only an `href` may differ, and then it leads where a mail may lead. */
function requireSame(expected: string, { elements }: Page, value: string): void {
  requireEqual(shapeOf(elements), expected, value);
  const hrefs = elements.flatMap(({ attributes: { href } }) => (href === undefined ? [] : [href]));
  requireEqual(
    hrefs.filter((href) => !/^(https?:\/\/[^@\s]+|mailto:[^?\s]+)$/i.test(href)),
    [],
    value,
  );
}

/** As one text, because it is compared ten thousand times. No html has a NUL in it. */
function shapeOf(elements: Page['elements']): string {
  let shape = '';
  for (const { tag, attributes } of elements) {
    shape += `\n<${tag}`;
    for (const name in attributes) if (name !== 'href') shape += `\0${name}\0${attributes[name]}`;
  }
  return shape;
}

/** Word for word, in the html and in the subject or the text. */
function requireSaid(value: string, { path }: Variable, { texts }: Page, { subject, text }: Mail): void {
  expect(texts.join('\n'), value).toContain(value);
  if (path.join() !== 'preheader') expect(`${subject}\n${text}`, value).toContain(value);
}

/** The last check before the wire has nothing left to find. */
function requireSendable({ subject, html, text }: Mail): void {
  requireEqual(checkMail(mailTo(1, { subject, html, text })), { ok: true }, subject);
}

it('a template that throws is an answer, and names itself', async () => {
  const props = new Proxy(
    {},
    {
      getOwnPropertyDescriptor: () => {
        throw new Error('no');
      },
    },
  );
  expect(await render({ template: 'plain', locale: 'en', props })).toMatchObject({
    ok: false,
    code: 'template_failed',
    sentence: expect.stringContaining('plain'),
  });
});

it('what somebody sent as a name is told in one short line', async () => {
  const long = `x\r\n${'y'.repeat(1_000_000)}`;
  for (const order of [
    { template: long, locale: 'en' },
    { template: 'plain', locale: long },
  ]) {
    const rendered = await render({ ...order, props: {} });
    expect(rendered).toMatchObject({ ok: false });
    if (!rendered.ok) expect(rendered.sentence).toMatch(/^[^\r\n]{1,200}$/);
  }
});
