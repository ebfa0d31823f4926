import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Status } from '../../src/domain/status.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Answered, createServedWorld, headersOf, type ServedWorld } from '../webhooks/served.ts';
import { type EventWords, eventBody, signed } from '../webhooks/signed.ts';

/** Spec 002, phase 7: what Resend tells, over a real socket. Where a clause is read in the light of reality, the test says how. */
onBothDatabases('002 phase 7', (dialect) => {
  let world: ServedWorld;
  beforeAll(async () => {
    world = await createServedWorld(dialect);
  });
  afterAll(() => world.close());

  let number = 0;
  const processed: Answered = { status: 200, body: { status: 'processed' } };
  const statusOf = async (seq: number) => (await world.queries.find(String(seq)))?.status;
  const lastErrorOf = async (seq: number) =>
    JSON.parse((await world.queries.find(String(seq)))?.last_error ?? 'null')?.message;

  /** A delivery in that status, and the webhook that is told about it. */
  async function told(status: Status, words: Omit<EventWords, 'messageId' | 'tags'>) {
    number += 1;
    const held = status === 'sending' ? { lockedBy: 'worker-1', lockedAt: 1, dueAt: 1 } : {};
    const delivery = await world.delivery(status, number, held);
    const messageId = `m-${number}`;
    const answer = await world.served.tell(`msg_${number}`, { messageId, tags: delivery.tags(), ...words });
    expect(answer).toEqual(processed);
    return { ...delivery, messageId, eventId: `msg_${number}` };
  }

  const bounce = (type: string, subType = 'General') => ({
    ...{ type: 'email.bounced', data: { bounce: { type, subType, message: 'to person@example.org' } } },
  });

  async function refusal(headers: Record<string, string>, body: string): Promise<Answered> {
    const before = (await world.events()).length;
    const answer = await world.served.post(headers, body);
    expect(await world.events()).toHaveLength(before);
    return answer;
  }

  const body = eventBody({ type: 'email.sent' });
  const fresh = (text = body) => headersOf(signed(`msg_fresh_${number++}`, text, { at: world.clock.now() }));

  it('002-P7-01 Route `POST /api/v1/webhooks/resend`; the signature is verified over the raw body string, not over parsed JSON', async () => {
    const spaced = `{ "type" :\t"contact.created",\n "data": { "n": 1.0, "n": 2 } }`;
    expect(await world.served.post(fresh(spaced), spaced)).toEqual(processed);
    const same = JSON.stringify(JSON.parse(spaced));
    expect(await refusal(fresh(spaced), same)).toMatchObject({ status: 401 });
  });

  it.each(['svix-id', 'svix-timestamp', 'svix-signature'])(
    "002-P7-02 Any of `svix-id`, `svix-timestamp`, `svix-signature` missing → 400 `{ error: 'Missing svix headers' }`: %s",
    async (name) => {
      const { [name]: _, ...others } = fresh() as Record<string, string>;
      expect(await refusal(others, body)).toEqual({
        status: 400,
        body: { error: 'Missing svix headers', code: 'missing_signature', traceId: expect.any(String) },
      });
    },
  );

  it("002-P7-03 Invalid signature → 401 `{ error: 'Invalid signature' }`", async () => {
    expect(await refusal({ ...fresh(), 'svix-id': 'msg_other' }, body)).toEqual({
      status: 401,
      body: { error: 'Invalid signature', code: 'invalid_signature', traceId: expect.any(String) },
    });
  });

  it('002-P7-04 The event is inserted with svix id, type, `data.email_id` and payload; its unique id is the `svix-id` header, not `event.id`', async () => {
    const payload = `{"id":"evt_1","type":"email.something_new","data":{"email_id":"m-p7-04"}}`;
    for (const id of ['msg_p7_04_a', 'msg_p7_04_b']) {
      const answer = await world.served.post(
        headersOf(signed(id, payload, { at: world.clock.now() })),
        payload,
      );
      expect(answer).toEqual(processed);
    }
    const kept = (await world.events()).filter((event) => event.provider_message_id === 'm-p7-04');
    const event = { provider: 'resend', type: 'email.something_new', payload, outcome: 'kept' };
    expect(kept).toMatchObject([
      { ...event, provider_event_id: 'msg_p7_04_a' },
      { ...event, provider_event_id: 'msg_p7_04_b' },
    ]);
  });

  it("002-P7-05 Duplicate svix id → 200 `{ status: 'already_processed' }`, no further effect", async () => {
    const { seq, eventId, tags } = await told('sent', { type: 'email.delivered' });
    const before = await world.story(seq);
    // Even if it says something else: the id decides.
    const again = await world.served.tell(eventId, { type: 'email.complained', tags: tags() });
    expect(again).toEqual({ status: 200, body: { status: 'already_processed' } });
    expect(await statusOf(seq)).toBe('delivered');
    expect(await world.story(seq)).toEqual(before);
    expect((await world.events()).filter((event) => event.provider_event_id === eventId)).toMatchObject([
      { repeats: 1, type: 'email.delivered' },
    ]);
  });

  it('002-P7-06 `delivery_id` is read from tags as an array of `{name, value}`', async () => {
    const { seq } = await told('sent', { type: 'email.delivered', form: 'list' });
    expect(await statusOf(seq)).toBe('delivered');
  });

  it('002-P7-07 `delivery_id` is read from tags as an object', async () => {
    const { seq } = await told('sent', { type: 'email.delivered', form: 'object' });
    expect(await statusOf(seq)).toBe('delivered');
  });

  describe('002-P7-08 `email.sent`: moves the row to `sent` with the email id only if it is still `sending`', () => {
    it('sends the row on, with the email id', async () => {
      const { seq, messageId } = await told('sending', { type: 'email.sent' });
      expect(await world.queries.find(String(seq))).toMatchObject({
        ...{ status: 'sent', provider_message_id: messageId, attempts: 1, locked_by: null },
      });
    });
    it('moves no row of which more is known', async () => {
      const more: Status[] = ['delivered', 'suppressed'];
      for (const status of more) {
        const { seq } = await told(status, { type: 'email.sent' });
        expect(await statusOf(seq)).toBe(status);
      }
    });
    // What is in doubt is still on its way as far as the clause knows: it has no word for it.
    it('settles what was in doubt', async () => {
      const { seq } = await told('needs_review', { type: 'email.sent' });
      expect(await statusOf(seq)).toBe('sent');
    });
  });

  it('002-P7-09 `email.delivered`: `delivered`', async () => {
    const { seq } = await told('sending', { type: 'email.delivered', at: 1_767_225_600_000 });
    expect(await world.queries.find(String(seq))).toMatchObject({
      ...{ status: 'delivered', delivered_at: 1_767_225_600_000, sent_at: 1_767_225_600_000 },
    });
  });

  it('002-P7-10 `email.bounced`, `bounce.type=Permanent`: `suppressed`', async () => {
    const { seq } = await told('sent', bounce('Permanent'));
    expect(await statusOf(seq)).toBe('suppressed');
  });

  it.each(['Transient', 'Temporary', 'Undetermined', 'Brand-new'])(
    '002-P7-11 `email.bounced`, any other type: `failed_transient`: %s',
    async (type) => {
      const { seq } = await told('sent', bounce(type));
      // The next round is due in hours, under a key of its own.
      expect(await world.queries.find(String(seq))).toMatchObject({
        ...{ status: 'failed_transient', due_at: world.clock.now() + 4 * 3_600_000, evidence: 6 },
      });
    },
  );

  it('002-P7-12 `email.bounced`: `last_error` is `bounced: {subType}`', async () => {
    const soft = await told('sent', bounce('Transient', 'MailboxFull'));
    expect(await lastErrorOf(soft.seq)).toBe('bounced: MailboxFull');
    const hard = await told('sent', bounce('Permanent', 'NoEmail'));
    expect(await lastErrorOf(hard.seq)).toBe('bounced: NoEmail');
  });

  const addressOf = async (seq: number) => (await world.queries.find(String(seq)))?.to_email;

  /** Nothing goes to that address any more: what waits is stopped, the source has been told. */
  async function expectDeactivated(seq: number, reason: string): Promise<void> {
    expect(await world.booked()).toContain(`suppressed ${seq}`);
    const lines = await world.consent.suppressions.list({ limit: 1000 });
    expect(lines.filter((line) => line.delivery_seq === seq)).toMatchObject([
      { reason, scope: '*', address_key: await addressOf(seq) },
    ]);
  }

  it('002-P7-13 A permanent bounce deactivates the notification (optional in the spec)', async () => {
    const { seq } = await told('sent', bounce('Permanent'));
    await expectDeactivated(seq, 'bounced_for_good');
  });

  it('002-P7-14 `email.complained`: `suppressed`', async () => {
    const { seq } = await told('delivered', { type: 'email.complained' });
    expect(await statusOf(seq)).toBe('suppressed');
  });

  it('002-P7-15 `email.suppressed`: `suppressed`', async () => {
    const { seq } = await told('sending', { type: 'email.suppressed' });
    expect(await statusOf(seq)).toBe('suppressed');
  });

  it('002-P7-16 Complaint and suppression: `last_error` is `{type}: {reason}`', async () => {
    const complaint = await told('sent', { type: 'email.complained', data: { reason: 'abuse' } });
    expect(await lastErrorOf(complaint.seq)).toBe('email.complained: abuse');
    // The real API has the reason of a suppression at `data.suppressed.message`.
    const suppressed = { message: 'on the suppression list: person@example.org' };
    const suppression = await told('sent', { type: 'email.suppressed', data: { suppressed } });
    expect(await lastErrorOf(suppression.seq)).toBe('email.suppressed: on the suppression list: [address]');
  });

  it.each([
    ['email.complained', 'complained'],
    ['email.suppressed', 'provider_suppressed'],
  ])(
    '002-P7-17 Complaint and suppression deactivate the notification: no future sends: %s',
    async (type, reason) => {
      number += 1;
      const waiting = number + 1000;
      const [later] = await world.outbox.enqueue([
        {
          ...{ source: 'plain', occasion: `later-${number}`, recipient: `person-${waiting}`, lane: 'normal' },
          ...{ toEmail: `PERSON-${number + 1}@example.org`, variables: { subject: 's', text: 't' } },
        },
      ]);
      const { seq } = await told('sent', { type });
      await expectDeactivated(seq, reason);
      expect(await statusOf(later?.seq ?? 0)).toBe('suppressed');
    },
  );

  it('002-P7-18 `email.failed`: `failed_permanent` with the event’s error', async () => {
    // The real API has it at `data.failed.reason`.
    const { seq } = await told('sent', {
      type: 'email.failed',
      data: { failed: { reason: 'invalid_from' } },
    });
    expect(await statusOf(seq)).toBe('failed_permanent');
    expect(await lastErrorOf(seq)).toBe('email.failed: invalid_from');
    // Permanent, but for a quota.
    const quota = { type: 'email.failed', data: { failed: { reason: 'reached_daily_quota' } } };
    expect(await statusOf((await told('sent', quota)).seq)).toBe('failed_transient');
  });

  it('002-P7-19 `email.delivery_delayed`: a warning is logged, the status stays', async () => {
    const { seq, id } = await told('sent', { type: 'email.delivery_delayed' });
    expect(await statusOf(seq)).toBe('sent');
    expect(world.log.lines.filter((line) => line.deliveryId === id && line.level === 'warn')).toMatchObject([
      { event: 'delivery.delayed' },
    ]);
  });

  it('002-P7-20 The event is marked processed after the update', async () => {
    // In the transaction of the update, so that neither is there without the other (tests/webhooks/once.test.ts).
    const { seq, eventId } = await told('sent', { type: 'email.delivered' });
    expect((await world.events()).filter((event) => event.provider_event_id === eventId)).toMatchObject([
      { processed_at: world.clock.now(), delivery_seq: seq, outcome: 'applied', due_at: null },
    ]);
  });

  it("002-P7-21 Processed → 200 `{ status: 'processed' }`, also when no delivery id was found", async () => {
    expect(await world.served.tell('msg_p7_21_a', { type: 'email.delivered' })).toEqual(processed);
    expect(await world.served.tell('msg_p7_21_b', { type: 'domain.updated' })).toEqual(processed);
    expect(await world.served.tell('msg_p7_21_c', { type: 'email.sent', messageId: 'unheard-of' })).toEqual(
      processed,
    );
  });

  it('002-C-05 The webhook uses the `svix-id` header as unique event id', async () => {
    const words = { type: 'email.something_new', data: { id: 'the same' } };
    expect(await world.served.tell('msg_c_05_a', words)).toEqual(processed);
    expect(await world.served.tell('msg_c_05_b', words)).toEqual(processed);
    expect((await world.served.tell('msg_c_05_a', words)).body).toEqual({ status: 'already_processed' });
  });

  it('002-C-06 Webhook verification uses the raw body', async () => {
    // The same JSON to every parser, and not the same bytes.
    expect(await refusal(fresh(), `${body} `)).toMatchObject({ status: 401 });
    expect(await refusal(fresh(), body.replace('email.sent', 'email\\u002esent'))).toMatchObject({
      status: 401,
    });
  });
});
