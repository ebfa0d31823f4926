import { describe, expect, it } from 'vitest';
import { newsletterEntity } from '../../src/emails/templates/newsletter-entity.tsx';
import type { NewsletterProps } from '../../src/emails/templates/newsletter-entity-props.ts';
import { mailOf, pageOf } from './mails.ts';

const { samples } = newsletterEntity;
const sample = (name: string) => samples[name] as NewsletterProps;
const mail = (locale: string, props: NewsletterProps) =>
  mailOf({ template: 'newsletter-entity', locale, props: { ...props } });
const seen = (html: string) => pageOf(html).texts.join('\n');

describe('a budget newsletter', () => {
  it('002-P3-01 002-P3-09 says the figures in Romanian, in the order in which they are read', async () => {
    const { subject, text } = await mail('ro', sample('ro-monthly'));
    expect(subject).toBe('Bugetul pe octombrie 2026: Orașul Lunca Mare');
    expect(text.split('\n')).toEqual([
      'Previzualizare. Cifrele pot fi inventate.',
      '',
      'Orașul Lunca Mare',
      'Buletin bugetar lunar: octombrie 2026',
      'Cod fiscal (CUI): 12345678',
      '',
      'Venituri: 12,84 mil. RON (+4,2 % față de septembrie 2026)',
      'Cheltuieli: 9,63 mil. RON (−1,8 % față de septembrie 2026)',
      'Sold (excedent): 3,21 mil. RON (+27,9 % față de septembrie 2026)',
      '',
      'De la începutul anului: ianuarie–octombrie 2026',
      '  Venituri: 118,40 mil. RON',
      '  Cheltuieli: 102,75 mil. RON',
      '  Sold: 15,65 mil. RON',
      '',
      'Pe cap de locuitor',
      '  Venituri: 612,40 RON',
      '  Cheltuieli: 459,20 RON',
      '  Sold: 153,20 RON',
      '',
      'Cele mai mari cheltuieli',
      '  1. Învățământ: 2,79 mil. RON, 29 % din cheltuieli',
      '  2. Transporturi: 2,02 mil. RON, 21 % din cheltuieli',
      '  3. Autorități publice și acțiuni externe: 1,54 mil. RON, 16 % din cheltuieli',
      '  4. Locuințe, servicii și dezvoltare publică: 1,06 mil. RON, 11 % din cheltuieli',
      '  5. Asigurări și asistență socială: 867,10 mii RON, 9 % din cheltuieli',
      '',
      'Vedeți tot bugetul:',
      'https://budgets.example.org/entities/12345678',
      '',
      '----',
      'Primiți acest mesaj pentru că v-ați abonat la buletinul bugetar lunar al acestei instituții.',
      'Dezabonați-vă de la acest buletin: https://mail.example.org/api/v1/notifications/unsubscribe/5f0c2f4e9a',
      'Alegeți ce primiți: https://budgets.example.org/settings/notifications',
      'https://budgets.example.org',
    ]);
  });

  it('and in English; what has no change in percent is told without', async () => {
    const { subject, text } = await mail('en', sample('en-quarterly'));
    expect(subject).toBe('Budget for Q3 2026: Consiliul Județean Valea Albă');
    expect(text.split('\n').slice(0, 12)).toEqual([
      'Consiliul Județean Valea Albă',
      'Quarterly budget newsletter: Q3 2026',
      'Tax number (CUI): 87654321',
      '',
      'Income: 96.12M RON (+0.6% compared with Q2 2026)',
      'Expenses: 101.50M RON (+12.4% compared with Q2 2026)',
      'Balance (deficit): −5.38M RON',
      '',
      'Since the start of the year: January–September 2026',
      '  Income: 288.90M RON',
      '  Expenses: 279.35M RON',
      '  Balance: 9.55M RON',
    ]);
    expect(text).not.toContain('Per inhabitant');
    expect(text).toContain('subscribed to the quarterly budget newsletter');
  });

  it.each(['ro-monthly', 'ro-quarterly', 'ro-yearly', 'en-monthly', 'en-quarterly', 'en-yearly'])(
    'says in the html whatever it says in the text: %s',
    async (name) => {
      const { html, text } = await mail(name.slice(0, 2), sample(name));
      const page = seen(html).replaceAll(/\s+/g, ' ');
      const amounts = text.match(/[−\d.,]+(?:M|K| mil\.| mii)? RON|[+−\d.,]+ ?%/g) ?? [];
      expect(amounts.length).toBeGreaterThan(5);
      for (const amount of amounts) expect(page).toContain(amount);
    },
  );

  it('draws each bar as long as it is told: cells with a width and a colour, and no picture', async () => {
    const { html } = await mail('ro', {
      ...sample('short'),
      ...{ incomeShare: '100', expensesShare: '40' },
      topExpenses: [{ name: 'A', amount: '1', share: '1 %', bar: '0' }],
    });
    const cells = pageOf(html).elements.filter(({ attributes: { class: name = '' } }) =>
      ['bar', 'track'].includes(name),
    );
    expect(cells.map(({ attributes }) => `${attributes.class} ${attributes.width}`)).toEqual([
      'bar 100%',
      'bar 40%',
      'track 60%',
      'track 100%',
    ]);
    for (const { attributes } of cells)
      expect(attributes.style).toMatch(new RegExp(`background-color:#\\w{6};width:${attributes.width};`));
  });

  it('shows a preheader with the three figures, and the header only where there is something for it', async () => {
    const { html } = await mail('ro', sample('ro-yearly'));
    expect(html).toMatch(
      /<div style="display:none[^>]*>Venituri 141,02 mil\. RON · Cheltuieli 141,02 mil\. RON · Sold 0 RON/,
    );
    expect(html).toMatch(/<a href="https:\/\/budgets\.example\.org"[^>]*>budgets\.example\.org<\/a>/);
    expect(seen(html)).not.toContain('Previzualizare');
    const short = await mail('ro', sample('short'));
    expect(pageOf(short.html).elements.filter(({ tag }) => tag === 'a')).toHaveLength(1);
  });

  it('002-P3-02 is not made without a way out of it', async () => {
    const { unsubscribeUrl: _, ...props } = sample('short');
    await expect(mailOf({ template: 'newsletter-entity', locale: 'ro', props })).rejects.toThrow(
      'The template newsletter-entity needs the variable unsubscribeUrl.',
    );
  });

  it('is written in two languages, and in no other', async () => {
    const props = { ...sample('short') };
    await expect(mailOf({ template: 'newsletter-entity', locale: 'zh-CN', props })).rejects.toThrow(
      'written in en, ro, and not in "zh-CN"',
    );
  });
});
