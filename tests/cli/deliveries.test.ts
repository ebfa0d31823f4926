import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Status, statusNames } from '../../src/domain/status.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

/** One delivery in each status, made by the test; no worker runs. */
describe('deliveries', () => {
  let shell: CommandLine;
  let world: World;
  let env: Record<string, string>;
  const seqOf = new Map<Status, number>();

  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld('sqlite');
    env = { DATABASE_URL: world.url };
    for (const [number, status] of statusNames.entries())
      seqOf.set(status, await rowIn(world, status, number));
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
  });

  const tidings = (...args: string[]) => shell.run(['deliveries', ...args], { env });
  const seq = (status: Status) => String(seqOf.get(status));

  test('list: newest first, who and what before the number, and the way to the next page', async () => {
    const { code, out } = await tidings('list', '--limit', '2');
    const [title = '', first = '', , more = ''] = out.split('\n');
    expect(title).toMatch(/^TO +OCCASION +STATUS +ATTEMPTS +AGE +NUMBER$/);
    expect(first).toMatch(/^person-13@example\.org +plain: occasion-13 +expired +0 +\d+ d ago +14$/);
    expect(more).toBe('More: npx tidings deliveries list --limit 2 --below 13');
    expect(out).not.toContain('\u001b');
    expect(code).toBe(0);
    const next = await tidings('list', '--limit', '2', '--below', '13', '--json');
    const { deliveries, next: further } = JSON.parse(next.out);
    expect(deliveries.map((delivery: { seq: number }) => delivery.seq)).toEqual([12, 11]);
    expect(further).toEqual({ below: 11 });
  });

  test('list: filters, and what to do when nothing matches', async () => {
    const { out } = await tidings(
      'list',
      '--status',
      'needs_review',
      '--status',
      'failed_permanent',
      '--json',
    );
    const { deliveries, next } = JSON.parse(out);
    expect(deliveries.map(({ status }: { status: Status }) => status)).toEqual([
      'failed_permanent',
      'needs_review',
    ]);
    expect(next).toBeNull();
    const nothing = await tidings('list', '--to', 'nobody@example.org');
    expect(nothing.out).toMatch(/^No delivery in sqlite:.* matches\. Leave out a filter to see more\.\n$/);
  });

  test('list: a reader that has seen enough is no error', async () => {
    const running = shell.start(['deliveries', 'list'], { env });
    running.hangUp();
    expect(await running.ended).toMatchObject({ code: 0, signal: null, err: '' });
  });

  test.skipIf(!existsSync('/dev/full'))('list: a disk that is full is one', async () => {
    const { code, err } = await shell.run(['deliveries', 'list'], { env, outputTo: '/dev/full' });
    expect(err).toBe('The output could not be written: ENOSPC: no space left on device, write.\n');
    expect(code).toBe(1);
  });

  test('show: what is under way is told from the row, and that its time is up', async () => {
    const { out } = await tidings('show', seq('sending'));
    expect(out).toMatch(
      /Now {2}\? Since \d\d:\d\d:\d\dZ worker worker-1 has been handing it to capture \(attempt 1\)\. Its time was up \d+ d ago: the worker is probably gone/,
    );
    expect(out).toMatch(
      /Next Worker worker-1, which has had it since .*Z, writes down what capture answers\./,
    );
  });

  test('show: nothing there, by any name', async () => {
    const { code, err } = await tidings('show', 'no-such-thing');
    expect(err).toBe(
      'There is no delivery "no-such-thing". See the numbers with: npx tidings deliveries list\n',
    );
    expect(code).toBe(2);
  });

  test('send: an occasion whose delivery was given up is not tried again, and that is a failure', async () => {
    const { occasion, recipient } = (await world.queries.find(seq('failed_permanent'))) ?? {};
    const mail = [
      'send',
      '--subject',
      'S',
      '--text-file',
      '-',
      '--to',
      `${recipient}`,
      '--occasion',
      `${occasion}`,
    ];
    const { code, out } = await shell.run(mail, { env, input: 'It works.' });
    expect(code).toBe(1);
    expect(out).toMatch(
      /^Already asked for: delivery 9, .* is failed_permanent\. .*\nWhen the cause is gone: .* requeue 9 /,
    );
  });

  test('requeue: needs a reason', async () => {
    const { code, err } = await tidings('requeue', '1');
    expect([code, err]).toEqual([2, "Say why with --reason: it is kept in the delivery's story.\n"]);
  });

  test('requeue: says of each what happened, or why not', async () => {
    const inDoubt = await rowIn(world, 'failed_permanent', 99, {
      firstPossibleAcceptAt: 1,
      round: 1,
      evidence: 4,
    });
    const references = [...statusNames.map(seq), String(inDoubt), '777'];
    const { code, out } = await tidings(
      'requeue',
      ...references,
      '--reason',
      'the mailbox is back',
      '--json',
    );
    expect(code).toBe(1);
    const { deliveries } = JSON.parse(out) as {
      deliveries: { seq: number; isRequeued: boolean; sentence: string }[];
    };
    const answer = (number: string) => deliveries.find((delivery) => delivery.seq === Number(number));
    const requeued = deliveries
      .filter(({ isRequeued }) => isRequeued)
      .map(({ seq: number }) => String(number));
    expect(requeued).toEqual(
      (
        [
          'failed_transient',
          'failed_permanent',
          'suppressed',
          'skipped_unsubscribed',
          'skipped_no_email',
          'skipped_ineligible',
          'expired',
        ] as const
      ).map(seq),
    );
    expect(answer(seq('sent'))?.sentence).toMatch(
      /^Delivery 4 is not requeued: it was sent \d+ d ago, and is never repeated\.$/,
    );
    expect(answer(seq('sending'))?.sentence).toContain('it is in progress, worker-1 has it in hand');
    expect(answer(seq('reconciling'))?.sentence).toContain('a mail may exist; that is being settled');
    expect(answer(seq('needs_review'))?.sentence).toContain('it must be resolved first');
    expect(answer(String(inDoubt))?.sentence).toContain('closed in doubt');
    expect(deliveries.at(-1)).toMatchObject({
      reference: '777',
      seq: null,
      sentence: '777: there is no such delivery.',
    });
    const shown = await tidings('show', seq('expired'));
    expect(shown.out).toContain(
      `Operator ${userInfo().username} put it back to be sent: the mailbox is back.`,
    );
  });

  test('requeue: all done is exit code 0', async () => {
    const number = await rowIn(world, 'expired', 100);
    const { code, out } = await tidings('requeue', String(number), '--reason', 'still of use');
    expect([code, out]).toEqual([
      0,
      `Delivery ${number} is requeued: it is pending again and sent when a worker takes it.\n`,
    ]);
  });

  test('requeue: says what will stop it again, and what to do before', async () => {
    const number = await rowIn(world, 'failed_permanent', 102);
    const to = (await world.queries.find(String(number)))?.to_email ?? '';
    await shell.run(['suppressions', 'add', to, '--because', 'x'], { env });
    const { code, out } = await tidings('requeue', String(number), '--reason', 'the mailbox is back');
    expect([code, out]).toEqual([
      0,
      `Delivery ${number} is requeued, and will be stopped again: no mail goes to its address. What to do first: npx tidings suppressions list --address ${to}\n`,
    ]);
  });

  test('requeue: of whoever has left it says so, and who knows how they come back', async () => {
    const number = await rowIn(world, 'skipped_unsubscribed', 103);
    const { recipient = '' } = (await world.queries.find(String(number))) ?? {};
    const left = { source: 'plain', recipient, created_at: 1, unsubscribed_at: 1, unsubscribed_via: 'page' };
    await world.db.write
      .insertInto('unsubscribe_tokens')
      .values({ token_id: 'of 103', ...left })
      .execute();
    const { out } = await tidings('requeue', String(number), '--reason', 'they asked for it');
    expect(out).toMatch(
      new RegExp(
        `^Delivery ${number} is requeued, and will be stopped again: they have left\\. .*explain ${number}, and `,
      ),
    );
  });

  test('resolve: one decision, once', async () => {
    const number = String(await rowIn(world, 'needs_review', 101));
    const none = await tidings('resolve', number, '--because', 'x');
    expect([none.code, none.err]).toEqual([2, 'Decide with --as sent, --as not-sent or --as closed.\n']);
    const done = await tidings('resolve', number, '--as', 'sent', '--because', 'found in their log');
    expect([done.code, done.out]).toEqual([
      0,
      `Delivery ${number} is resolved: it counts as sent, and nothing more is sent.\n`,
    ]);
    const again = await tidings('resolve', number, '--as', 'not-sent', '--because', 'x', '--json');
    expect(again.code).toBe(1);
    expect(JSON.parse(again.out)).toMatchObject({ deliveries: [{ isResolved: false, status: 'sent' }] });
    const nobody = await tidings('resolve', '999', '--as', 'sent', '--because', 'x');
    expect([nobody.code, nobody.out]).toEqual([1, '999: there is no such delivery.\n']);
  });
});
