import { afterAll, beforeAll, expect, it } from 'vitest';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import type { TriggerResponse } from '../../src/sources/newsletters/runs/runs.ts';
import { createLocalUsers } from '../../src/sources/newsletters/users/local-users.ts';
import { systemClock } from '../../src/std/clock.ts';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { onBothDatabases } from '../support/world.ts';
import { both, entity } from './budget-lines.ts';
import { addressOf, type CivicWorld, createCivicWorld } from './civic-world.ts';

const yearly = 'newsletter_entity_yearly';
const cui = '4305857';
const users = Array.from({ length: 10 }, (_, index) => index + 1);
/** A race is not lost at the first try. */
const plainYears = ['2015', '2016', '2017', '2018', '2019', '2020'];
const forcedYears = ['2021', '2022', '2023', '2024'];
const years = [...plainYears, ...forcedYears];

/** Two servers, as an operator starts them: nothing in common but the database. Both answer, collect, compose and send. */
onBothDatabases('the same trigger at two processes at once', (dialect) => {
  let shell: CommandLine;
  let world: CivicWorld;
  let urls: string[];
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createCivicWorld(dialect, { startsAt: systemClock.now() });
    const figures = years.flatMap((year) => both(cui, year, '2000000', '1500000'));
    await createBudgetStore(world).put([entity(cui), ...figures]);
    const addressed = users
      .map((number) => `user-${number}`)
      .map((userId) => ({ userId, email: addressOf(userId), isVerified: true }));
    await createLocalUsers(world).put(addressed);
    for (const number of users) await world.follow(number, { type: yearly, cui });
    const env = { DATABASE_URL: world.url, PORT: '0', LOG_LEVEL: 'warn' };
    const servers = [1, 2].map(() => shell.start(['serve'], { env, boundMs: 120_000 }));
    urls = await Promise.all(servers.map(async (server) => (await server.until(/web +(\S+)\n/))[1] ?? ''));
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });

  const trigger = async (url: string, periodKey: string, force: boolean): Promise<TriggerResponse> => {
    const answer = await fetch(`${url}/api/v1/notifications/trigger`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ notificationType: yearly, periodKey, ...(force && { force }) }),
    });
    expect(answer.status).toBe(200);
    return (await answer.json()) as TriggerResponse;
  };
  const atOnce = (periodKey: string, force: boolean) =>
    Promise.all(urls.map((url) => trigger(url, periodKey, force)));
  const runsOf = async (periodKey: string) =>
    (await world.newsletters.runs.list({ limit: 100 })).filter(({ period_key }) => period_key === periodKey);

  it('002-P6-09, 002-P5-03 one of the two starts a run, and says so', async () => {
    for (const year of plainYears) {
      const answers = await atOnce(year, false);
      expect([year, answers.map(({ collectJobEnqueued }) => collectJobEnqueued).sort()]).toEqual([
        year,
        [false, true],
      ]);
      const [started] = answers.filter(({ collectJobEnqueued }) => collectJobEnqueued);
      expect((await runsOf(year)).map(({ run_id }) => run_id)).toEqual([started?.runId]);
    }
  });

  it('002-P5-04, 002-P4-06 with force both do', async () => {
    for (const year of forcedYears) {
      const answers = await atOnce(year, true);
      expect(answers.map(({ collectJobEnqueued }) => collectJobEnqueued)).toEqual([true, true]);
      expect((await runsOf(year)).map(({ run_id }) => run_id).sort()).toEqual(
        answers.map(({ runId }) => runId).sort(),
      );
    }
  });

  it('each is told of each year once, whoever was asked to', { timeout: 120_000 }, async () => {
    const isOver = async () => {
      const runs = await world.newsletters.runs.list({ limit: 100 });
      const statuses = await world.statuses();
      return (
        runs.every(({ status }) => status === 'finished') && Object.keys(statuses).join() === 'delivered'
      );
    };
    while (!(await isOver())) await systemClock.sleep(50);
    const wanted = users.flatMap((number) => years.map((year) => `user-${number} ${year}`)).sort();
    const told = await world.db.read.selectFrom('notification_deliveries').selectAll().execute();
    expect(told.map(({ user_id, period_key }) => `${user_id} ${period_key}`).sort()).toEqual(wanted);
    // And at the provider: one mail for each of them.
    const mails = await world.db.read.selectFrom('captured_mails').select('mail').execute();
    const read = mails.map(({ mail }) => JSON.parse(mail) as { to: string; tags: Record<string, string> });
    expect(read.map(({ to, tags }) => `${to.replace(/@.*/, '')} ${tags.period_key}`).sort()).toEqual(wanted);
    // Whoever clicks again, with force, is told that there is nobody left.
    for (const answer of await atOnce('2024', true))
      expect(answer).toMatchObject({ collectJobEnqueued: true, eligibleCount: 0 });
    expect(await world.statuses()).toEqual({ delivered: wanted.length });
  });
});
