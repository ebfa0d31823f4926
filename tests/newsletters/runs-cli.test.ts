import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CivicWorld, createCivicWorld, monthly } from './civic-world.ts';

onBothDatabases('tidings trigger, plan and apply', (dialect) => {
  let shell: CommandLine;
  let world: CivicWorld;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createCivicWorld(dialect);
    await world.followAll(3);
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });
  const tidings = (...args: string[]) => shell.run(args, { env: { DATABASE_URL: world.url, PORT: '0' } });

  test.each([
    ['--bounces-max', '1'],
    ['--canary-wait', '2h'],
  ])('%s without --canary is refused', async (...option) => {
    for (const command of [
      ['trigger', monthly],
      ['plan', monthly],
      ['apply', 'a-plan'],
    ]) {
      const { code, err } = await tidings(...command, ...option);
      expect([code, err]).toEqual([2, expect.stringContaining('--canary <count>')]);
    }
    expect(await world.newsletters.runs.list({ limit: 9 })).toEqual([]);
  });

  test('a second click says that those who wait are on the list of the first', async () => {
    expect((await tidings('trigger', monthly)).out).toContain('3 people are to be told');
    const { code, out } = await tidings('trigger', monthly);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(
        '3 of those who asked have no delivery yet: they are on its list, or came later',
      ),
    ]);
  });
});
