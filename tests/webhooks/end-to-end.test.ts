import { afterEach, beforeEach, expect, it } from 'vitest';
import { createResend } from '../../src/providers/resend.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { type FakeResend, startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { webhookSecret } from '../support/webhooks.ts';
import { advanceUntil, intentNumber, onBothDatabases } from '../support/world.ts';
import { path, type Served, serve } from './served.ts';
import { type WebhookWorld, webhookWorldOn } from './webhook-world.ts';

const hour = 3_600_000;

/** Mails go to Resend over a socket, and what becomes of them comes back over another. */
onBothDatabases('there and back', (dialect) => {
  let world: DispatchWorld & WebhookWorld;
  let served: Served;
  let fake: FakeResend;
  let send: () => Promise<unknown>;
  let closeProvider: () => unknown;
  beforeEach(async () => {
    world = await webhookWorldOn(await createDispatchWorld(dialect));
    const { clock, outbox } = world;
    served = await serve(world);
    fake = await startFakeResend({
      clock,
      webhooks: { url: `${served.url}${path}`, secret: webhookSecret },
    });
    // Its requests are real: how long they may take is not for a clock to decide that others move.
    const itsClock = { ...clock, sleep: systemClock.sleep };
    const provider = createResend({ apiKey: 're_test', baseUrl: fake.url, clock: itsClock });
    closeProvider = () => provider.close?.();
    const dispatch = world.dispatch({ provider, outbox, log: world.log });
    send = () => advanceUntil(clock, dispatch.runOnce(signal()));
  });
  afterEach(async () => {
    await closeProvider();
    await fake.close();
    await served.close();
    await world.close();
  });

  const row = async (seq: number) => world.queries.find(String(seq));
  const statuses = (...seqs: number[]) => Promise.all(seqs.map(async (seq) => (await row(seq))?.status));

  async function sent(number: number): Promise<{ seq: number; messageId: string }> {
    const [made] = await world.outbox.enqueue([intentNumber(number)]);
    await send();
    const seq = made?.seq ?? 0;
    expect(await statuses(seq)).toEqual(['sent']);
    return { seq, messageId: (await row(seq))?.provider_message_id ?? '' };
  }

  const bounce = (type: string) => ({ data: { bounce: { type, subType: 'General' } } });

  it('a mail that was sent is delivered, and its story says on whose word', async () => {
    const { seq, messageId } = await sent(1);
    await fake.emitWebhook('email.sent', messageId);
    await fake.emitWebhook('email.delivered', messageId, { copies: 3 });
    await fake.emitWebhook('email.opened', messageId);
    expect(await statuses(seq)).toEqual(['delivered']);
    expect(fake.webhooks.sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await world.events()).map(({ outcome, repeats }) => [outcome, repeats])).toEqual([
      ['nothing new', 0],
      ['applied', 2],
      ['nothing new', 0],
    ]);
    expect(await world.story(seq)).toMatchObject([
      { event: 'accepted', actor: 'worker-1' },
      { event: 'confirmed', actor: 'webhook', detail: { evidence: 'email.delivered', messageId } },
    ]);
  });

  it('a mail that was accepted, and whose answer got lost, is settled by its webhook', async () => {
    fake.lieOnce({ kind: 'reset', at: 'before_answer', isAccepted: true });
    const [made] = await world.outbox.enqueue([intentNumber(1)]);
    await send();
    const seq = made?.seq ?? 0;
    expect(await statuses(seq)).toEqual(['reconciling']);
    const messageId = fake.ledger.accepted[0]?.id ?? '';
    await fake.emitWebhook('email.sent', messageId);
    expect(await row(seq)).toMatchObject({ status: 'sent', provider_message_id: messageId });
    await send();
    expect(fake.ledger.submissions()).toHaveLength(1);
  });

  it('after a soft bounce a new mail goes out hours later, under a key of its own', async () => {
    const { seq, messageId } = await sent(1);
    await fake.emitWebhook('email.bounced', messageId, bounce('Transient'));
    expect(await row(seq)).toMatchObject({
      status: 'failed_transient',
      due_at: world.clock.now() + 4 * hour,
    });
    await world.clock.advance(4 * hour - 1);
    await send();
    expect(fake.ledger.accepted).toHaveLength(1);
    await world.clock.advance(hour);
    await send();
    const id = (await row(seq))?.id;
    expect(fake.ledger.accepted.map(({ key }) => key)).toEqual([id, `${id}-r2`]);
    // Late words about the first mail are facts; the second decides.
    await fake.emitWebhook('email.bounced', messageId, bounce('Transient'));
    expect(await statuses(seq)).toEqual(['sent']);
    await fake.emitWebhook('email.delivered', fake.ledger.accepted[1]?.id ?? '');
    expect(await row(seq)).toMatchObject({ status: 'delivered', round: 2 });
  });

  it('the third soft bounce is the last', async () => {
    const { seq } = await sent(1);
    for (let round = 1; round <= 3; round++) {
      await fake.emitWebhook('email.bounced', fake.ledger.accepted.at(-1)?.id ?? '', bounce('Transient'));
      await world.clock.advance(13 * hour);
      await send();
    }
    expect(await row(seq)).toMatchObject({ status: 'failed_permanent', round: 3 });
    expect(fake.ledger.accepted).toHaveLength(3);
  });

  it('after a permanent bounce the address is on the list, and what waits for it is stopped', async () => {
    const { seq, messageId } = await sent(1);
    const toEmail = 'Person-1@example.org';
    const later = { dueAt: world.clock.now() + hour };
    const [waiting] = await world.outbox.enqueue([intentNumber(2, { toEmail, ...later })]);
    const [other] = await world.outbox.enqueue([intentNumber(3, later)]);
    await fake.emitWebhook('email.bounced', messageId, bounce('Permanent'));
    expect(await statuses(seq, waiting?.seq ?? 0, other?.seq ?? 0)).toEqual([
      'suppressed',
      'suppressed',
      'pending',
    ]);
    expect(await world.consent.suppressions.list({ limit: 9 })).toMatchObject([
      { address_key: 'person-1@example.org', reason: 'bounced_for_good', delivery_seq: seq, scope: '*' },
    ]);
    const [asked] = await world.outbox.enqueue([intentNumber(4, { toEmail })]);
    await send();
    expect(await statuses(asked?.seq ?? 0)).toEqual(['suppressed']);
    expect(fake.ledger.accepted).toHaveLength(1);
  });

  it('a complaint after the delivery stops what comes later, in whatever order they arrive', async () => {
    const first = await sent(1);
    const second = await sent(2);
    for (const { messageId } of [first, second]) {
      fake.webhooks.hold();
      await fake.emitWebhook('email.sent', messageId);
      await fake.emitWebhook('email.delivered', messageId);
      await fake.emitWebhook('email.complained', messageId);
      await fake.webhooks.release(messageId === first.messageId ? 'as emitted' : 'reversed');
    }
    expect(await statuses(first.seq, second.seq)).toEqual(['suppressed', 'suppressed']);
    const [one, other] = [await row(first.seq), await row(second.seq)];
    expect(one?.delivered_at).not.toBeNull();
    expect(other?.delivered_at).not.toBeNull();
  });

  it('a server that breaks answers with an error, and the event is processed when it is told again', async () => {
    const { seq, messageId } = await sent(1);
    const broken = await serve(world, {
      ...world.webhooks,
      isSetUp: () => true,
      receive: () => Promise.reject(new Error('the database is gone')),
    });
    fake.webhooks.target = { url: `${broken.url}${path}`, secret: webhookSecret };
    await fake.emitWebhook('email.delivered', messageId);
    expect(fake.webhooks.sent.at(-1)?.status).toBe(500);
    expect(await statuses(seq)).toEqual(['sent']);
    await broken.close();
    fake.webhooks.target = { url: `${served.url}${path}`, secret: webhookSecret };
    await fake.emitWebhook('email.delivered', messageId);
    expect(await statuses(seq)).toEqual(['delivered']);
  });
});
