import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { follow } from '../../src/cli/follow.ts';
import { hasOtherWords } from '../../src/cli/other-words.ts';
import { tellRepeated, tellSettled, tellUnsettled } from '../../src/cli/send-words.ts';
import { createPaint } from '../../src/cli/terminal.ts';
import { readWaits } from '../../src/cli/waits-for.ts';
import type { DeliveryRow } from '../../src/db/schema.ts';
import type { Status } from '../../src/domain/status.ts';
import type { DeliveryState } from '../../src/domain/transition.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, type World } from '../support/world.ts';

/** What `send` sees and says while it waits, on a clock that the test moves. */
describe('send', () => {
  let world: World;
  let number = 0;
  beforeAll(async () => {
    world = await createWorld('sqlite');
  });
  afterAll(() => world.close());

  const paint = createPaint(false);
  const make = async (status: Status, more: Partial<DeliveryState> = {}) => ({
    seq: await rowIn(world, status, number++, more),
  });
  const row = async (status: Status, more: Partial<DeliveryState> = {}) =>
    (await world.queries.find(String((await make(status, more)).seq))) as DeliveryRow;

  test('waits until all are settled, and tells each once when it is', async () => {
    const [sent, waiting] = [await make('sent'), await make('pending')];
    const settled: number[] = [];
    const following = follow(world, [waiting, sent], {
      forMs: 10_000,
      onSettled: ({ seq }) => settled.push(seq),
    });
    await world.clock.advance(300);
    expect(settled).toEqual([sent.seq]);
    await world.outbox.record([{ seq: waiting.seq, event: 'expired', actor: 'test' }]);
    await world.clock.advance(100);
    expect((await following).map(({ status }) => status)).toEqual(['expired', 'sent']);
    expect(settled).toEqual([sent.seq, waiting.seq]);
  });

  test('gives up waiting when the time is over, and that is no failure', async () => {
    const following = follow(world, [await make('pending')], { forMs: 10_000 });
    await world.clock.advance(10_100);
    const rows = await following;
    expect(tellUnsettled(rows, 10_000, world.clock.now())).toEqual([
      'Queued; no worker has taken it in 10 s. If a server runs, give this command its DATABASE_URL and PORT; otherwise start one with: npm start',
    ]);
  });

  test('what a pause or the provider keeps waiting is told as that, and no worker is asked for', async () => {
    const now = world.clock.now();
    const [one, two] = [await row('pending'), await row('pending')];
    const provider = { account: 'resend:1' };
    expect([...(await readWaits({ ...world, provider }, [one, two])).keys()]).toEqual([]);
    const pause = { scope: '*', reason: 'wrong text', paused_by: 'ana', paused_at: now - 5_000 };
    await world.db.write.insertInto('pauses').values(pause).execute();
    const waits = await readWaits({ ...world, provider }, [one, two]);
    await world.db.write.deleteFrom('pauses').execute();
    const why =
      'Everything has been paused for 5 s by ana: wrong text. It goes on when that is over. When the reason is gone, let it go on: npx tidings resume';
    expect(tellUnsettled([one, two], 10_000, now, waits)).toEqual([`Queued, and kept waiting. ${why}`]);
    expect(tellRepeated(one, now, paint, waits.get(one.seq))[1]).toBe(why);
  });

  test('what a worker has taken and not settled is told as it stands', async () => {
    const now = world.clock.now();
    const failing = await row('failed_transient', { dueAt: now + 4_000 });
    const [line] = tellUnsettled([{ ...failing, claims: 1 }], 10_000, now);
    expect(line).toContain(
      'is failed_transient. It is known not to have arrived and is tried again, due in 4 s.',
    );
    expect(tellUnsettled([await row('sent')], 10_000, now)).toEqual([]);
  });

  test('what was not sent says why, and what helps', async () => {
    const lastError = JSON.stringify({ code: 'x', message: 'No such\u001b[2J mailbox.' });
    const failed = { ...(await row('failed_permanent')), last_error: lastError };
    expect(tellSettled(failed, world.clock.now(), paint)).toEqual([
      `Delivery ${failed.seq} is failed_permanent. Given up: No such\\u001b[2J mailbox. It was not sent.`,
      `When the cause is gone: npx tidings deliveries requeue ${failed.seq} --reason "…"`,
    ]);
    const doubtful = await row('failed_permanent', { firstPossibleAcceptAt: 1 });
    expect(tellSettled(doubtful, world.clock.now(), paint)).toHaveLength(1);
    const stopped = await row('skipped_unsubscribed');
    expect(tellSettled(stopped, world.clock.now(), paint)).toEqual([
      `Delivery ${stopped.seq} is skipped_unsubscribed. Not sent: the recipient had unsubscribed.`,
    ]);
  });

  test('a repeat is told apart by whether they were told', async () => {
    const now = world.clock.now() + 180_000;
    const [told] = tellRepeated(await row('delivered'), now, paint);
    expect(told).toMatch(/^Already told: .* sent 3 min ago\. Nothing was sent again\.$/);
    const [waits] = tellRepeated(await row('pending'), now, paint);
    expect(waits).toMatch(/^Already asked for: .* is pending\. It waits to be sent, due for 3 min\.$/);
  });

  test('other words than those of the delivery are noticed, as long as those are known', async () => {
    const mail = { subject: 'Hello', text: 'It works.' };
    const asked = async (templateName: string, variables: Record<string, string>) => {
      const named = { source: 'plain', occasion: `words of ${templateName}`, recipient: 'r' };
      const intent = { ...named, lane: 'normal', templateName, variables } as const;
      const [answer] = await world.outbox.enqueue([intent]);
      return (await world.queries.find(String(answer?.seq))) as DeliveryRow;
    };
    const plain = await asked('plain', mail);
    const isOther = (delivery: DeliveryRow, more: Partial<typeof mail> = {}) =>
      hasOtherWords(world.queries, delivery, { ...mail, ...more });
    expect(await isOther(plain)).toBe(false);
    expect(await isOther(plain, { subject: 'Hello again' })).toBe(true);
    expect(await isOther(plain, { text: 'It works now.' })).toBe(true);
    expect(await isOther(await asked('welcome', { name: 'Ana' }))).toBe(false);
    await world.db.write.deleteFrom('delivery_mails').where('delivery_seq', '=', plain.seq).execute();
    expect(await isOther(plain, { text: 'It works now.' })).toBe(false);
  });
});
