import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BudgetData } from '../../src/sources/newsletters/budget/budget-data.ts';
import { createGraphqlBudget } from '../../src/sources/newsletters/budget/graphql-budget.ts';
import { createLocalBudget } from '../../src/sources/newsletters/budget/local-budget.ts';
import { createRunCache } from '../../src/sources/newsletters/budget/run-cache.ts';
import { contentOf } from '../../src/sources/newsletters/mail/content.ts';
import {
  createNotifications,
  type Notifications,
} from '../../src/sources/newsletters/notifications/notifications.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { ana, createNotificationsWorld, type NotificationsWorld } from './notifications-world.ts';

const datasets = async () => new Map();
const readable = { accountCategory: 'ch', entityCuis: ['4305857'] };

onBothDatabases('an alert that nobody could ever tell of', (dialect) => {
  let world: NotificationsWorld;
  let budget: BudgetData;
  let notifications: Notifications;
  beforeAll(async () => {
    world = await createNotificationsWorld(dialect);
    const { db, clock, consent } = world;
    budget = createLocalBudget({ db, clock, log: silentLog, datasets });
    notifications = createNotifications({
      ...{ db, clock, ids: systemIds, log: silentLog, unsubscribe: consent.unsubscribe },
      ...(budget.filterProblem && { filterProblem: budget.filterProblem }),
    });
  });
  afterAll(() => world.close());

  const subscribe = (filter: Record<string, unknown>, from = notifications) =>
    from.subscribe({ userId: ana, type: 'alert_series_analytics', config: { conditions: [], filter } });

  test.each([
    [{ nonsense: true }, 'There is no nonsense in a filter.'],
    [{ account_category: 'ch' }, 'entity_cuis must name the entities whose budgets are meant.'],
    [{ ...readable, county_codes: ['CJ'] }, 'county_codes is more than the imported budgets know.'],
  ])('is refused when it is asked for: %j', async (filter, problem) => {
    const sentence = `config.filter cannot be watched: ${problem}`;
    await expect(subscribe(filter)).rejects.toMatchObject({
      ...{ code: 'invalid_config', message: sentence },
      details: { problems: [{ field: 'config.filter', problem: sentence }] },
    });
  });

  test('one that can be told is taken, and cannot be changed into one that cannot', async () => {
    const { kind, notification } = await subscribe(readable);
    expect(kind).toBe('created');
    const config = { conditions: [], filter: { nonsense: true } };
    await expect(notifications.update(ana, notification.id, { config })).rejects.toMatchObject({
      code: 'invalid_config',
    });
    expect((await notifications.find(ana, notification.id)).config?.filter).toEqual(readable);
  });

  test('that an import has brought is left out for a reason of its own, beside others that are told', async () => {
    const { notification } = await subscribe({ nonsense: true }, world.notifications);
    const other = (await subscribe(readable)).notification;
    const content = await contentOf(
      [notification, other].map(({ id }, index) => ({
        ...{ seq: index, occasion: '2025', recipient: `${ana}:${id}`, locale: null },
      })),
      {
        ...{ db: world.db, budget: createRunCache(budget, { entriesMax: 10 }), defaultLocale: 'en' },
        links: { entityUrl: '', preferencesUrl: '', platformBaseUrl: () => '' },
      },
    );
    expect(content.get(0)).toEqual({
      kind: 'ineligible',
      error: {
        code: 'unknown_filter',
        message: 'Its filter is none that the budgets can be asked with: There is no nonsense in a filter.',
      },
    });
    expect(content.get(1)).toMatchObject({ kind: 'ineligible', error: { code: 'no_data' } });
  });
});

test("with an API the platform's own filter may be asked, and nothing else", async () => {
  const clock = createManualClock();
  const platform = createGraphqlBudget({ url: 'http://127.0.0.1:1', clock, log: silentLog, datasets });
  expect(platform.filterProblem?.({ account_category: 'ch', county_codes: ['CJ'] })).toBeUndefined();
  expect(platform.filterProblem?.({ nonsense: true })).toBe('There is no nonsense in a filter.');
  await platform.close?.();
});
