import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Resend } from 'resend';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createManualClock, type ManualClock } from '../../src/std/clock.ts';
import { type FakeResend, startFakeResend } from '../support/fake-resend/fake-resend.ts';

const mail = {
  from: 'Tidings <noreply@example.org>',
  to: ['ana@example.org'],
  subject: 'Hello',
  text: 'Hello',
  tags: [{ name: 'delivery_id', value: 'd-1' }],
};

/** Resend's own client is the judge of whether the fake speaks Resend's language. */
describe("the fake Resend, by Resend's own client", () => {
  let clock: ManualClock;
  let fake: FakeResend;
  let client: Resend;
  beforeEach(async () => {
    clock = createManualClock();
    fake = await startFakeResend({
      clock,
      keys: [
        { apiKey: 're_full', account: 'one' },
        { apiKey: 're_sending', account: 'one', access: 'sending' },
        { apiKey: 're_other', account: 'two' },
      ],
    });
    client = clientOf('re_full');
  });
  afterEach(() => fake.close());
  const clientOf = (key: string) => new Resend(key, { baseUrl: fake.url });

  test('the same key twice is one mail with one id', async () => {
    const first = await client.emails.send(mail, { idempotencyKey: 'k' });
    const second = await client.emails.send(mail, { idempotencyKey: 'k' });
    expect(first.error).toBeNull();
    expect(second.data).toEqual({ id: first.data?.id });
    expect(fake.ledger.acceptedBy('d-1')).toMatchObject([{ id: first.data?.id, key: 'k', submissions: 2 }]);
  });

  test('without a key every submission is a mail', async () => {
    await client.emails.send(mail);
    await client.emails.send(mail);
    expect(fake.ledger.accepted).toHaveLength(2);
  });

  test('the same key with another body is a conflict', async () => {
    await client.emails.send(mail, { idempotencyKey: 'k' });
    const { error } = await client.emails.send({ ...mail, subject: 'Other' }, { idempotencyKey: 'k' });
    expect(error).toMatchObject({ statusCode: 409, name: 'invalid_idempotent_request' });
  });

  test('the same key while the first request is worked on is refused', async () => {
    fake.lieOnce({ kind: 'slow', ms: 5000, at: 'before_accepting' });
    const first = client.emails.send(mail, { idempotencyKey: 'k' });
    await fake.ledger.seen(1);
    const second = await client.emails.send(mail, { idempotencyKey: 'k' });
    expect(second.error).toMatchObject({ statusCode: 409, name: 'concurrent_idempotent_requests' });
    await clock.advance(5000);
    expect((await first).error).toBeNull();
    expect(fake.ledger.accepted).toHaveLength(1);
  });

  test('a key is forgotten after a day, and belongs to its account', async () => {
    await client.emails.send(mail, { idempotencyKey: 'k' });
    await clientOf('re_sending').emails.send(mail, { idempotencyKey: 'k' });
    await clock.advance(24 * 3_600_000 - 1);
    await client.emails.send(mail, { idempotencyKey: 'k' });
    expect(fake.ledger.accepted).toHaveLength(1);
    await clientOf('re_other').emails.send(mail, { idempotencyKey: 'k' });
    expect(fake.ledger.accepted).toHaveLength(2);
    await clock.advance(1);
    await client.emails.send(mail, { idempotencyKey: 'k' });
    expect(fake.ledger.accepted.map(({ account }) => account)).toEqual(['one', 'two', 'one']);
  });

  test('keys are checked', async () => {
    const { error } = await clientOf('re_wrong').emails.send(mail);
    expect(error).toMatchObject({ statusCode: 403, name: 'invalid_api_key' });
    const listed = await clientOf('re_sending').domains.list();
    expect(listed.error).toMatchObject({ statusCode: 401, name: 'restricted_api_key' });
    expect((await client.domains.list()).error).toBeNull();
  });

  test.each([
    ['a tag outside the alphabet', { tags: [{ name: 'a', value: 'b c' }] }],
    ['a tag too long', { tags: [{ name: 'a', value: 'b'.repeat(257) }] }],
    ['76 tags', { tags: Array.from({ length: 76 }, (_, n) => ({ name: `t${n}`, value: 'v' })) }],
    ['no subject', { subject: '' }],
    ['no address', { to: ['nobody'] }],
  ])('%s is refused', async (_, wrong) => {
    const { error } = await client.emails.send({ ...mail, ...wrong });
    expect(error?.statusCode).toBe(422);
    expect(fake.ledger.accepted).toEqual([]);
  });

  test('no second lets more through than the rate, wherever it begins', async () => {
    fake.limits.ratePerSecond = 2;
    const names: (string | undefined)[] = [];
    for (const waitMs of [0, 600, 300, 100, 600]) {
      await clock.advance(waitMs);
      names.push((await client.emails.send(mail)).error?.name);
    }
    expect(names).toEqual([undefined, undefined, 'rate_limit_exceeded', undefined, undefined]);
    const { headers } = await client.emails.send(mail);
    expect(headers).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
      'retry-after': '1',
    });
  });

  test('quotas count mails by the day and the month', async () => {
    Object.assign(fake.limits, { dailyQuota: 1, monthlyQuota: 2 });
    const send = async () => (await client.emails.send(mail)).error?.name;
    expect([await send(), await send()]).toEqual([undefined, 'daily_quota_exceeded']);
    await clock.advance(24 * 3_600_000);
    expect([await send(), await send()]).toEqual([undefined, 'monthly_quota_exceeded']);
    await clock.advance(30 * 24 * 3_600_000);
    expect(await send()).toBeUndefined();
  });

  test('mails and logs are listed newest first, page by page', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 5; number++) {
      ids.unshift((await client.emails.send(mail)).data?.id ?? '');
      await clock.advance(1000);
    }
    const first = (await client.emails.list({ limit: 3 })).data;
    expect(first?.has_more).toBe(true);
    const rest = (await client.emails.list({ limit: 3, after: first?.data[2]?.id ?? '' })).data;
    expect(rest?.has_more).toBe(false);
    expect([...(first?.data ?? []), ...(rest?.data ?? [])].map(({ id }) => id)).toEqual(ids);
    expect((await client.emails.get(ids[0] ?? '')).data).toMatchObject({ tags: mail.tags, subject: 'Hello' });
    const logs = (await client.logs.list({ limit: 100 })).data?.data ?? [];
    expect(logs.map(({ method }) => method)).toEqual([...Array(3).fill('GET'), ...Array(5).fill('POST')]);
    expect((await client.logs.get(logs[3]?.id ?? '')).data).toMatchObject({
      request_body: mail,
      response_body: { id: ids[0] },
      response_status: 200,
    });
  });
});

test('webhooks are signed so that another implementation verifies them, and come late, twice or reversed', async () => {
  const received: { id: string; type: string; tags: unknown }[] = [];
  const secret = `whsec_${Buffer.from('a secret of tests').toString('base64')}`;
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const header = (name: string) => String(request.headers[name]);
    const event = new Webhook(secret).verify(Buffer.concat(chunks).toString(), {
      'webhook-id': header('svix-id'),
      'webhook-timestamp': header('svix-timestamp'),
      'webhook-signature': header('svix-signature'),
    }) as { type: string; data: { tags: unknown } };
    received.push({ id: header('svix-id'), type: event.type, tags: event.data.tags });
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const fake = await startFakeResend({ webhooks: { url, secret } });
  try {
    const sent = await new Resend('re_test', { baseUrl: fake.url }).emails.send(mail);
    const id = sent.data?.id ?? '';
    await fake.emitWebhook('email.sent', id, { copies: 2 });
    fake.webhooks.hold();
    await fake.emitWebhook('email.delivered', id);
    await fake.emitWebhook('email.bounced', id, { data: { bounce: { type: 'Permanent' } } });
    expect(received).toHaveLength(2);
    await fake.webhooks.release('reversed');
    expect(received.map(({ type }) => type)).toEqual([
      'email.sent',
      'email.sent',
      'email.bounced',
      'email.delivered',
    ]);
    expect(new Set(received.map((event) => event.id)).size).toBe(3);
    expect(received[0]?.tags).toEqual({ delivery_id: 'd-1' });
    expect(fake.webhooks.sent.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  } finally {
    await fake.close();
    await new Promise((resolve) => receiver.close(resolve));
  }
});
