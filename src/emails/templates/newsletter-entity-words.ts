import type { NewsletterProps } from './newsletter-entity-props.ts';

/** What a budget newsletter says by itself. Where a word takes a value, it stands at its end or its beginning: both languages can. */
export interface NewsletterWords {
  /** What stands before the entity's name in the subject. */
  subject(period: string): string;
  kind: Readonly<Record<PeriodType, string>>;
  taxId(cui: string): string;
  income: string;
  expenses: string;
  balance: string;
  /** The balance of the period itself, of which is known which way it went. */
  balances: Readonly<Record<BalanceSign, string>>;
  change(change: string, before: string): string;
  yearToDate: string;
  perHead: string;
  topExpenses: string;
  share(amount: string, share: string): string;
  open: string;
  reason: Readonly<Record<PeriodType, string>>;
  unsubscribe: string;
}

type PeriodType = NewsletterProps['periodType'];
type BalanceSign = NewsletterProps['balanceSign'];

/** 002-P3-01 */
export const newsletterLocales = ['en', 'ro'] as const;

const reasonInEnglish = (how: string) =>
  `You get this mail because you subscribed to the ${how} budget newsletter of this institution.`;
const reasonInRomanian = (how: string) =>
  `Primiți acest mesaj pentru că v-ați abonat la buletinul bugetar ${how} al acestei instituții.`;

export const newsletterWords: Readonly<Record<(typeof newsletterLocales)[number], NewsletterWords>> = {
  en: {
    subject: (period) => `Budget for ${period}: `,
    kind: {
      monthly: 'Monthly budget newsletter',
      quarterly: 'Quarterly budget newsletter',
      yearly: 'Yearly budget newsletter',
    },
    taxId: (cui) => `Tax number (CUI): ${cui}`,
    income: 'Income',
    expenses: 'Expenses',
    balance: 'Balance',
    balances: { surplus: 'Balance (surplus)', deficit: 'Balance (deficit)', even: 'Balance (even)' },
    change: (change, before) => `${change} compared with ${before}`,
    yearToDate: 'Since the start of the year',
    perHead: 'Per inhabitant',
    topExpenses: 'Largest expenses',
    share: (amount, share) => `${amount}, ${share} of expenses`,
    open: 'See the whole budget',
    reason: {
      monthly: reasonInEnglish('monthly'),
      quarterly: reasonInEnglish('quarterly'),
      yearly: reasonInEnglish('yearly'),
    },
    unsubscribe: 'Unsubscribe from this newsletter',
  },
  ro: {
    subject: (period) => `Bugetul pe ${period}: `,
    kind: {
      monthly: 'Buletin bugetar lunar',
      quarterly: 'Buletin bugetar trimestrial',
      yearly: 'Buletin bugetar anual',
    },
    taxId: (cui) => `Cod fiscal (CUI): ${cui}`,
    income: 'Venituri',
    expenses: 'Cheltuieli',
    balance: 'Sold',
    balances: { surplus: 'Sold (excedent)', deficit: 'Sold (deficit)', even: 'Sold (echilibrat)' },
    change: (change, before) => `${change} față de ${before}`,
    yearToDate: 'De la începutul anului',
    perHead: 'Pe cap de locuitor',
    topExpenses: 'Cele mai mari cheltuieli',
    share: (amount, share) => `${amount}, ${share} din cheltuieli`,
    open: 'Vedeți tot bugetul',
    reason: {
      monthly: reasonInRomanian('lunar'),
      quarterly: reasonInRomanian('trimestrial'),
      yearly: reasonInRomanian('anual'),
    },
    unsubscribe: 'Dezabonați-vă de la acest buletin',
  },
};
