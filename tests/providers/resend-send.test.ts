import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idempotencyKey } from '../../src/domain/message.ts';
import type { ResendParts } from '../../src/providers/resend.ts';
import type { FakeResend, FakeResendOptions } from '../support/fake-resend/fake-resend.ts';
import { createResendWorld, type ResendWorld } from '../support/fake-resend/resend-world.ts';
import type { Lie } from '../support/lies.ts';
import { id, parcel } from './parcel.ts';

let world: ResendWorld;
let fake: FakeResend;
beforeEach(() => start());
afterEach(() => world.close());

async function start(options: FakeResendOptions = {}) {
  world = await createResendWorld(options);
  fake = world.fake;
}

const resend = (more: Partial<ResendParts> = {}) => world.resend(more);

test('a key that may only send proves by its refusal that Resend is up', async () => {
  await world.close();
  await start({ keys: [{ apiKey: 're_test', account: 'main', access: 'sending' }] });
  expect(await resend().probe()).toEqual({ isUp: true });
});

describe('a mail that is accepted', () => {
  test('is answered with the id of the one mail that there is', async () => {
    const outcome = await resend().send(parcel);
    expect(fake.ledger.acceptedBy(id)).toMatchObject([{ key: id, submissions: 1 }]);
    expect(outcome).toEqual({ kind: 'accepted', messageId: fake.ledger.accepted[0]?.id });
  });

  test('leaves whole', async () => {
    const mail = { ...parcel.mail, replyTo: parcel.mail.from, subject: 'Grüße 🙂 "x"' };
    await resend().send({ ...parcel, mail });
    expect(fake.ledger.accepted[0]?.body).toEqual({
      from: mail.from,
      to: [mail.to],
      subject: mail.subject,
      html: mail.html,
      text: mail.text,
      reply_to: mail.from,
      headers: { 'Auto-Submitted': 'auto-generated' },
      tags: [
        { name: 'delivery_id', value: id },
        { name: 'env', value: 'test' },
        { name: 'round', value: '1' },
      ],
    });
  });

  test('one key, one body: a repeat is the same bytes, however headers and tags were put together', async () => {
    const provider = resend();
    const headers = { 'X-One': '1', 'X-Two': '2' };
    const { tags } = parcel.mail;
    const backwards = (record: object) => Object.fromEntries(Object.entries(record).reverse());
    const first = await provider.send({ ...parcel, mail: { ...parcel.mail, headers } });
    const again = { ...parcel.mail, headers: backwards(headers), tags: backwards(tags) };
    expect(await provider.send({ ...parcel, mail: again })).toEqual(first);
    const [one, two] = fake.ledger.submissions();
    expect(two?.bodyText).toBe(one?.bodyText);
    expect(fake.ledger.accepted).toMatchObject([{ submissions: 2 }]);
  });

  test('another round is another mail', async () => {
    const provider = resend();
    await provider.send(parcel);
    await provider.send({ ...parcel, key: idempotencyKey(id, 2) });
    expect(fake.ledger.accepted.map(({ key }) => key)).toEqual([id, `${id}-r2`]);
  });

  test('the same key with another body is a conflict', async () => {
    const provider = resend();
    await provider.send(parcel);
    const outcome = await provider.send({ ...parcel, mail: { ...parcel.mail, subject: 'Other' } });
    expect(outcome).toMatchObject({ kind: 'key_conflict', error: { code: 'invalid_idempotent_request' } });
  });
});

describe('an answer, over the wire', () => {
  const lies: [string, Lie, object][] = [
    [
      '500 after accepting: unknown',
      { kind: 'answer', isAccepted: true, status: 500 },
      { kind: 'unknown', error: { code: 'application_error' } },
    ],
    [
      '503 before accepting: unknown, for nobody can tell',
      { kind: 'answer', isAccepted: false, status: 503 },
      { kind: 'unknown' },
    ],
    [
      'a 200 that is a page for people: unknown',
      { kind: 'answer', isAccepted: true, status: 200, body: '<html>' },
      { kind: 'unknown', error: { code: 'answer_unreadable' } },
    ],
    [
      'a 200 without an id: unknown',
      { kind: 'answer', isAccepted: true, status: 200, body: '{}' },
      { kind: 'unknown', error: { code: 'answer_unreadable' } },
    ],
    [
      'a 200 too large to be read: unknown, although it has an id',
      { kind: 'answer', isAccepted: true, status: 200, body: `{"id":"a"${' '.repeat(70_000)}}` },
      { kind: 'unknown', error: { code: 'answer_unreadable' } },
    ],
    [
      'a redirect is not followed: unknown',
      { kind: 'answer', isAccepted: false, status: 307, headers: { location: '/emails' } },
      { kind: 'unknown' },
    ],
    [
      'reset before the body is read: unknown',
      { kind: 'reset', at: 'before_body', isAccepted: false },
      { kind: 'unknown', error: { code: 'no_answer' } },
    ],
    [
      'reset after accepting: unknown',
      { kind: 'reset', at: 'before_answer', isAccepted: true },
      { kind: 'unknown', error: { code: 'no_answer' } },
    ],
    [
      'cut off in the middle of the answer: unknown',
      { kind: 'reset', at: 'mid_answer', isAccepted: true },
      { kind: 'unknown', error: { code: 'no_answer' } },
    ],
    [
      '422: refused for good',
      { kind: 'answer', isAccepted: false, status: 422, name: 'validation_error' },
      { kind: 'refused_for_good', error: { code: 'validation_error', provider: 'resend' } },
    ],
    [
      '403: the account is in trouble, and no address is repeated',
      {
        ...{ kind: 'answer', isAccepted: false, status: 403, name: 'validation_error' },
        message: 'Only to your own (ana@example.org), with re_test',
      },
      {
        kind: 'deferred',
        trouble: 'unauthorised',
        error: { message: 'Only to your own ([address]), with [key]' },
      },
    ],
    [
      '429 with a date: throttled until then',
      {
        ...{ kind: 'answer', isAccepted: false, status: 429, name: 'rate_limit_exceeded' },
        headers: { 'retry-after': 'Sat, 14 Mar 2026 22:00:09 GMT' },
      },
      { kind: 'deferred', trouble: 'throttled', retryAfterMs: 9000, error: { retryAfterSeconds: 9 } },
    ],
  ];
  test.each(lies)('%s', async (_, lie, expected) => {
    fake.lieOnce(lie);
    const provider = resend();
    expect(await provider.send(parcel)).toMatchObject(expected);
    // Whatever it was, the same key once more ends in exactly one mail.
    expect(await provider.send(parcel)).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.acceptedBy(id)).toHaveLength(1);
    expect(fake.ledger.submissions()).toHaveLength(2);
  });

  test('429 daily_quota_exceeded waits until midnight UTC; 429 monthly_quota_exceeded until somebody pays', async () => {
    fake.limits.dailyQuota = 0;
    const today = await resend().send(parcel);
    expect(today).toMatchObject({ kind: 'deferred', trouble: 'over_quota', retryAfterMs: 2 * 3_600_000 });
    fake.limits.monthlyQuota = 0;
    const thisMonth = await resend().send(parcel);
    expect(thisMonth).toMatchObject({ trouble: 'over_quota', error: { code: 'monthly_quota_exceeded' } });
    expect(thisMonth).not.toHaveProperty('retryAfterMs');
  });

  test('what repeats our key is stored without it, whatever the key looks like', async () => {
    const lie = { kind: 'answer', isAccepted: false, status: 422, message: 'Not with odd-key-1!' } as const;
    fake.lieOnce(lie);
    const outcome = await resend({ apiKey: 'odd-key-1' }).send(parcel);
    expect(outcome).toMatchObject({ error: { message: 'Not with [key]!' } });
  });

  test('what it last said about the rate is remembered', async () => {
    const provider = resend();
    await provider.send(parcel);
    expect(provider.seenRatePerSecond?.()).toBeNull();
    fake.limits.ratePerSecond = 5;
    await provider.send(parcel);
    expect(provider.seenRatePerSecond?.()).toBe(5);
    fake.limits.ratePerSecond = null;
    await provider.send(parcel);
    expect(provider.seenRatePerSecond?.()).toBe(5);
  });
});

describe('what must not leave', () => {
  test.each(['', 'a\r\nX-Evil: 1', 'ä', 'a'.repeat(257)])(
    'the key %j is refused before the wire',
    async (key) => {
      const outcome = await resend().send({ ...parcel, key });
      expect(outcome).toMatchObject({ kind: 'refused_for_good', error: { code: 'invalid_idempotency_key' } });
      expect(fake.ledger.requests).toEqual([]);
    },
  );
});
