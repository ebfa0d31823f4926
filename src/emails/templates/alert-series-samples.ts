import type { AlertProps } from './alert-series-props.ts';

/** Alerts on series that there are not; as with the newsletters, the first word of a name is the language of the figures. */
const links = {
  seriesUrl: 'https://budgets.example.org/charts/8c1d44',
  preferencesUrl: 'https://budgets.example.org/settings/notifications',
  platformBaseUrl: 'https://budgets.example.org',
  unsubscribeUrl: 'https://mail.example.org/api/v1/notifications/unsubscribe/5f0c2f4e9a',
} as const;

export const alertSamples: Readonly<Record<string, AlertProps>> = {
  'ro-analytics': {
    ...{ ...links, title: 'Cheltuieli cu drumurile în Lunca Mare', periodLabel: 'octombrie 2026' },
    ...{ actualValue: '2,02 mil. RON', isPreview: 'true' },
    description:
      'Capitolul Transporturi, plăți efectuate.\nSursa: execuția bugetară.\n\nAm pus acest prag după bugetul din primăvară.',
    conditions: [
      { operator: 'gt', threshold: '2 mil. RON', actualValue: '2,02 mil. RON', isMet: 'true' },
      { operator: 'lte', threshold: '1,50 mil. RON', actualValue: '2,02 mil. RON', isMet: 'false' },
    ],
  },
  /** 8.21: without conditions somebody is told the value. */
  'ro-static': {
    ...{ ...links, title: 'Rata anuală a inflației', periodLabel: '2025', actualValue: '5,1 %' },
    conditions: [],
  },
  'en-analytics': {
    ...{ ...links, title: 'Spending on roads in Lunca Mare', periodLabel: 'October 2026' },
    ...{ actualValue: '2.02M RON', isPreview: 'true' },
    description:
      'The chapter Transport, payments made.\nSource: budget execution.\n\nI set this threshold after the budget of spring.',
    conditions: [
      { operator: 'gt', threshold: '2M RON', actualValue: '2.02M RON', isMet: 'true' },
      { operator: 'lte', threshold: '1.50M RON', actualValue: '2.02M RON', isMet: 'false' },
    ],
  },
  'en-static': {
    ...{ ...links, title: 'Yearly inflation rate', periodLabel: '2025', actualValue: '5.1%' },
    conditions: [],
  },
  /** Every way to compare, of which one holds. */
  operators: {
    ...{ title: 'Balance of Lunca Mare', periodLabel: '2026', actualValue: '1,23' },
    unsubscribeUrl: links.unsubscribeUrl,
    conditions: [
      { operator: 'gt', threshold: '2', actualValue: '1,23', isMet: 'false' },
      { operator: 'gte', threshold: '2', actualValue: '1,23', isMet: 'false' },
      { operator: 'lt', threshold: '1', actualValue: '1,23', isMet: 'false' },
      { operator: 'lte', threshold: '1', actualValue: '1,23', isMet: 'false' },
      { operator: 'eq', threshold: '1,23', actualValue: '1,23', isMet: 'true' },
    ],
  },
};
