import { describe, expect, it } from 'vitest';
import { alertSeries } from '../../src/emails/templates/alert-series.tsx';
import type { AlertProps } from '../../src/emails/templates/alert-series-props.ts';
import { mailOf, pageOf } from './mails.ts';

const { samples } = alertSeries;
const sample = (name: string) => samples[name] as AlertProps;
const mail = (locale: string, props: AlertProps) =>
  mailOf({ template: 'alert-series', locale, props: { ...props } });

type Condition = AlertProps['conditions'][number];
const condition = (operator: Condition['operator'], isMet: Condition['isMet']): Condition => ({
  ...{ operator, isMet, threshold: '10', actualValue: '7' },
});

describe('an alert', () => {
  it.each([
    ['en', 'gt', 'above'],
    ['en', 'gte', 'at least'],
    ['en', 'lt', 'below'],
    ['en', 'lte', 'at most'],
    ['en', 'eq', 'equal to'],
    ['ro', 'gt', 'peste'],
    ['ro', 'gte', 'cel puțin'],
    ['ro', 'lt', 'sub'],
    ['ro', 'lte', 'cel mult'],
    ['ro', 'eq', 'egală cu'],
  ] as const)('002-P3-10 tells each condition as a sentence, in %s: %s', async (locale, operator, word) => {
    const conditions = [condition(operator, 'true'), condition(operator, 'false')];
    const { html, text } = await mail(locale, { ...sample('operators'), conditions });
    const [met, notMet] =
      locale === 'en'
        ? [`The value is ${word} 10: it is 7.`, `The value is not ${word} 10: it is 7.`]
        : [`Valoarea este ${word} 10: este 7.`, `Valoarea nu este ${word} 10: este 7.`];
    const labels =
      locale === 'en'
        ? ['Condition met', 'Condition not met']
        : ['Condiție îndeplinită', 'Condiție neîndeplinită'];
    expect(text).toContain(`${labels[0]}:\n  ${met}\n\n${labels[1]}:\n  ${notMet}\n`);
    const { texts } = pageOf(html);
    expect(texts.filter((one) => [met, notMet, ...labels].includes(one))).toEqual([
      ...[labels[0], met, labels[1], notMet],
    ]);
  });

  it('says in its subject that something holds, and how many of how many', async () => {
    const { subject, text } = await mail('ro', sample('ro-analytics'));
    expect(subject).toBe('Alertă: Cheltuieli cu drumurile în Lunca Mare, octombrie 2026');
    expect(text).toContain('\n\nValoare: 2,02 mil. RON\n\nCondiții îndeplinite: 1 din 2\n\n');
    const none = await mail('ro', { ...sample('ro-analytics'), conditions: [condition('gt', 'false')] });
    expect(none.subject).toBe('Cheltuieli cu drumurile în Lunca Mare, octombrie 2026');
    expect(none.text).toContain('Condiții îndeplinite: 0 din 1');
  });

  it('without conditions only informs', async () => {
    const { subject, text, html } = await mail('en', sample('en-static'));
    expect(subject).toBe('Yearly inflation rate, 2025');
    expect(text.split('\n')).toEqual([
      'Yearly inflation rate',
      'Period: 2025',
      '',
      'Value: 5.1%',
      '',
      'You set no condition for this alert: you are told the value once a period.',
      '',
      'See the whole series:',
      'https://budgets.example.org/charts/8c1d44',
      '',
      '----',
      'You get this mail because you set an alert for this series.',
      'Stop this alert: https://mail.example.org/api/v1/notifications/unsubscribe/5f0c2f4e9a',
      'Choose what you receive: https://budgets.example.org/settings/notifications',
      'https://budgets.example.org',
    ]);
    expect(html).not.toContain('Condition');
  });

  it('is not made of a list that nobody reads to its end', async () => {
    const conditions = Array<Condition>(21).fill(condition('gt', 'true'));
    await expect(mail('ro', { ...sample('operators'), conditions })).rejects.toThrow(
      'conditions of the template alert-series has more than 20 entries',
    );
    await expect(
      mail('ro', { ...sample('operators'), conditions: conditions.slice(1) }),
    ).resolves.toBeDefined();
  });

  it('leaves when its title is as long as it may be, in any script', async () => {
    const { subject, text } = await mail('ro', { ...sample('operators'), title: '漢'.repeat(300) });
    expect(Buffer.byteLength(subject)).toBeLessThan(998);
    expect(text).toContain('漢'.repeat(300));
  });
});

/** What Romanian keyboards of old wrote: with a cedilla, which is another letter. */
const cedilla = /[şţŞŢ]/;

it.each(['newsletter-entity', 'alert-series', 'review-ready'])(
  'the Romanian of %s has its own letters',
  async (template) => {
    const { readTemplate } = await import('../../src/emails/render.ts');
    const found = await readTemplate(template);
    for (const props of Object.values(found?.samples ?? {})) {
      const { subject, html, text } = await mailOf({ template, locale: 'ro', props: { ...props } });
      expect(subject + html + text).not.toMatch(cedilla);
      expect(text).toMatch(/[șț]/);
    }
  },
);
