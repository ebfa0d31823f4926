import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicWorld, createCivicWorld } from './civic-world.ts';

/** Each test goes on where the last one ended. */
onBothDatabases('deliveries explain of who left a newsletter', (dialect) => {
  let shell: CommandLine;
  let world: CivicWorld;
  let recipient: string;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createCivicWorld(dialect);
    recipient = `user-1:${await world.follow(1)}`;
    await world.follow(1, { cui: '22' });
    await tidings('users', 'set', 'user-1', '--email', 'Ana@example.org');
    const links = await world.consent.unsubscribe.linksFor([{ seq: 1, source: 'newsletters', recipient }]);
    await world.consent.unsubscribe.stop(links.get(1)?.split('/').at(-1) ?? '', 'page');
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });
  const tidings = (...args: string[]) => shell.run(args, { env: { DATABASE_URL: world.url, PORT: '0' } });
  const explain = (...args: string[]) => tidings('deliveries', 'explain', 'ana@example.org', ...args);
  const left = async () => (await explain()).out.split('\n').filter((line) => line.startsWith('They left'));

  test('it says which one, and how they come back', async () => {
    expect(await left()).toEqual([
      expect.stringMatching(
        /^They left the monthly newsletter of 4305857 .*, by the link in a mail\. If they ask to be back: /,
      ),
    ]);
    expect((await left())[0]).toContain(
      `npx tidings suppressions remove ${recipient} --unsubscribed-from newsletters --because "…"`,
    );
    const json = JSON.parse((await explain('--json')).out);
    expect(json.unsubscribed).toMatchObject([{ source: 'newsletters', recipient }]);
  });

  test('with the name of the entity, where that was imported', async () => {
    const entity = { kind: 'entity', cui: '4305857', name: 'MUNICIPIUL CLUJ-NAPOCA' } as const;
    const unsaid = { entityType: null, countyName: null, population: null };
    await createBudgetStore(world).put([{ ...entity, ...unsaid }]);
    expect((await left())[0]).toMatch(
      /^They left the monthly newsletter of MUNICIPIUL CLUJ-NAPOCA \(4305857\) /,
    );
  });

  test('of one that was deleted since only the source is known', async () => {
    await world.newsletters.notifications.remove('user-1', recipient.split(':')[1] ?? '');
    expect(await left()).toEqual([expect.stringMatching(/^They left the source newsletters /)]);
  });

  test('and that command brings them back', async () => {
    const words = ['suppressions', 'remove', recipient, '--unsubscribed-from', 'newsletters'];
    expect((await tidings(...words, '--because', 'she asked')).code).toBe(0);
    expect(await left()).toEqual([]);
  });
});
