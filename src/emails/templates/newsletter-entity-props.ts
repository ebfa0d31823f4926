import { line, link, listOf, oneOf, type PropsOf, percent } from '../values.ts';

const figures = {
  type: 'object',
  required: ['income', 'expenses', 'balance'],
  properties: { income: line(60), expenses: line(60), balance: line(60) },
} as const;

/** 002-P3-03, with what readers of a budget ask next. Amounts are texts, with their currency: `1,97 mld. RON`. */
export const newsletterSchema = {
  type: 'object',
  required: [
    ...['entityName', 'entityCui', 'periodType', 'periodLabel'],
    ...['totalIncome', 'totalExpenses', 'budgetBalance', 'balanceSign', 'incomeShare', 'expensesShare'],
    'unsubscribeUrl',
  ],
  properties: {
    entityName: line(300),
    entityCui: line(20),
    periodType: oneOf('monthly', 'quarterly', 'yearly'),
    periodLabel: line(60),
    totalIncome: line(60),
    totalExpenses: line(60),
    budgetBalance: line(60),
    balanceSign: oneOf('surplus', 'deficit', 'even'),
    /** Of the larger of the two, for the bars. */
    incomeShare: percent,
    expensesShare: percent,
    /** Against the period before; one that cannot be told in percent is left out. */
    changes: {
      type: 'object',
      required: ['beforeLabel'],
      properties: { income: line(60), expenses: line(60), balance: line(60), beforeLabel: line(60) },
    },
    yearToDate: {
      ...figures,
      required: [...figures.required, 'label'],
      properties: { ...figures.properties, label: line(60) },
    },
    perHead: figures,
    topExpenses: listOf(5, {
      type: 'object',
      required: ['name', 'amount', 'share', 'bar'],
      properties: { name: line(200), amount: line(60), share: line(60), bar: percent },
    }),
    entityUrl: link,
    preferencesUrl: link,
    platformBaseUrl: link,
    unsubscribeUrl: link,
    isPreview: oneOf('true'),
  },
} as const;

export type NewsletterProps = PropsOf<typeof newsletterSchema>;
