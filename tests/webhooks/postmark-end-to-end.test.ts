import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPostmark } from '../../src/providers/postmark.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { type FakePostmark, serverToken, startFakePostmark } from '../support/fake-postmark/fake-postmark.ts';
import { webhookPassword } from '../support/webhooks.ts';
import { advanceUntil, intentNumber, onBothDatabases } from '../support/world.ts';
import { type Served, serve } from './served.ts';
import { type Tongue, tongues } from './tongues.ts';
import { type WebhookWorld, webhookWorldOn } from './webhook-world.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Mails go to Postmark over a socket, and what becomes of them comes back over another. Nothing is ever there twice. */
onBothDatabases('there and back with Postmark', (dialect) => {
  let world: DispatchWorld & WebhookWorld;
  let served: Served;
  let fake: FakePostmark;
  let send: () => Promise<unknown>;
  let settle: () => Promise<unknown>;
  let closeProvider: () => unknown;
  beforeEach(async () => {
    const tongue = tongues.find(({ provider }) => provider === 'postmark') as Tongue;
    world = await webhookWorldOn(await createDispatchWorld(dialect), tongue);
    const { clock, outbox } = world;
    served = await serve(world);
    const url = `${served.url}/api/v1/webhooks/postmark`;
    fake = await startFakePostmark({ clock, webhooks: { url, password: webhookPassword } });
    // Its requests are real: how long they may take is not for a clock to decide that others move.
    const itsClock = { ...clock, sleep: systemClock.sleep };
    const provider = createPostmark({
      ...{ serverToken, baseUrl: fake.url, clock: itsClock, requestsPerSecond: Infinity },
    });
    closeProvider = () => provider.close?.();
    const dispatch = world.dispatch({ provider, outbox, log: world.log });
    const reconcile = world.reconcile(provider, undefined, world.log);
    send = () => advanceUntil(clock, dispatch.runOnce(signal()));
    settle = () => advanceUntil(clock, reconcile.runOnce(signal()));
  });
  afterEach(async () => {
    await closeProvider();
    await fake.close();
    await served.close();
    await world.close();
  });

  const row = async (seq: number) => world.queries.find(String(seq));
  const status = async (seq: number) => (await row(seq))?.status;

  async function handedOver(number: number): Promise<number> {
    const [made] = await world.outbox.enqueue([intentNumber(number)]);
    await send();
    return made?.seq ?? 0;
  }

  async function sent(number: number): Promise<{ seq: number; messageId: string }> {
    const seq = await handedOver(number);
    expect(await status(seq)).toBe('sent');
    return { seq, messageId: (await row(seq))?.provider_message_id ?? '' };
  }

  it('a mail that was sent is delivered, however often that is told, and its story says on whose word', async () => {
    const { seq, messageId } = await sent(1);
    await fake.webhooks.emit('Delivery', messageId, { copies: 3 });
    await fake.webhooks.emit('Open', messageId);
    expect(await status(seq)).toBe('delivered');
    expect(fake.webhooks.sent.map((one) => one.status)).toEqual([200, 200, 200, 200]);
    expect((await world.events()).map(({ outcome, repeats }) => [outcome, repeats])).toEqual([
      ['applied', 2],
      ['kept', 0],
    ]);
    expect(await world.story(seq)).toMatchObject([
      { event: 'accepted', actor: 'worker-1' },
      { event: 'confirmed', actor: 'webhook', detail: { evidence: 'Delivery', messageId } },
    ]);
  });

  it.each(['as emitted', 'reversed'] as const)(
    'a delay, a delivery and a complaint end the same, %s',
    async (order) => {
      const { seq, messageId } = await sent(1);
      fake.webhooks.hold();
      await fake.webhooks.emit('Bounce', messageId, { data: { Type: 'Transient', Inactive: false } });
      await fake.webhooks.emit('Delivery', messageId);
      await fake.webhooks.emit('SpamComplaint', messageId);
      await fake.webhooks.release(order);
      expect(await row(seq)).toMatchObject({ status: 'suppressed', delivered_at: expect.any(Number) });
      expect(await world.consent.suppressions.list({ limit: 9 })).toMatchObject([{ reason: 'complained' }]);
    },
  );

  it('a soft bounce is tried again after hours, as another mail; a hard one suppresses the address', async () => {
    const { seq, messageId } = await sent(1);
    await fake.webhooks.emit('Bounce', messageId, { data: { Type: 'SoftBounce', Inactive: false } });
    expect(await status(seq)).toBe('failed_transient');
    await send();
    expect(fake.ledger.accepted).toHaveLength(1);
    await world.clock.advance(24 * hour);
    await send();
    expect(fake.ledger.accepted.map(({ body }) => body.Metadata?.round)).toEqual(['1', '2']);
    await fake.webhooks.emit('Bounce', fake.ledger.accepted[1]?.id ?? '');
    expect(await status(seq)).toBe('suppressed');
    expect(await world.consent.suppressions.list({ limit: 9 })).toMatchObject([
      { reason: 'bounced_for_good', delivery_seq: seq },
    ]);
  });

  it('an address that is switched off at Postmark is refused, suppressed here, and not tried again', async () => {
    const seq = await sentTo('person-1@example.org');
    expect(await row(seq)).toMatchObject({ status: 'failed_permanent', attempts: 1 });
    expect(await world.consent.suppressions.list({ limit: 9 })).toMatchObject([
      { reason: 'provider_suppressed', delivery_seq: seq },
    ]);
  });

  function sentTo(address: string): Promise<number> {
    fake.circumstances.inactive.add(address);
    return handedOver(1);
  }

  it('a mail whose answer got lost is settled by its webhook', async () => {
    fake.lieOnce({ kind: 'reset', at: 'before_answer', isAccepted: true });
    const seq = await handedOver(1);
    expect(await status(seq)).toBe('reconciling');
    await fake.webhooks.emit('Delivery', fake.ledger.accepted[0]?.id ?? '');
    expect(await status(seq)).toBe('delivered');
  });

  it('or by a look-up, and is there once', async () => {
    fake.lieOnce({ kind: 'reset', at: 'before_answer', isAccepted: true });
    const seq = await handedOver(1);
    await world.clock.advance(minute);
    await settle();
    expect(await row(seq)).toMatchObject({
      ...{ status: 'sent', provider_message_id: fake.ledger.accepted[0]?.id },
    });
    expect(fake.ledger.accepted).toHaveLength(1);
  });

  /** Looked into again and again until it is over, while another mail goes out every five minutes, or none does. */
  async function wait({ isBusy }: { isBusy: boolean }): Promise<void> {
    for (let time = 0; time < 12; time++) {
      await world.clock.advance(5 * minute);
      if (isBusy) await sent(100 + time);
      await settle();
    }
  }

  it('one that never arrived is handed over again, once, where other mails prove that it is not there', async () => {
    fake.lieOnce({ kind: 'reset', at: 'before_body', isAccepted: false });
    const seq = await handedOver(1);
    expect(await status(seq)).toBe('reconciling');
    await wait({ isBusy: true });
    await send();
    const { id = '' } = (await row(seq)) ?? {};
    expect(await status(seq)).toBe('sent');
    expect(fake.ledger.acceptedBy(id)).toHaveLength(1);
  });

  it('and in a quiet hour a person is asked, for nothing proves it', async () => {
    fake.lieOnce({ kind: 'reset', at: 'before_body', isAccepted: false });
    const seq = await handedOver(1);
    await wait({ isBusy: false });
    expect(await status(seq)).toBe('needs_review');
    expect(fake.ledger.accepted).toEqual([]);
  });

  it('while the search lags behind for an hour nothing leaves again, busy or not', async () => {
    fake.circumstances.indexingDelayMs = 24 * hour;
    fake.lieOnce({ kind: 'reset', at: 'before_answer', isAccepted: true });
    const seq = await handedOver(1);
    await wait({ isBusy: true });
    await send();
    const { id = '' } = (await row(seq)) ?? {};
    expect(fake.ledger.acceptedBy(id)).toHaveLength(1);
    expect(await status(seq)).toBe('needs_review');
    // What the webhook knows settles it after all.
    await fake.webhooks.emit('Delivery', fake.ledger.acceptedBy(id)[0]?.id ?? '');
    expect(await status(seq)).toBe('delivered');
  });
});
