import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Finding } from '../../src/cli/finding.ts';
import { sendData, startBudgetServer } from '../newsletters/budget-server.ts';
import { clerkKey, startFakeClerk } from '../support/fake-clerk.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

async function doctor(env: Record<string, string>) {
  const { code, out, err } = await shell.run(['doctor', '--json'], { env: { PORT: '0', ...env } });
  const { findings, newsletters } = JSON.parse(out) as { findings: Finding[]; newsletters: unknown };
  const marked = (mark: Finding['mark']) =>
    findings.filter((one) => one.mark === mark).map(({ sentence }) => sentence);
  return { code, err, out, newsletters, marked, findings };
}

async function follow({ db }: World, userId: string, datasetId: string | null = null): Promise<void> {
  const type = datasetId === null ? 'newsletter_entity_monthly' : 'alert_series_static';
  await db.write
    .insertInto('notifications')
    .values({
      ...{ id: `of ${userId}`, user_id: userId, notification_type: type, hash: userId, is_active: 1 },
      ...{
        entity_cui: datasetId === null ? '11' : null,
        dataset_id: datasetId,
        created_at: 1,
        updated_at: 1,
      },
    })
    .execute();
}

async function runOf({ db }: World, status: 'paused' | 'halted', periodKey: string): Promise<void> {
  const runId = `00000000-0000-4000-8000-00000${periodKey.replace('-', '0')}`;
  await db.write
    .insertInto('notification_runs')
    .values({
      ...{ run_id: runId, notification_type: 'newsletter_entity_monthly', period_key: periodKey, status },
      ...{ eligible_count: 1, status_because: 'a wrong figure', created_by: 'ana', trace_id: 'trace' },
      ...{ created_at: 1, updated_at: 1 },
    })
    .execute();
  await db.write
    .insertInto('notification_run_items')
    .values({ run_id: runId, notification_id: 'n', user_id: 'u', period_key: periodKey, state: 'planned' })
    .execute();
}

onBothDatabases('doctor and newsletters', (dialect) => {
  test('who follows, without an address; no figures; datasets; runs that wait for a person', async () => {
    const world = await createWorld(dialect);
    try {
      await world.db.write
        .insertInto('users')
        .values({ user_id: 'ana', email: 'ana@example.org', is_verified: 1, updated_at: 1 })
        .execute();
      for (const userId of ['ana', 'bob']) await follow(world, userId);
      await follow(world, 'cleo', 'a.missing');
      await runOf(world, 'paused', '2026-05');
      await runOf(world, 'halted', '2026-06');
      const datasets = join(shell.folder, 'datasets');
      mkdirSync(datasets);
      writeFileSync(join(datasets, 'broken.yaml'), 'data: 5\n');
      writeFileSync(join(datasets, 'good.yaml'), 'axes: { x: { frequency: yearly } }\ndata: []\n');
      const { code, marked, findings, newsletters } = await doctor({ DATABASE_URL: world.url });
      expect(code).toBe(1);
      const run = 'The run of newsletter_entity_monthly for';
      expect(marked('problem')).toEqual([
        expect.stringMatching(/^The dataset broken\.yaml cannot be read: Its axes/),
        'Alerts watch datasets that are not there: a.missing.',
        `${run} June 2026 has halted itself (a wrong figure): 1 of 1 wait.`,
      ]);
      expect(marked('ok')).toEqual(
        expect.arrayContaining([
          'Followed: 1 alert_series_static, 2 newsletter_entity_monthly.',
          'Users: 1 user in the database.',
          'Datasets: 1 in ./datasets.',
        ]),
      );
      expect(marked('note')).toEqual(
        expect.arrayContaining([
          '2 users follow something and have no verified address here: they are not told.',
          'No budget was imported: there is nothing to tell.',
          `${run} May 2026 is paused (a wrong figure): 1 of 1 wait.`,
        ]),
      );
      const paused = findings.find(({ sentence }) => sentence.includes('is paused'));
      expect(paused?.cure).toMatch(/^npx tidings runs resume 00000000-\S+ --reason/);
      expect(newsletters).toMatchObject({
        ...{ users: { count: 1, withoutAddress: 0, followersWithoutAddress: 2 } },
        ...{ budgets: { entities: 0, amounts: 0 }, datasets: { known: ['good'], missing: ['a.missing'] } },
      });
    } finally {
      await world.close();
    }
  });
});

test('Clerk and the budget API are really asked, also before there is a database', async () => {
  const clerk = await startFakeClerk();
  const api = await startBudgetServer((_, response) => sendData(response, '{"__typename":"Query"}'));
  try {
    const env = { CLERK_SECRET_KEY: clerkKey, CLERK_API_URL: clerk.url, BUDGET_API_URL: api.url };
    const good = await doctor(env);
    expect(good.code).toBe(0);
    expect(good.marked('ok')).toEqual(
      expect.arrayContaining([
        `The budget API at ${api.url} was asked just now, and answers.`,
        `Clerk at ${clerk.url} was asked just now, and answers.`,
      ]),
    );
    const refused = await doctor({ ...env, CLERK_SECRET_KEY: `${clerkKey}x` });
    expect(refused.marked('problem')).toEqual([
      `Clerk at ${clerk.url} was asked just now, and does not answer: Clerk refuses the secret key.`,
    ]);
    expect(refused.out).not.toContain(clerkKey);
  } finally {
    await clerk.close();
    await api.close();
  }
});

test('and whoever cannot be reached is a problem', async () => {
  const world = await createWorld('sqlite');
  try {
    const nowhere = 'http://127.0.0.1:1';
    const { code, marked } = await doctor({
      ...{ DATABASE_URL: world.url, BUDGET_API_URL: `${nowhere}/graphql` },
      ...{ CLERK_API_URL: nowhere, CLERK_SECRET_KEY: clerkKey },
    });
    expect(code).toBe(1);
    expect(marked('problem')).toEqual([
      expect.stringMatching(/^The budget API at \S+ was asked just now, and does not answer: .*ECONNREFUSED/),
      expect.stringMatching(/^Clerk at \S+ was asked just now, and does not answer: .*ECONNREFUSED/),
    ]);
  } finally {
    await world.close();
  }
});
