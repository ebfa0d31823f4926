import type { NewsletterProps } from './newsletter-entity-props.ts';

/**
 * Budgets of places that there are not. The first word of a name says in which language the figures are written, and a sample is
 * shown in that one.
 */
const links = {
  entityUrl: 'https://budgets.example.org/entities/12345678',
  preferencesUrl: 'https://budgets.example.org/settings/notifications',
  platformBaseUrl: 'https://budgets.example.org',
  unsubscribeUrl: 'https://mail.example.org/api/v1/notifications/unsubscribe/5f0c2f4e9a',
} as const;

const town = { entityName: 'Orașul Lunca Mare', entityCui: '12345678' } as const;
const county = { entityName: 'Consiliul Județean Valea Albă', entityCui: '87654321' } as const;

export const newsletterSamples: Readonly<Record<string, NewsletterProps>> = {
  'ro-monthly': {
    ...{ ...town, ...links, periodType: 'monthly', periodLabel: 'octombrie 2026' },
    ...{ totalIncome: '12,84 mil. RON', totalExpenses: '9,63 mil. RON', budgetBalance: '3,21 mil. RON' },
    ...{ balanceSign: 'surplus', incomeShare: '100', expensesShare: '75', isPreview: 'true' },
    changes: {
      ...{ income: '+4,2 %', expenses: '−1,8 %', balance: '+27,9 %', beforeLabel: 'septembrie 2026' },
    },
    yearToDate: {
      ...{ income: '118,40 mil. RON', expenses: '102,75 mil. RON', balance: '15,65 mil. RON' },
      label: 'ianuarie–octombrie 2026',
    },
    perHead: { income: '612,40 RON', expenses: '459,20 RON', balance: '153,20 RON' },
    topExpenses: [
      { name: 'Învățământ', amount: '2,79 mil. RON', share: '29 %', bar: '100' },
      { name: 'Transporturi', amount: '2,02 mil. RON', share: '21 %', bar: '72' },
      { name: 'Autorități publice și acțiuni externe', amount: '1,54 mil. RON', share: '16 %', bar: '55' },
      {
        ...{ name: 'Locuințe, servicii și dezvoltare publică', amount: '1,06 mil. RON' },
        ...{ share: '11 %', bar: '38' },
      },
      { name: 'Asigurări și asistență socială', amount: '867,10 mii RON', share: '9 %', bar: '31' },
    ],
  },
  'ro-quarterly': {
    ...{ ...county, ...links, periodType: 'quarterly', periodLabel: 'trimestrul III 2026' },
    ...{ totalIncome: '96,12 mil. RON', totalExpenses: '101,50 mil. RON', budgetBalance: '−5,38 mil. RON' },
    ...{ balanceSign: 'deficit', incomeShare: '95', expensesShare: '100' },
    // What was zero before has no change in percent.
    changes: { income: '+0,6 %', expenses: '+12,4 %', beforeLabel: 'trimestrul II 2026' },
    yearToDate: {
      ...{ income: '288,90 mil. RON', expenses: '279,35 mil. RON', balance: '9,55 mil. RON' },
      label: 'ianuarie–septembrie 2026',
    },
    topExpenses: [
      { name: 'Sănătate', amount: '41,62 mil. RON', share: '41 %', bar: '100' },
      { name: 'Transporturi', amount: '30,45 mil. RON', share: '30 %', bar: '73' },
      { name: 'Cultură, recreere și religie', amount: '9,10 mil. RON', share: '9 %', bar: '22' },
    ],
  },
  'ro-yearly': {
    ...{ ...town, ...links, periodType: 'yearly', periodLabel: '2025' },
    ...{ totalIncome: '141,02 mil. RON', totalExpenses: '141,02 mil. RON', budgetBalance: '0 RON' },
    ...{ balanceSign: 'even', incomeShare: '100', expensesShare: '100' },
    perHead: { income: '6,72 mii RON', expenses: '6,72 mii RON', balance: '0 RON' },
  },
  'en-monthly': {
    ...{ ...town, ...links, periodType: 'monthly', periodLabel: 'October 2026' },
    ...{ totalIncome: '12.84M RON', totalExpenses: '9.63M RON', budgetBalance: '3.21M RON' },
    ...{ balanceSign: 'surplus', incomeShare: '100', expensesShare: '75', isPreview: 'true' },
    changes: { income: '+4.2%', expenses: '−1.8%', balance: '+27.9%', beforeLabel: 'September 2026' },
    yearToDate: {
      ...{ income: '118.40M RON', expenses: '102.75M RON', balance: '15.65M RON' },
      label: 'January–October 2026',
    },
    perHead: { income: '612.40 RON', expenses: '459.20 RON', balance: '153.20 RON' },
    topExpenses: [
      { name: 'Education', amount: '2.79M RON', share: '29%', bar: '100' },
      { name: 'Transport', amount: '2.02M RON', share: '21%', bar: '72' },
      { name: 'Public authorities and external affairs', amount: '1.54M RON', share: '16%', bar: '55' },
      { name: 'Housing, utilities and public development', amount: '1.06M RON', share: '11%', bar: '38' },
      { name: 'Social insurance and assistance', amount: '867.10K RON', share: '9%', bar: '31' },
    ],
  },
  'en-quarterly': {
    ...{ ...county, ...links, periodType: 'quarterly', periodLabel: 'Q3 2026' },
    ...{ totalIncome: '96.12M RON', totalExpenses: '101.50M RON', budgetBalance: '−5.38M RON' },
    ...{ balanceSign: 'deficit', incomeShare: '95', expensesShare: '100' },
    changes: { income: '+0.6%', expenses: '+12.4%', beforeLabel: 'Q2 2026' },
    yearToDate: {
      ...{ income: '288.90M RON', expenses: '279.35M RON', balance: '9.55M RON' },
      label: 'January–September 2026',
    },
    topExpenses: [
      { name: 'Health', amount: '41.62M RON', share: '41%', bar: '100' },
      { name: 'Transport', amount: '30.45M RON', share: '30%', bar: '73' },
      { name: 'Culture, recreation and religion', amount: '9.10M RON', share: '9%', bar: '22' },
    ],
  },
  'en-yearly': {
    ...{ ...town, ...links, periodType: 'yearly', periodLabel: '2025' },
    ...{ totalIncome: '141.02M RON', totalExpenses: '141.02M RON', budgetBalance: '0 RON' },
    ...{ balanceSign: 'even', incomeShare: '100', expensesShare: '100' },
    perHead: { income: '6.72K RON', expenses: '6.72K RON', balance: '0 RON' },
  },
  /** Nothing but what must be there, of a place that has published nothing for the period but zeros. */
  short: {
    ...{ entityName: 'Comuna Izvoare', entityCui: '11223344', periodType: 'monthly', periodLabel: '2026-01' },
    ...{ totalIncome: '0 RON', totalExpenses: '0 RON', budgetBalance: '0 RON' },
    ...{ balanceSign: 'even', incomeShare: '0', expensesShare: '0', topExpenses: [] },
    unsubscribeUrl: links.unsubscribeUrl,
  },
};
