import { createLease, type LeaseParts } from './db/lease.ts';
import { render } from './emails/render.ts';
import type { Config } from './settings.ts';
import { openBudget } from './sources/newsletters/budget/open-budget.ts';
import {
  createNewsletters,
  type Newsletters,
  type NewslettersParts,
} from './sources/newsletters/newsletters.ts';
import { openUsers } from './sources/newsletters/users/open-users.ts';

type Told = 'budget' | 'users' | 'render' | 'defaultLocale' | 'entityUrl' | 'preferencesUrl' | 'isLeader';
type Parts = Omit<NewslettersParts, Told> & Pick<LeaseParts, 'holder'>;

/** Newsletters and alerts as they are configured: whose figures, and whose addresses. */
export async function openNewsletters(config: Config, { holder, ...parts }: Parts): Promise<Newsletters> {
  const { db, clock, log } = parts;
  const { entityUrl, preferencesUrl, newslettersLocale: defaultLocale } = config;
  const { budgetApiUrl, budgetDatasets: datasetsFolder } = config;
  const lease = createLease({ db, clock, holder, name: 'newsletter runs' });
  const budget = await openBudget({ db, clock, log, budgetApiUrl, datasetsFolder });
  const users = await openUsers(config, { db, clock, log });
  return createNewsletters({
    ...{ ...parts, budget, users, render, defaultLocale, entityUrl, preferencesUrl },
    isLeader: async () => (await lease.hold()).isOurs,
  });
}
