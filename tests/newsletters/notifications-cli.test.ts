import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCommandLine } from '../cli/command-line.ts';
import { createShellWorld, type ShellWorld } from '../cli/shell-world.ts';
import { onBothDatabases } from '../support/world.ts';

/** Each test goes on where the last one ended. */
onBothDatabases('tidings notifications', (dialect) => {
  let world: ShellWorld;
  beforeAll(async () => {
    world = await createShellWorld(dialect);
  });
  afterAll(() => world.close());
  const tidings = (...args: string[]) =>
    world.shell.run(['notifications', ...args], { env: { DATABASE_URL: world.url, LOG_LEVEL: 'error' } });

  test('subscribe takes a list, names what is bad, and the second time nothing is new', async () => {
    const lines = Array.from(
      { length: 150 },
      (_, index) => `user_${index},newsletter_entity_monthly,4305857,,ro`,
    );
    const nonsense = '"{""filter"":{""nonsense"":true}}"';
    writeFileSync(
      join(world.shell.folder, 'list.csv'),
      ['user,type,entity,config,locale', ...lines, `ana,alert_series_analytics,,${nonsense},`].join('\n'),
    );
    const first = await tidings('subscribe', '--file', 'list.csv');
    expect([first.code, first.out]).toEqual([
      1,
      '151 read: 150 new, 0 here already, 0 not brought back, because they have left, 1 bad.\n',
    ]);
    expect(first.err).toBe('Line 152: config.filter cannot be watched: There is no nonsense in a filter.\n');
    await world.db.write
      .updateTable('notifications')
      .set({ is_active: 0, inactive_because: 'unsubscribed' })
      .where('user_id', '=', 'user_7')
      .execute();
    const again = JSON.parse((await tidings('subscribe', '--file', 'list.csv', '--json')).out);
    expect(again).toMatchObject({ read: 151, created: 0, existing: 149, left: 1, bad: 1, isWhole: true });
  });

  test('list says who follows what, and how it stands', async () => {
    const { code, out } = await tidings('list', '--user', 'user_7');
    expect([code, out.split('\n')[1]?.split(/\s+/).slice(0, 5)]).toEqual([
      0,
      ['user_7', 'newsletter_entity_monthly', '4305857', 'ro', 'unsubscribed'],
    ]);
    const page = await tidings('list', '--entity', 'RO4305857', '--limit', '3');
    expect(page.out).toMatch(
      /\nMore: npx tidings notifications list --entity RO4305857 --after [\w-]{36}\n$/,
    );
    if (dialect === 'postgres') return;
    const mistake = await tidings('list', '--type', 'newsletter_entity_month');
    expect([mistake.code, mistake.err]).toEqual([
      2,
      expect.stringMatching(/Did you mean newsletter_entity_monthly\? The types are .*alert_series_static\./),
    ]);
  });
});

test.each(['trigger', 'plan', 'notifications list'])('%s --help names the five types', async (command) => {
  const shell = createCommandLine();
  const { out } = await shell.run([...command.split(' '), '--help']);
  await shell.close();
  expect(out).toContain(
    [
      'Types:',
      ...['newsletter_entity_monthly', 'newsletter_entity_quarterly', 'newsletter_entity_yearly'],
      ...['alert_series_analytics', 'alert_series_static'],
    ].join('\n  '),
  );
});
