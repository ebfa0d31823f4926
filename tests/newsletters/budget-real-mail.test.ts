import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBudgetFile } from '../../src/sources/newsletters/budget/budget-file.ts';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { importBudget } from '../../src/sources/newsletters/budget/import-budget.ts';
import { openBudget } from '../../src/sources/newsletters/budget/open-budget.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { madeUpTown, townOf2023 } from './budget-real-files.ts';
import { addressOf, type CivicWorld, createCivicWorld } from './civic-world.ts';

const type = 'newsletter_entity_yearly';
const locales = ['ro', 'en'] as const;
const figures = {
  ro: ['1,97 mld. RON', '1,52 mld. RON', '451,98 mil. RON'],
  en: ['1.97B RON', '1.52B RON', '451.98M RON'],
};

/** The whole path: a file of the platform, somebody who follows the town, a run, and what the provider got. */
onBothDatabases('the mail for CUI 4305857, year 2023', (dialect) => {
  let world: CivicWorld;
  beforeEach(async () => {
    world = await createCivicWorld(dialect, {
      budgetOf: (parts) => openBudget({ ...parts, log, budgetApiUrl: '', datasetsFolder: 'none' }),
    });
  });
  afterEach(() => world.close());

  // The made-up figures are tried also where there are real ones: who has none must see the same.
  it.each([
    ['as the platform has it', townOf2023],
    ['made up', () => madeUpTown],
  ])('says what came in, what was spent and what was left, in both languages: %s', async (_, textOf) => {
    async function* chunks() {
      yield textOf();
    }
    const records = readBudgetFile(chunks(), { period: '2023' }, new Set());
    const { signal } = new AbortController();
    await importBudget({ store: createBudgetStore(world), clock: world.clock, records, signal });
    for (const locale of locales)
      await world.newsletters.notifications.subscribe({ userId: locale, type, entityCui: '4305857', locale });
    await world.newsletters.runs.trigger({ notificationType: type, periodKey: '2023' }, { by: 'a test' });
    await world.settle();
    expect(world.provider.ledger).toHaveLength(2);

    for (const locale of locales) {
      const mail = world.provider.ledger.find(({ mail: { to } }) => to === addressOf(locale))?.mail;
      const [income, expenses, balance] = figures[locale];
      const [incomeWord, expensesWord, balanceWord] = words[locale];
      expect(mail?.subject).toContain('MUNICIPIUL CLUJ-NAPOCA');
      const text = mail?.text.replaceAll('\u00a0', ' ');
      expect(text).toContain(
        `\n${incomeWord}: ${income}\n${expensesWord}: ${expenses}\n${balanceWord}: ${balance}\n`,
      );
      const read = readable(mail?.html ?? '');
      expect(read).toContain(`${incomeWord} ${income}`);
      expect(read).toContain(`${expensesWord} ${expenses}`);
      expect(read).toContain(`${balanceWord} ${balance}`);
      // And nothing in the other's style.
      for (const other of figures[locale === 'ro' ? 'en' : 'ro'])
        expect(`${text}${read}`).not.toContain(other);
    }
  });
});

const words = {
  ro: ['Venituri', 'Cheltuieli', 'Sold (excedent)'],
  en: ['Income', 'Expenses', 'Balance (surplus)'],
} as const;

/** As a reader sees it: without markup, and a space for whatever parts two words. */
const readable = (html: string) =>
  html
    .replace(/<style[\s\S]*?<\/style>/g, ' ')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll(/(?:&nbsp;|&#xa0;|&#160;|\s)+/gi, ' ');
