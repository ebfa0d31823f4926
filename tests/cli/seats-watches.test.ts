import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWatchWorld, dayMs, type WatchWorld } from '../seats/watch-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

/** Each test goes on where the last one ended. */
onBothDatabases('what a person watches, on the command line', (dialect) => {
  let shell: CommandLine;
  let world: WatchWorld;
  let watch: number;
  let mail: number;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWatchWorld(dialect);
    await world.believe('Closed');
    ({ subscriptionId: watch } = await world.confirmed({ email: 'bob@example.org' }));
    // The commands go by the clock of this machine, which is beyond the world's.
    const snooze_until = Date.now() + dayMs;
    await world.db.write.updateTable('subscriptions').set({ snooze_until }).execute();
    mail = await world.tell(await world.addOpenEvent(), watch, { dueAt: snooze_until });
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });
  const tidings = (...args: string[]) =>
    shell.run(args, {
      env: { DATABASE_URL: world.url, LOG_LEVEL: 'error', SOC_TERMS: '12026', MAIL_PROVIDER: 'capture' },
    });

  test('explain finds by the address a mail that waits unwritten, says why it waits, and what they watch', async () => {
    const { code, out } = await tidings('deliveries', 'explain', 'bob@example.org');
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`Watch ${watch}, of 01:198:111 .* spring 2026: active, silent for .* more\\.`),
    );
    expect(out).toContain(`Delivery ${mail} to ${watch}: pending`);
    expect(out).toContain('Not yet: it waits to be sent: they asked for silence until then; it is due in');
  });

  test('an operator ends the watch of somebody, and sees it ended', async () => {
    const { code, out } = await tidings('seats', 'unwatch', String(watch), '--because', 'he asked');
    expect([code, out]).toEqual([0, expect.stringContaining(`Watch ${watch} has ended`)]);
    expect(await world.statusOf(mail)).toBe('skipped_unsubscribed');
    const ofSection = await tidings('seats', 'watches', '--index', '09214');
    expect(ofSection.out).toMatch(/^WATCH +ADDRESS +STATE +MAILS +SINCE\n/);
    expect(ofSection.out).toMatch(/bob@example\.org +ended .*, by operator .* \(he asked\)/);
  });
});

test('whose watches must be said, and of one person or one section', async () => {
  const shell = createCommandLine();
  const { code, err } = await shell.run(['seats', 'watches', '--email', 'b@example.org', '--index', '09214']);
  await shell.close();
  expect([code, err]).toEqual([2, expect.stringContaining('Say whose watches')]);
});
