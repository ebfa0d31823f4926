import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';
import {
  createOldSystem,
  insert,
  type OldSystem,
  oldDelivery,
  oldNotification,
} from './notifications-old-system.ts';

/** Each test goes on where the last one ended. */
onBothDatabases('tidings notifications import', (dialect) => {
  let shell: CommandLine;
  let world: World;
  let old: OldSystem;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld(dialect);
    old = await createOldSystem(dialect, 'after', 'BIGINT');
    const full = { to_email: null, resend_email_id: null, attempt_count: 1, last_attempt_at: null };
    await old.run(
      insert('Notifications', [
        oldNotification(1),
        oldNotification(2, { notification_type: 'newsletter_daily' }),
      ]),
      insert('NotificationDeliveries', [
        oldDelivery(1, 1, { status: 'sent', ...full, to_email: 'ana@example.org' }),
        oldDelivery(2, 1, {
          status: 'pending',
          period_key: '2025-09',
          ...full,
          sent_at: null,
          attempt_count: 0,
        }),
        oldDelivery(3, 1, { status: 'sending', period_key: '2025-08', ...full, sent_at: null }),
        oldDelivery(4, 1, {
          status: 'suppressed',
          period_key: '2025-07',
          ...full,
          to_email: 'bad@example.org',
        }),
        oldDelivery(5, 1, { status: 'queued', period_key: '2025-06', ...full, sent_at: null }),
      ]),
      insert('UnsubscribeTokens', [
        {
          token: 'old-token-0123456789',
          user_id: 'user_ana',
          notification_id: 1,
          created_at: null,
          used_at: null,
        },
      ]),
    );
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
    await old.drop();
  });
  const run = (args: string[], input?: string) =>
    shell.run(args, {
      ...(input !== undefined && { input }),
      env: { DATABASE_URL: world.url, PORT: '0', LOG_LEVEL: 'debug' },
    });
  const tidings = (args: string[], input?: string) => run(['notifications', 'import', ...args], input);

  test('a dry run says what would come of it', async () => {
    const { code, out, err } = await tidings(['--from', old.url, '--dry-run']);
    expect([code, out.split('\n')]).toEqual([
      1,
      [
        'Dry run: nothing has been changed.',
        'Notifications: 2 read, 1 new, 0 here already, 1 bad; 1 of the new ones would be active.',
        'Links in mails: 1 read, 1 new, 0 here already.',
        'Deliveries: 5 read, 5 new, 0 here already.',
        '  1 had been sent, 1 had ended in another way: none of them is told again.',
        '  1 had not been sent yet: it would be closed as expired, and not sent late.',
        '  2 may have been sent, and nobody said so: a person decides. See: npx tidings deliveries list --status needs_review',
        '  Of these, some have a status that is not known here (1 queued): what has a time of sending was sent, and of the rest a person decides. None of them is told again by itself.',
        '  1 address that it had given up on would be on the list of suppressions.',
        '',
      ],
    ]);
    expect(err).toContain('notifications 2: The notification type must be one of');
    expect(await world.queries.counts()).toEqual([]);
  });

  test('then it is so, also with an address that is not on the command line; once more changes nothing', async () => {
    const first = await tidings(['--from', '-'], `${old.url}\n`);
    expect(first.out).toContain('Deliveries: 5 read, 5 new, 0 here already.');
    const again = JSON.parse((await tidings(['--from', old.url, '--json'])).out);
    expect(again).toMatchObject({
      isDryRun: false,
      isWhole: true,
      deliveries: { read: 5, taken: 0, known: 5 },
    });
  });

  test('what is explained of one says whose word it is', async () => {
    const { out } = await run(['deliveries', 'explain', 'newsletters:2025-10:user_ana:1']);
    expect(out).toContain('an older system sent it');
    expect(out).toContain('An older system had sent it; its word was taken over.');
    const unsent = await run(['deliveries', 'explain', 'newsletters:2025-09:user_ana:1']);
    expect(unsent.out).toContain('it is not sent late');
    const doubt = await run(['deliveries', 'explain', 'newsletters:2025-08:user_ana:1']);
    expect(doubt.out).toMatch(/We don't know/);
  });

  test.each([
    [[], 'Say where the older system has its database'],
    [['--from', 'mysql://x'], 'must look like sqlite:./old.db'],
    [['--from', 'sqlite:./nowhere.db'], 'there is no file'],
    [['--from', 'postgres://u:s3cret@127.0.0.1:1/x'], 'cannot be opened (ECONNREFUSED)'],
  ])('mistakes: %j', async (args, sentence) => {
    const { code, err } = await tidings(args);
    expect([code, err]).toEqual([2, expect.stringContaining(sentence)]);
    expect(err).not.toContain('s3cret');
  });
});
