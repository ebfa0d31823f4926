import { afterEach, beforeEach, expect, test } from 'vitest';
import { idempotencyKey } from '../../src/domain/message.ts';
import { mailTo } from '../support/mails.ts';
import { rowIn } from '../support/rows.ts';
import { createShellWorld, type ShellWorld } from './shell-world.ts';

/** The built-in inbox is the provider: it knows keys and can be asked. */
let world: ShellWorld;
beforeEach(async () => {
  world = await createShellWorld();
});
afterEach(() => world.close());

const tidings = (...args: string[]) =>
  world.shell.run(['reconcile', ...args], { env: { DATABASE_URL: world.url, LOG_LEVEL: 'error' } });

const nothingInDoubt =
  'Nothing is in doubt that could be looked into. What waits for a person: npx tidings reconcile list\n';

/** In doubt for a day, so that no key is known any more; nobody holds it. */
async function doubt(number: number, more: Parameters<typeof rowIn>[3] = {}): Promise<number> {
  const now = Date.now();
  return rowIn(world, 'reconciling', number, {
    ...{ lockedBy: null, lockedAt: null, dueAt: now - 1_000, resubmitUntil: now - 3_600_000 },
    ...{ firstPossibleAcceptAt: now - 86_400_000, lastAttemptAt: now - 86_400_000 },
    ...more,
  });
}

async function isInInbox(seq: number): Promise<void> {
  const row = await world.queries.find(String(seq));
  const key = idempotencyKey(row?.id ?? '', 1);
  await world.db.write
    .insertInto('captured_mails')
    .values({
      ...{ message_id: `m-${seq}`, idempotency_key: key, body_hash: 'x', received_at: Date.now() },
      mail: JSON.stringify(mailTo(seq)),
    })
    .execute();
}

const statusOf = async (seq: number) => (await world.queries.find(String(seq)))?.status;

test('list: what is in doubt, since when, what is known and what happens next', async () => {
  expect((await tidings('list')).out).toBe(
    'Nothing is in doubt: of every mail it is known whether it was sent, or a worker is handing it over at this moment.\n',
  );
  await rowIn(world, 'sent', 9);
  const waiting = await doubt(1, { dueAt: Date.now() + 20 * 60_000 });
  const review = await rowIn(world, 'needs_review', 2, {
    firstPossibleAcceptAt: Date.now() - 3 * 86_400_000,
  });
  const held = await doubt(3, { lockedBy: 'worker-7', lockedAt: Date.now(), dueAt: Date.now() + 60_000 });
  const { code, out } = await tidings('list');
  expect(code).toBe(0);
  const lines = out.split('\n');
  expect(lines).toHaveLength(6);
  expect(lines[0]).toMatch(/^TO +OCCASION +STATUS +IN DOUBT FOR +WHAT IS KNOWN +NEXT +NUMBER$/);
  expect(lines[1]).toMatch(new RegExp(`^person-3@.* reconciling +24 h .* being looked into +${held}$`));
  expect(lines[2]).toMatch(new RegExp(`^person-2@.* needs_review +3 d .* a person decides +${review}$`));
  expect(lines[3]).toMatch(
    new RegExp(
      `^person-1@.* reconciling +24 h +it was handed to capture, and no clear answer came +a look in (19|20) min +${waiting}$`,
    ),
  );
  expect(lines[4]).toContain('npx tidings deliveries explain <number>');
});

test("list: what is in a worker's hands is counted, with the end of its time, or that it is over", async () => {
  const until = Date.parse('2126-01-01T00:00:00Z');
  await rowIn(world, 'sending', 1, { dueAt: until });
  await rowIn(world, 'claimed', 2, { dueAt: until - 60_000, lockedBy: 'worker-2' });
  const nothing =
    'Nothing is in doubt: of every mail it is known whether it was sent, or a worker is handing it over at this moment.';
  const held =
    "2 deliveries are in a worker's hands, until 2126-01-01T00:00:00Z at the latest. If it has died, a running server takes them back then.";
  expect((await tidings('list')).out).toBe(`${nothing}\n${held}\n`);
  await doubt(3);
  expect((await tidings('list')).out.split('\n')).toContain(held);
  await world.db.write.updateTable('deliveries').set({ due_at: 0 }).execute();
  expect((await tidings('list')).out).toContain(
    '2 deliveries are in the hands of a worker whose time was up at 1970-01-01T00:00:00Z.',
  );
});

test('list: what is said to be sent is in doubt since it was doubted', async () => {
  const sentAt = Date.now() - 30 * 86_400_000;
  const seq = await rowIn(world, 'sent', 1, { evidence: 0, dueAt: null, sentAt });
  await world.outbox.record([{ seq, actor: 'sweep', event: 'doubted', dueAt: Date.now() + 60_000 }]);
  const at = Date.now() - 3 * 3_600_000;
  await world.db.write.updateTable('delivery_events').set({ at }).where('event', '=', 'doubted').execute();
  expect((await tidings('list')).out.split('\n')[1]).toMatch(/ reconciling +3 h +it was said to be sent/);
});

test('list: for programs, page by page', async () => {
  const seqs = [await doubt(1), await doubt(2), await doubt(3)];
  const first = JSON.parse((await tidings('list', '--json', '--limit', '2')).out);
  expect(first.deliveries).toMatchObject([
    { seq: seqs[2], status: 'reconciling', inDoubtSince: expect.any(String), known: expect.any(String) },
    { seq: seqs[1], next: expect.stringContaining('Reconciliation looks into it') },
  ]);
  expect(first.next).toEqual({ below: seqs[1] });
  const second = JSON.parse((await tidings('list', '--json', '--below', String(first.next.below))).out);
  expect([second.deliveries.length, second.deliveries[0].seq, second.next]).toEqual([1, seqs[0], null]);
  expect((await tidings('list', '--limit', '2')).out).toContain(
    `More: npx tidings reconcile list --limit 2 --below ${seqs[1]}\n`,
  );
});

test('run: settles what is due, leaves what waits, and says what became of each', async () => {
  const found = await doubt(1);
  await isInInbox(found);
  const absent = await doubt(2);
  const elsewhere = await doubt(3, { account: 'resend:gone' });
  const later = await doubt(4, { dueAt: Date.now() + 600_000 });
  const { code, out } = await tidings('run');
  expect([code, out]).toEqual([
    0,
    [
      'Looked into 3 deliveries:',
      '1 sent: the provider has them, and nothing went out twice.',
      '1 not sent: the provider does not have them, and they are tried again.',
      '1 still in doubt: they are looked into again, by themselves.',
      'Some are held by the account resend:gone, and this command asks capture: run it with the settings of the server that sends by resend:gone.',
      '',
    ].join('\n'),
  ]);
  expect(await Promise.all([found, absent, elsewhere, later].map(statusOf))).toEqual([
    ...['sent', 'failed_transient', 'reconciling', 'reconciling'],
  ]);
  const again = await tidings('run');
  expect([again.code, again.out]).toEqual([
    0,
    'Nothing is due: 2 are in doubt and looked into later, by itself. Now: npx tidings reconcile run --all\n',
  ]);
});

test('run --all: also what waits for a later look, each once, but not what somebody holds', async () => {
  const waiting = [];
  // More than one batch, none of which can be told yet: the round is young.
  for (let number = 0; number < 12; number++) {
    const at = Date.now();
    const young = {
      firstPossibleAcceptAt: at,
      lastAttemptAt: at,
      dueAt: at + 600_000,
      account: 'resend:gone',
    };
    waiting.push(await doubt(number, young));
  }
  const held = await doubt(20, { lockedBy: 'worker-7', lockedAt: Date.now(), dueAt: Date.now() + 60_000 });
  const { code, out } = await tidings('run', '--all', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ total: 12, stillInDoubt: 12, isStopped: false, heldBack: [] });
  expect(await world.queries.find(String(held))).toMatchObject({ locked_by: 'worker-7', lease: 7 });
  expect(await world.queries.find(String(waiting[0]))).toMatchObject({ locked_by: null, lease: 8 });
});

test('run: what a worker left that is gone is found without a server', async () => {
  const seq = await rowIn(world, 'sending', 1);
  const { out } = await tidings('run', '--all', '--json');
  expect(JSON.parse(out)).toMatchObject({ total: 1 });
  expect((await world.queries.story(seq)).events.map(({ event }) => event)).toContain('lease_expired');
});

test('run: who has no account to ask is put before a person, as the last rung', async () => {
  const old = Date.now() - 86_400_000;
  const seq = await doubt(1, { account: null, lastAttemptAt: old, evidence: 0, lease: 10 });
  const { out } = await tidings('run', '--json');
  expect(JSON.parse(out)).toMatchObject({ total: 1, needsReview: 1, elsewhere: [] });
  expect(await statusOf(seq)).toBe('needs_review');
});

test('run: of a whole import each is looked into, also behind pages that need no look', async () => {
  const sentAt = Date.now() - 10 * 86_400_000;
  const seqs = [];
  for (let number = 0; number < 460; number++) {
    // The first two hundred have the provider's id: nothing to doubt.
    const more = number < 200 ? { providerMessageId: `m-${number}` } : {};
    const row = { evidence: 0, dueAt: null, account: 'capture', sentAt: sentAt + number, ...more };
    seqs.push(await rowIn(world, 'sent', number, row));
  }
  const { out } = await tidings('run', '--json');
  expect(JSON.parse(out)).toMatchObject({ total: 260, notSent: 260 });
  expect(await statusOf(seqs[0] ?? 0)).toBe('sent');
}, 30_000);

test('run: a pause is respected, and told', async () => {
  const pause = { scope: '*', reason: 'wrong text', paused_by: 'ana', paused_at: Date.now() };
  await world.db.write.insertInto('pauses').values(pause).execute();
  expect(await tidings('run')).toMatchObject({ code: 0, out: nothingInDoubt });
  const seq = await doubt(1);
  const { code, out } = await tidings('run');
  expect(code).toBe(1);
  expect(out).toMatch(
    /^Held back: Everything has been paused for .* by ana: wrong text\. npx tidings resume\n/,
  );
  expect(await statusOf(seq)).toBe('reconciling');
});

test('run: a provider that is down is told of, and not waited for', async () => {
  await doubt(1);
  const down = { account: 'capture', open_since: Date.now() - 5_000, open_reason: 'unreachable' };
  await world.db.write
    .insertInto('provider_pace')
    .values({ ...down, probe_at: Date.now() + 60_000 })
    .execute();
  const { code, out } = await tidings('run', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject({
    total: 0,
    heldBack: [expect.stringContaining('it cannot be reached')],
  });
});

test('run: nothing in doubt', async () => {
  expect(await tidings('run')).toMatchObject({ code: 0, out: nothingInDoubt });
});
