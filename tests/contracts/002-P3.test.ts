import { describe, expect, it } from 'vitest';
import { readTemplate, render, templateNames } from '../../src/emails/render.ts';
import { samplesIn } from '../../src/emails/samples.ts';
import type { Locale } from '../../src/emails/words.ts';
import { mailOf, pageOf } from '../emails/mails.ts';

/** Spec 002, phase 3: templates, as the source uses them. `002-P3-previews.test.ts` has them as the specification writes their props. */
const unsubscribeUrl = 'https://mail.example.org/api/v1/notifications/unsubscribe/token';
const base = {
  ...{ unsubscribeUrl, preferencesUrl: 'https://budgets.example.org/mine' },
  platformBaseUrl: 'https://budgets.example.org',
};
const newsletter = {
  ...{ ...base, entityName: 'Orașul Lunca Mare', entityCui: '12345678', periodType: 'monthly' },
  ...{ periodLabel: 'octombrie 2026', totalIncome: '12,84 mil. RON', totalExpenses: '9,63 mil. RON' },
  ...{ budgetBalance: '3,21 mil. RON', balanceSign: 'surplus', incomeShare: '100', expensesShare: '75' },
};
const alert = {
  ...{ ...base, title: 'Spending on roads', periodLabel: '2025', actualValue: '20.5K RON' },
  conditions: [
    { operator: 'gt', threshold: '20K RON', actualValue: '20.5K RON', isMet: 'true' },
    { operator: 'lt', threshold: '10K RON', actualValue: '20.5K RON', isMet: 'false' },
  ],
};
const bothTemplates = [
  ['newsletter-entity', newsletter],
  ['alert-series', alert],
] as const;
const languages = ['ro', 'en'] as const satisfies readonly Locale[];
const languageOf = (html: string) => /<html [^>]*lang="([\w-]+)"/.exec(html)?.[1];

describe('002 phase 3: templates', () => {
  const seenIn = (html: string) => pageOf(html).texts.join('\n').replaceAll(/\s+/g, ' ');
  const linksIn = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

  it('002-P3-01 Languages: `ro` and `en`', async () => {
    for (const [name, props] of bothTemplates) {
      expect([...((await readTemplate(name))?.locales ?? [])].sort()).toEqual(['en', 'ro']);
      const [ro, en] = [
        await mailOf({ template: name, locale: 'ro', props }),
        await mailOf({ template: name, locale: 'en', props }),
      ];
      expect([languageOf(ro.html), languageOf(en.html)]).toEqual(['ro', 'en']);
      expect(ro.text).not.toBe(en.text);
      expect([ro.text, en.text]).toEqual([
        expect.stringContaining('Primiți acest mesaj'),
        expect.stringContaining('You get this mail because'),
      ]);
      expect(await render({ template: name, locale: 'fr', props })).toMatchObject({ code: 'missing_locale' });
    }
  });

  it('002-P3-02 Base props: `lang`, `unsubscribeUrl`, `preferencesUrl?`, `platformBaseUrl`, `isPreview?`', async () => {
    for (const [template, props] of bothTemplates) {
      const { html, text } = await mailOf({ template, locale: 'en', props: { ...props, isPreview: 'true' } });
      for (const url of Object.values(base)) {
        expect(linksIn(html).map((link) => link?.replace(/\/$/, ''))).toContain(url);
        expect(text).toContain(url);
      }
      expect(text).toMatch(/^Preview\./);
      const { preferencesUrl: _, ...fewer } = props;
      const plain = await mailOf({ template, locale: 'en', props: fewer });
      expect(plain.text).not.toContain('Preview');
      expect(plain.text).not.toContain(base.preferencesUrl);
      const { unsubscribeUrl: __, ...none } = props;
      expect(await render({ template, locale: 'en', props: none })).toMatchObject({
        code: 'missing_variable',
      });
    }
  });

  it('002-P3-03 `newsletter_entity` props: `templateType`, `entityName`, `entityCui`, `periodType` (`monthly`, `quarterly`, `yearly`), `periodLabel`, `summary` { `totalIncome`, `totalExpenses`, `budgetBalance`, `currency` }', async () => {
    const said = { monthly: 'lunar', quarterly: 'trimestrial', yearly: 'anual' };
    for (const [periodType, word] of Object.entries(said)) {
      const props = { ...newsletter, periodType };
      const { text } = await mailOf({ template: 'newsletter-entity', locale: 'ro', props });
      // 8.21: amounts come as they are to be read, with their currency.
      for (const part of [
        word,
        'Orașul Lunca Mare',
        '12345678',
        'octombrie 2026',
        '12,84 mil. RON',
        '9,63 mil. RON',
        '3,21 mil. RON',
      ])
        expect(text).toContain(part);
    }
    const refused = [
      { ...newsletter, periodType: 'weekly' },
      { ...newsletter, totalIncome: undefined },
    ];
    for (const props of refused)
      expect((await render({ template: 'newsletter-entity', locale: 'ro', props })).ok).toBe(false);
  });

  it('002-P3-04 `alert_series` props: `templateType`, `title`, `description?`, `triggeredConditions[]` { `operator` (`gt`, `gte`, `lt`, `lte`, `eq`), `threshold`, `actualValue`, `unit` }', async () => {
    const sentences = new Set<string>();
    for (const operator of ['gt', 'gte', 'lt', 'lte', 'eq']) {
      const conditions = [{ operator, threshold: '20K RON', actualValue: '20.5K RON', isMet: 'true' }];
      const props = { ...alert, conditions, description: 'What the county pays.' };
      const { text } = await mailOf({ template: 'alert-series', locale: 'en', props });
      expect(text).toContain('What the county pays.');
      const [sentence = ''] = text.split('\n').filter((line) => line.includes('20K RON'));
      expect(sentence).toContain('20.5K RON');
      sentences.add(sentence);
    }
    expect(sentences.size).toBe(5);
    const props = { ...alert, conditions: [{ ...alert.conditions[0], operator: 'ne' }] };
    expect((await render({ template: 'alert-series', locale: 'en', props })).ok).toBe(false);
  });

  it('002-P3-05 A rendered email has `subject`, `html`, `text`, `templateName`, `templateVersion`', async () => {
    for (const [template, props] of bothTemplates) {
      const { ok: _, ...mail } = await mailOf({ template, locale: 'ro', props });
      expect(mail).toEqual({
        ...{ subject: expect.stringMatching(/./), html: expect.stringMatching(/^<!DOCTYPE html>/) },
        ...{ text: expect.stringMatching(/./), templateName: template, templateVersion: 'v1' },
      });
    }
  });

  it('002-P3-06 Plain text is always generated', async () => {
    for (const name of templateNames) {
      const template = await readTemplate(name);
      if (!template) throw new Error(`no template ${name}`);
      for (const locale of template.locales)
        for (const props of samplesIn(template, locale).values()) {
          const { text } = await mailOf({ template: name, locale, props, unsubscribeUrl });
          expect(text.split('\n').length).toBeGreaterThan(2);
          expect(text).not.toMatch(/<\/?(?:p|div|table|a|html)\b/);
        }
    }
  });

  it('002-P3-07 A base layout with header and footer is shared by the templates', async () => {
    const headOf = (html: string) => /<head>.*<\/head>/s.exec(html)?.[0].replace(/<title>.*?<\/title>/s, '');
    const [one, other] = await Promise.all(
      bothTemplates.map(([template, props]) => mailOf({ template, locale: 'en', props })),
    );
    expect(headOf(one?.html ?? '')).toEqual(headOf(other?.html ?? ''));
    for (const { html = '' } of [one, other].flatMap((mail) => mail ?? [])) {
      const places = ['>budgets.example.org</a>', '<h1', 'You get this mail because', unsubscribeUrl];
      const found = places.map((part) => html.indexOf(part));
      expect(found).not.toContain(-1);
      expect(found).toEqual([...found].sort((a, b) => a - b));
    }
  });

  it('002-P3-08 The templates share an unsubscribe (CAN-SPAM) footer', async () => {
    for (const locale of languages) {
      for (const [template, props] of bothTemplates) {
        const { html, text } = await mailOf({ template, locale, props });
        expect(linksIn(html)).toContain(unsubscribeUrl);
        const [, footer = ''] = text.split('\n----\n');
        const [reason, wayOut] = footer.split('\n');
        expect(reason).toMatch(
          locale === 'ro' ? /^Primiți acest mesaj pentru că / : /^You get this mail because /,
        );
        expect(wayOut).toMatch(/^\S.*: https/);
        expect(wayOut?.endsWith(` ${unsubscribeUrl}`)).toBe(true);
      }
    }
  });

  it('002-P3-09 Template newsletter-entity shows the budget summary', async () => {
    const { html, text } = await mailOf({ template: 'newsletter-entity', locale: 'ro', props: newsletter });
    expect(text).toContain(
      ['Venituri: 12,84 mil. RON', 'Cheltuieli: 9,63 mil. RON', 'Sold (excedent): 3,21 mil. RON'].join('\n'),
    );
    for (const amount of ['12,84 mil. RON', '9,63 mil. RON', '3,21 mil. RON'])
      expect(seenIn(html)).toContain(amount);
  });

  it('002-P3-10 Template alert-series shows the alert conditions', async () => {
    const { html, text } = await mailOf({ template: 'alert-series', locale: 'en', props: alert });
    for (const words of [text, seenIn(html)]) {
      expect(words).toContain('above 20K RON');
      expect(words).toContain('below 10K RON');
    }
    // 8.21: with no conditions it is informational.
    const told = await mailOf({
      template: 'alert-series',
      locale: 'en',
      props: { ...alert, conditions: [] },
    });
    expect(told.text).toContain('20.5K RON');
    expect(told.text).not.toContain('above');
  });
});
