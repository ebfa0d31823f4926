import { type Consent, createConsent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { createDispatch } from '../../src/dispatch/dispatch.ts';
import { createPace } from '../../src/dispatch/pace.ts';
import type { Address } from '../../src/domain/address.ts';
import type { Sender } from '../../src/domain/message.ts';
import { render } from '../../src/emails/render.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries, type OutboxQueries } from '../../src/outbox/queries.ts';
import type { BudgetData } from '../../src/sources/newsletters/budget/budget-data.ts';
import { createNewsletters, type Newsletters } from '../../src/sources/newsletters/newsletters.ts';
import type { NotificationType } from '../../src/sources/newsletters/notification-type.ts';
import type { FoundAddress, UserDirectory } from '../../src/sources/newsletters/users/user-directory.ts';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { createFakeProvider, type FakeProvider } from '../support/fake-provider.ts';
import { migratedDatabase } from '../support/own-database.ts';
import { createFakeBudget, type FakeBudget } from './fake-budget.ts';

/** A civic platform: citizens who follow town halls, figures that the test decides, and the engine that tells them. */
export interface CivicWorld {
  url: string;
  db: Database;
  clock: ManualClock;
  outbox: Outbox;
  queries: OutboxQueries;
  consent: Consent;
  newsletters: Newsletters;
  provider: FakeProvider;
  budget: FakeBudget;
  /** What the directory says of a user; without a word, that they have an address. */
  answers: Map<string, FoundAddress>;
  /** User `user-<number>` follows an entity; answers the notification's id. */
  follow(number: number, more?: { cui?: string; type?: NotificationType }): Promise<string>;
  followAll(count: number): Promise<string[]>;
  /** Runs and mails, turn after turn, until nothing more happens by itself; the clock stands. */
  settle(): Promise<void>;
  sendOnce(): Promise<number>;
  statuses(): Promise<Record<string, number>>;
  /** A second process with the same database. */
  another(): Newsletters;
  close(): Promise<void>;
}

export const november = Date.UTC(2026, 10, 17, 10);
export const monthly = 'newsletter_entity_monthly';
export const addressOf = (userId: string) => `${userId}@example.org` as Address;

export interface CivicWorldOptions {
  /** For other processes, which have a clock of their own. */
  startsAt?: number;
  /** Instead of one that says what `answers` has. */
  users?: (clock: ManualClock) => UserDirectory;
  /** Instead of one whose figures the test decides. */
  budgetOf?: (parts: { db: Database; clock: ManualClock }) => Promise<BudgetData>;
}

export async function createCivicWorld(
  dialect: DialectName,
  { startsAt = november, users, budgetOf }: CivicWorldOptions = {},
): Promise<CivicWorld> {
  const { url, drop, db } = await migratedDatabase(dialect);
  const clock = createManualClock(startsAt);
  const answers: CivicWorld['answers'] = new Map();
  const budget = createFakeBudget();
  const provider = createFakeProvider();
  const namespace = await readNamespace(db);
  const sourceOf = () => newsletters.source;
  const consent = createConsent({
    ...{ db, clock, ids: systemIds, log, secrets: [tokenSecret], baseUrl: () => baseUrl },
    onLeft: async ({ recipient }, tx, extent) => sourceOf().left?.([recipient], tx, extent),
    onReturned: async ({ recipient }, tx) => sourceOf().returned?.([recipient], tx),
  });
  const outbox = createOutbox({
    ...{ db, clock, log, namespace },
    listeners: { consent: consent.learn, source: () => sourceOf().changed },
  });
  const directory: UserDirectory = users?.(clock) ?? {
    name: 'test',
    addressesOf: async (ids) =>
      new Map(ids.map((id) => [id, answers.get(id) ?? { kind: 'address', address: addressOf(id) }])),
  };
  const figures = (await budgetOf?.({ db, clock })) ?? budget;
  const open = () =>
    createNewsletters({
      ...{
        db,
        outbox,
        clock,
        log,
        budget: figures,
        render,
        ids: systemIds,
        unsubscribe: consent.unsubscribe,
      },
      users: directory,
      ...{ defaultLocale: 'en', entityUrl: 'https://budget.example.org/{cui}', preferencesUrl: '' },
      ...{ baseUrl: () => baseUrl, isLeader: async () => true, onComposed: () => {} },
    });
  const newsletters = open();
  const dispatch = createDispatch({
    ...{ outbox, consent, provider, clock, log, sources: [newsletters.source], worker: 'worker-1' },
    ...{ pace: createPace({ db, provider, clock, log }), random: createSeededRandom(1) },
    ...{ from: 'Budgets <budgets@example.org>' as Sender, environment: 'test' },
  });
  const sendOnce = async () => (await dispatch.runOnce(new AbortController().signal)).handled;
  const turnsMax = 2_000;

  const follow: CivicWorld['follow'] = async (number, { cui = '4305857', type = monthly } = {}) => {
    const order = { userId: `user-${number}`, type, entityCui: cui };
    const { notification } = await newsletters.notifications.subscribe(order);
    return notification.id;
  };

  return {
    ...{ url, db, clock, outbox, consent, newsletters, provider, budget, answers, follow, sendOnce },
    queries: createQueries(db),
    another: open,
    async followAll(count) {
      const ids = [];
      for (let number = 1; number <= count; number++) ids.push(await follow(number));
      return ids;
    },
    async settle() {
      for (let turn = 0; turn < turnsMax; turn++) {
        const isMore = (await newsletters.runs.runOnce()) === 'again';
        if ((await sendOnce()) === 0 && !isMore) return;
      }
      throw new Error('it does not come to an end');
    },
    async statuses() {
      const rows = await db.read.selectFrom('deliveries').select('status').execute();
      const counts: Record<string, number> = {};
      for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },
    async close() {
      await newsletters.close();
      await db.close();
      await drop();
    },
  };
}
