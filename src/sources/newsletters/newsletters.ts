import type { Unsubscribe } from '../../consent/unsubscribe.ts';
import type { Database } from '../../db/database.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import type { Clock } from '../../std/clock.ts';
import type { Ids } from '../../std/ids.ts';
import type { Log } from '../../std/log.ts';
import type { Chore, Source } from '../source.ts';
import type { BudgetData } from './budget/budget-data.ts';
import { createNewsletterSource } from './mail/newsletter-source.ts';
import { createNotifications, type Notifications } from './notifications/notifications.ts';
import type { PeriodLocale } from './period.ts';
import type { Render } from './runs/compose.ts';
import { forgetRuns } from './runs/forget.ts';
import { createRuns, type Runs } from './runs/runs.ts';
import type { UserDirectory } from './users/user-directory.ts';

/**
 * Newsletters and alerts: a citizen follows an entity's budget or sets a threshold, and once a period they are told, once. Who asked for
 * what is kept in `notifications`; a run collects them into deliveries and composes what they will read; the source answers for each
 * mail when it is due. It never sends.
 */
export interface Newsletters {
  readonly source: Source;
  /** What it does by itself, where somebody works. */
  readonly chores: readonly Chore[];
  readonly notifications: Notifications;
  readonly runs: Runs;
  readonly users: UserDirectory;
  readonly budget: BudgetData;
  /** Retention: the lists of runs that ended before that. */
  forget(before: number): Promise<void>;
  close(): Promise<void>;
}

export interface NewslettersParts {
  db: Database;
  outbox: Outbox;
  unsubscribe: Unsubscribe;
  clock: Clock;
  ids: Ids;
  log: Log;
  budget: BudgetData;
  users: UserDirectory;
  render: Render;
  defaultLocale: PeriodLocale;
  entityUrl: string;
  preferencesUrl: string;
  baseUrl: () => string;
  /** Whether this process is the one that works at runs. */
  isLeader: () => Promise<boolean>;
  /** Mails were let go. */
  onComposed: () => void;
  /** Of a run, in one transaction: for who has no thousands to try it with. */
  pageMax?: number;
}

export function createNewsletters(parts: NewslettersParts): Newsletters {
  const { budget, users, entityUrl, preferencesUrl, baseUrl } = parts;
  const links = { entityUrl, preferencesUrl, platformBaseUrl: () => baseUrl().replace(/\/+$/, '') };
  const notifications = createNotifications({
    ...parts,
    ...(budget.filterProblem && { filterProblem: budget.filterProblem }),
  });
  const runs = createRuns({ ...parts, links });
  return {
    source: createNewsletterSource({ ...parts, links, notifications }),
    chores: [runs.chore],
    ...{ notifications, runs, users, budget },
    forget: (before) => forgetRuns(parts, before),
    async close() {
      await budget.close?.();
      await users.close?.();
    },
  };
}
