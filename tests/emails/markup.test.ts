import { HtmlValidate } from 'html-validate';
import { describe, expect, it } from 'vitest';
import { mailOf, pageOf, templates } from './mails.ts';

const validator = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: {
    // Mail programs have no style sheets to speak of, and Outlook wants its tables with the attributes of 1999.
    'no-inline-style': 'off',
    'no-deprecated-attr': 'off',
    // React writes <br/>.
    'void-style': 'off',
  },
});

const gmailOctetsMax = 102 * 1024; // What is beyond it, Gmail hides behind a link.

const mails = templates.flatMap(({ name, locales, samples }) =>
  locales.flatMap((locale) =>
    Object.entries(samples).map(([sample, props]) => ({ template: name, locale, sample, props })),
  ),
);

describe.each(mails)('$template in $locale, sample $sample', (mail) => {
  it('is valid html', async () => {
    const { html } = await mailOf(mail);
    const report = await validator.validateString(html);
    expect(report.results.flatMap(({ messages }) => messages)).toEqual([]);
  });

  it('says which language it is in', async () => {
    const { html } = await mailOf(mail);
    const [page] = pageOf(html).elements;
    expect(page).toEqual({ tag: 'html', attributes: { lang: mail.locale, dir: 'ltr' } });
  });

  it('is small, loads nothing and runs nothing', async () => {
    const { html } = await mailOf(mail);
    expect(Buffer.byteLength(html)).toBeLessThan(gmailOctetsMax / 4);
    const { elements } = pageOf(html);
    const tags = new Set(elements.map(({ tag }) => tag));
    for (const tag of ['script', 'img', 'link', 'iframe', 'form', 'object', 'base', 'svg'])
      expect(tags).not.toContain(tag);
    const attributes = new Set(elements.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...attributes].filter((name) => name.startsWith('on') || name === 'src')).toEqual([]);
  });

  it('002-P3-06 has a text that says the same: every link of the html stands in it in full', async () => {
    const { html, text } = await mailOf(mail);
    const links = pageOf(html).elements.flatMap(({ attributes: { href } }) => href ?? []);
    for (const link of links) expect(text.split(/[\s：]/)).toContain(link);
    expect(text).not.toMatch(/[<>]|&\w+;/);
  });

  it('is the same, byte for byte, when it is made again', async () => {
    expect(await mailOf(mail)).toEqual(await mailOf(structuredClone(mail)));
  });
});
