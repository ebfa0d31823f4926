import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { timeOf } from '../../src/cli/arguments.ts';
import { countChosen, readChosen } from '../../src/outbox/choose.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, onBothDatabases } from '../support/world.ts';
import { onScreen } from './screen.ts';
import { createShellWorld, type ShellWorld } from './shell-world.ts';

describe('many deliveries at once', () => {
  let world: ShellWorld;
  beforeEach(async () => {
    world = await createShellWorld();
  });
  afterEach(() => world.close());

  const tidings = (...args: string[]) =>
    world.shell.run(['deliveries', ...args], { env: { DATABASE_URL: world.url } });
  const refused = { code: 'validation_error', message: 'no' };
  const deadLetters = async (...numbers: number[]) => {
    for (const number of numbers)
      await rowIn(world, 'failed_permanent', number, { lastError: JSON.stringify(refused) as never });
  };
  const statuses = async () =>
    Object.fromEntries(
      (
        await world.db.read
          .selectFrom('deliveries')
          .select((eb) => ['status', eb.fn.countAll().as('count')])
          .groupBy('status')
          .execute()
      ).map(({ status, count }) => [status, Number(count)]),
    );

  test('without --yes they are counted, a few are shown, and the command that does it is printed', async () => {
    await deadLetters(1, 2, 3, 4);
    await rowIn(world, 'failed_permanent', 5, { firstPossibleAcceptAt: 1, round: 1, evidence: 4 });
    await rowIn(world, 'expired', 6);
    const { code, out } = await tidings('requeue', '--source', 'plain', '--reason', "it's mended");
    expect(code).toBe(0);
    expect(out.split('\n').slice(0, 2)).toEqual([
      'Dry run: 4 deliveries would be put back to be sent. Nothing has been changed.',
      '1 would be left alone: they were closed in doubt: they may have been sent.',
    ]);
    expect(out).toMatch(
      /COUNT {2}STATUS +SOURCE +LAST ERROR\n +4 {2}failed_permanent {2}plain +validation_error\n +1 {2}failed_permanent {2}plain +none\n/,
    );
    expect(out.match(/person-\d@example\.org {2}plain: occasion-\d +\d\n/g)).toHaveLength(3);
    const [, command = ''] = /Do it: npx tidings deliveries (.*)\n$/.exec(out) ?? [];
    expect(command).toBe(String.raw`requeue --source plain --reason 'it'\''s mended' --yes`);
    expect(await statuses()).toEqual({ failed_permanent: 5, expired: 1 });
  });

  test('with --yes they are done, and what was left alone is told and is exit code 1', async () => {
    await deadLetters(1, 2, 3);
    await rowIn(world, 'failed_permanent', 5, { firstPossibleAcceptAt: 1, round: 1, evidence: 4 });
    const { code, out } = await tidings(
      'requeue',
      '--status',
      'failed_permanent',
      '--reason',
      'mended',
      '--yes',
    );
    expect([code, out]).toEqual([
      1,
      '3 of 3 deliveries are put back to be sent.\n1 is left alone: they were closed in doubt: they may have been sent.\n',
    ]);
    expect(await statuses()).toEqual({ pending: 3, failed_permanent: 1 });
    const again = await tidings(
      'requeue',
      '--error',
      'validation_error',
      '--reason',
      'mended',
      '--yes',
      '--json',
    );
    expect(again.code).toBe(0);
    expect(JSON.parse(again.out)).toEqual({
      isDryRun: false,
      total: 0,
      done: 0,
      notDone: [],
      isStopped: false,
    });
  });

  const forget = async (seq: number) => {
    await world.db.write.deleteFrom('delivery_mails').where('delivery_seq', '=', seq).execute();
    await world.db.write
      .insertInto('delivery_events')
      .values({
        ...{ delivery_seq: seq, at: 1, event: 'forgotten', status: 'failed_permanent', round: 0 },
        ...{ actor: 'sweep', detail: '{}' },
      })
      .execute();
  };

  test('a limit counts those that can move; what cannot is skipped and told apart', async () => {
    await rowIn(world, 'failed_permanent', 1, { firstPossibleAcceptAt: 1, round: 1, evidence: 4 });
    await forget(await rowIn(world, 'failed_permanent', 2));
    await deadLetters(3, 4, 5);
    const words = ['requeue', '--source', 'plain', '--limit', '2', '--reason', 'mended'];
    const dry = await tidings(...words);
    expect(dry.out.split('\n').slice(0, 3).sort()).toEqual([
      '1 would be left alone: they were closed in doubt: they may have been sent.',
      '1 would be left alone: they were emptied by retention (MAIL_RETENTION_DAYS): nothing is left to send.',
      'Dry run: 2 deliveries would be put back to be sent. Nothing has been changed.',
    ]);
    const done = await tidings(...words, '--yes');
    expect(done.out).toMatch(/^2 of 2 deliveries are put back to be sent\.\n1 is left alone/);
    expect(await statuses()).toEqual({ failed_permanent: 3, pending: 2 });
  });

  test('where none can move, no command is offered; where the status is wrong, the right one is told', async () => {
    const seq = await rowIn(world, 'failed_permanent', 1);
    await forget(seq);
    const dry = await tidings('requeue', '--source', 'plain', '--reason', 'x');
    expect(dry.out).toMatch(/^Dry run: 0 deliveries would/);
    expect(dry.out).not.toContain('Do it:');
    await rowIn(world, 'sent', 2);
    await rowIn(world, 'expired', 3);
    const none = await tidings('requeue', '--status', 'suppressed', '--reason', 'x');
    expect(none.out.split('\n').slice(0, -1).sort()).toEqual([
      '1 expired: choose them with --status expired',
      '1 failed_permanent: they were emptied by retention (MAIL_RETENTION_DAYS): nothing is left to send.',
      '1 sent: they were sent, and are never repeated.',
      'No delivery matches with status suppressed. In other statuses 3 deliveries match:',
    ]);
    const one = await tidings('requeue', String(seq), '--reason', 'x');
    expect([one.code, one.out]).toEqual([
      1,
      `Delivery ${seq} is not requeued: its content was deleted, as MAIL_RETENTION_DAYS says, so there is nothing left to send.\n`,
    ]);
  });

  test('in batches, and no more than --limit', async () => {
    const intents = Array.from({ length: 450 }, (_, index) => ({
      ...{ source: 'plain', occasion: `o-${index}`, recipient: 'r', lane: 'normal' as const },
    }));
    await world.outbox.enqueue(intents);
    await world.db.write.updateTable('deliveries').set({ status: 'expired', due_at: null }).execute();
    const words = ['requeue', '--status', 'expired', '--reason', 'of use', '--limit', '410', '--yes'];
    const { code, out, err } = await tidings(...words);
    expect([code, out, err]).toEqual([0, '410 of 410 deliveries are put back to be sent.\n', '']);
    expect(await statuses()).toEqual({ pending: 410, expired: 40 });
  });

  test('Ctrl-C is heard between two batches, and the same command goes on', async () => {
    const intents = Array.from({ length: 4_000 }, (_, index) => ({
      ...{ source: 'plain', occasion: `o-${index}`, recipient: 'r', lane: 'normal' as const },
    }));
    await world.outbox.enqueue(intents);
    await world.db.write.updateTable('deliveries').set({ status: 'expired', due_at: null }).execute();
    const words = ['deliveries', 'requeue', '--status', 'expired', '--reason', 'of use', '--yes'];
    const env = { DATABASE_URL: world.url };
    const running = world.shell.start(words, onScreen(80, env));
    await running.until(/200 of 4000/);
    running.signal('SIGINT');
    const { code, signal, out } = await running.ended;
    expect([code, signal]).toEqual([1, null]);
    expect(out).toMatch(/Stopped between two batches\. The same command goes on with the rest\.\n$/);
    const { pending = 0, expired = 0 } = await statuses();
    expect(pending % 200).toBe(0);
    expect(pending + expired).toBe(4_000);
    expect(out).toContain(`${pending} of 4000 deliveries are put back to be sent.`);
    const rest = await world.shell.run(words, { env });
    expect([rest.code, rest.out]).toEqual([
      0,
      `${expired} of ${expired} deliveries are put back to be sent.\n`,
    ]);
    expect(await statuses()).toEqual({ pending: 4_000 });
  });

  test('resolve: one decision for all', async () => {
    await rowIn(world, 'needs_review', 1);
    await rowIn(world, 'needs_review', 2);
    const words = ['resolve', '--as', 'not-sent', '--since', '2020-01-01', '--because', 'none in their log'];
    const dry = await tidings(...words, '--json');
    expect(JSON.parse(dry.out)).toMatchObject({
      ...{
        isDryRun: true,
        total: 2,
        groups: [{ status: 'needs_review', source: 'plain', error: null, count: 2 }],
      },
      command:
        "npx tidings deliveries resolve --as not-sent --since 2020-01-01 --because 'none in their log' --yes",
    });
    const done = await tidings(...words, '--yes');
    expect([done.code, done.out]).toEqual([0, '2 of 2 deliveries are sent again, under the same key.\n']);
    expect(await statuses()).toEqual({ failed_transient: 2 });
  });

  test('mistakes: nothing chosen, both ways at once, no reason, no time', async () => {
    const mistakes = [
      [['requeue', '--reason', 'x'], /^Say which: by number, or by --status/],
      [['requeue', '1', '--source', 'plain', '--reason', 'x'], /not both\.$/],
      [['requeue', '--source', 'plain'], /^Say why with --reason/],
      [
        ['requeue', '--since', 'yesterday', '--reason', 'x'],
        /^--since "yesterday" is no time\. Give how long ago/,
      ],
      [['requeue', '--limit', '3', '--reason', 'x'], /^Say which/],
    ] as const;
    for (const [words, sentence] of mistakes) {
      const { code, out, err } = await tidings(...words);
      expect([code, out]).toEqual([2, '']);
      expect(err.trim()).toMatch(sentence);
    }
  });
});

onBothDatabases('choosing', (dialect) => {
  test('by source, occasion, error and time; never beyond the number that was counted', async () => {
    const world = await createWorld(dialect);
    try {
      const error = { lastError: JSON.stringify({ code: 'boom' }) as never };
      const first = await rowIn(world, 'failed_permanent', 1, error);
      await world.clock.advance(1_000);
      const second = await rowIn(world, 'failed_permanent', 2, error);
      const third = await rowIn(world, 'failed_permanent', 3);
      const now = world.clock.now();
      const status = ['failed_permanent'] as const;
      const all = { above: 0, upTo: third, limit: 10 };
      const read = (more: object) => readChosen(world.db, { status, ...more }, { ...all, verb: 'requeued' });
      expect(await read({})).toEqual([first, second, third]);
      expect(await read({ error: 'boom' })).toEqual([first, second]);
      expect(await read({ occasion: 'occasion-3' })).toEqual([third]);
      expect(await read({ source: 'other' })).toEqual([]);
      expect(await read({ createdFrom: now })).toEqual([second, third]);
      expect(await read({ createdBefore: now })).toEqual([first]);
      expect(await readChosen(world.db, { status }, { ...all, above: first, upTo: second })).toEqual([
        second,
      ]);
      expect(await countChosen(world.db, { status })).toEqual([
        {
          status: 'failed_permanent',
          source: 'plain',
          error: 'boom',
          count: 2,
          inDoubt: 0,
          forgotten: 0,
          lowest: first,
          highest: second,
        },
        {
          status: 'failed_permanent',
          source: 'plain',
          error: null,
          count: 1,
          inDoubt: 0,
          forgotten: 0,
          lowest: third,
          highest: third,
        },
      ]);
    } finally {
      await world.close();
    }
  });
});

test('times: how long ago, or a date in UTC', () => {
  const now = Date.UTC(2026, 6, 1, 12);
  expect(timeOf('2h', '--since', now)).toBe(now - 7_200_000);
  expect(timeOf('30min', '--since', now)).toBe(now - 1_800_000);
  expect(timeOf('2026-07-01', '--since', now)).toBe(Date.UTC(2026, 6, 1));
  expect(timeOf('2026-07-01 14:00', '--since', now)).toBe(Date.UTC(2026, 6, 1, 14));
  expect(timeOf('2026-07-01T14:00+02:00', '--since', now)).toBe(Date.UTC(2026, 6, 1, 12));
  for (const text of ['2', 'h', '2026-13-01', '2w', '']) {
    expect(() => timeOf(text, '--since', now), text).toThrow('is no time');
  }
});
