import { expect, test } from 'vitest';
import { readTemplate, render, templateNames } from './render.ts';
import { asPreview, requireSample, requireTemplate, samplesIn } from './samples.ts';

test('a sample that is written in a language is there for that one, under its name without it', () => {
  const samples = { short: { a: '1' }, 'en-long': { a: '2' }, 'ro-long': { a: '3' }, 'de-long': { a: '4' } };
  const [english, romanian] = (['en', 'ro'] as const).map((locale) =>
    Object.fromEntries(samplesIn({ samples, locales: ['en', 'ro'] }, locale)),
  );
  expect(english).toEqual({ short: { a: '1' }, long: { a: '2' }, 'de-long': { a: '4' } });
  expect(romanian).toEqual({ short: { a: '1' }, long: { a: '3' }, 'de-long': { a: '4' } });
});

test.each(templateNames)('%s has the same samples in each of its languages', async (name) => {
  const template = await readTemplate(name);
  if (!template) throw new Error(`no template ${name}`);
  const names = template.locales.map((locale) => [...samplesIn(template, locale).keys()]);
  const all = [...new Set(names.flat())];
  const missing = template.locales.flatMap((locale, place) =>
    all.filter((sample) => !names[place]?.includes(sample)).map((sample) => `${locale}-${sample}`),
  );
  expect(missing, 'samples that are there in another language only').toEqual([]);
  expect(all).not.toEqual([]);
});

test.each(templateNames)('%s shows the way out, in its html and in its text', async (name) => {
  const template = await requireTemplate(name);
  const [locale] = template.locales;
  const unsubscribeUrl = 'https://example.org/the-way-out';
  for (const props of locale ? samplesIn(template, locale).values() : []) {
    const mail = await render({
      template: name,
      locale: locale ?? null,
      props: { ...props, unsubscribeUrl },
    });
    if (!mail.ok) throw new Error(mail.sentence);
    expect(mail.html).toContain(`href="${unsubscribeUrl}"`);
    expect(mail.text).toContain(unsubscribeUrl);
  }
});

test('a template is found by either spelling; what is none is told with what there is', async () => {
  expect((await requireTemplate('newsletter_entity')).name).toBe('newsletter-entity');
  expect((await requireTemplate('newsletter-entity')).name).toBe('newsletter-entity');
  await expect(requireTemplate('newsleter_entity')).rejects.toThrow(
    /^There is no template "newsleter_entity"\. Did you mean newsletter-entity\? There are: plain, /,
  );
  await expect(requireTemplate('toString')).rejects.toThrow('no template "toString"');
});

test('a sample is found by its name, and the first without one', async () => {
  const template = await requireTemplate('alert_series');
  expect(requireSample(template, 'ro', 'static')).toBe(template.samples['ro-static']);
  expect(requireSample(template, 'en')).toBe(template.samples['en-analytics']);
  expect(() => requireSample(template, 'en', 'statics')).toThrow(
    /^The template alert-series has no sample "statics"\. Did you mean static\? There are: analytics, static, operators\.$/,
  );
});

test('only what has a line for it is marked as a preview', async () => {
  expect(asPreview(await requireTemplate('alert-series'), { a: 1 })).toEqual({ a: 1, isPreview: 'true' });
  expect(asPreview(await requireTemplate('plain'), { a: 1 })).toEqual({ a: 1 });
});
