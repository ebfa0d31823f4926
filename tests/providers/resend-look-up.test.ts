import { Resend } from 'resend';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idempotencyKey, requiredTags } from '../../src/domain/message.ts';
import type { LookUp } from '../../src/domain/outcome.ts';
import type { Provider } from '../../src/providers/provider.ts';
import type { ResendParts } from '../../src/providers/resend.ts';
import type { ManualClock } from '../../src/std/clock.ts';
import type { FakeResend, FakeResendOptions } from '../support/fake-resend/fake-resend.ts';
import { createResendWorld, type ResendWorld } from '../support/fake-resend/resend-world.ts';
import { mailTo } from '../support/mails.ts';

const startAt = Date.UTC(2026, 2, 14, 22);
const dayMs = 24 * 3_600_000;
const deliveryId = (number: number) => `00000000-0000-5000-8000-${String(number).padStart(12, '0')}`;

let world: ResendWorld;
let clock: ManualClock;
let fake: FakeResend;
beforeEach(() => start());
afterEach(() => world.close());

async function start(options: FakeResendOptions = {}) {
  // A rate at which look-ups do not wait, unless the test is about that.
  world = await createResendWorld(options, { ratePerSecond: Infinity });
  ({ clock, fake } = world);
}

async function startAnew(options: FakeResendOptions = {}) {
  await world.close();
  await start(options);
}

const resend = (more: Partial<ResendParts> = {}) => world.resend(more);

function send(provider: Provider, number: number, round = 1) {
  const mail = mailTo(number, { tags: requiredTags(deliveryId(number), round, 'test') });
  return provider.send({
    key: idempotencyKey(deliveryId(number), round),
    mail,
    startBefore: Infinity,
    leaseEndsAt: Infinity,
  });
}

async function lookUp(provider: Provider, number: number, more: { round?: number; sentAfter?: number } = {}) {
  const { round = 1, sentAfter = startAt } = more;
  const key = idempotencyKey(deliveryId(number), round);
  return provider.lookUp?.({ key, messageId: null, sentAfter });
}

const isLogPage = ({ path }: { path: string }) => path === '/logs';
const idOf = (number: number) => fake.ledger.acceptedBy(deliveryId(number))[0]?.id;

describe('a mail that Resend has', () => {
  test.each([
    ['cut off before the answer', { kind: 'reset', at: 'before_answer', isAccepted: true }],
    ['cut off in the answer', { kind: 'reset', at: 'mid_answer', isAccepted: true }],
    ['answered with rubbish', { kind: 'answer', isAccepted: true, status: 200, body: '<html>' }],
  ] as const)('is found when it was %s', async (_, lie) => {
    const provider = resend();
    await clock.advance(5000);
    fake.lieOnce(lie);
    expect(await send(provider, 1)).toMatchObject({ kind: 'unknown' });
    await clock.advance(5000);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'found', messageId: idOf(1), at: startAt + 5000 });
  });

  test('is found among others, by delivery and round', async () => {
    const provider = resend();
    for (const [number, round] of [
      [1, 1],
      [2, 1],
      [1, 2],
      [3, 1],
    ] as const) {
      await send(provider, number, round);
      await clock.advance(1000);
    }
    const [first, second] = fake.ledger.acceptedBy(deliveryId(1));
    expect(await lookUp(provider, 1)).toMatchObject({ messageId: first?.id, at: startAt });
    expect(await lookUp(provider, 1, { round: 2 })).toMatchObject({
      messageId: second?.id,
      at: startAt + 2000,
    });
    expect(await lookUp(provider, 1, { round: 3 })).toEqual({ kind: 'absent' });
  });

  test('is found behind more than a hundred others, and each entry is read once', async () => {
    const provider = resend();
    for (let number = 0; number < 130; number++) await send(provider, number);
    expect(await lookUp(provider, 0)).toMatchObject({ kind: 'found', messageId: idOf(0) });
    const before = fake.ledger.requests.length;
    expect(await lookUp(provider, 1)).toMatchObject({ kind: 'found', messageId: idOf(1) });
    const paths = fake.ledger.requests.slice(before).map(({ path }) => path);
    // Our own questions are in the log as well, and push the mails to later pages.
    expect(new Set(paths)).toEqual(new Set(['/logs']));
  });

  test('twice, because its key was forgotten: the earliest', async () => {
    const provider = resend();
    await send(provider, 1);
    await clock.advance(dayMs);
    await send(provider, 1);
    expect(fake.ledger.acceptedBy(deliveryId(1))).toHaveLength(2);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'found', messageId: idOf(1), at: startAt });
  });

  test('with a known id is asked for by it', async () => {
    const provider = resend();
    await send(provider, 1);
    const reference = { key: deliveryId(1), messageId: idOf(1) ?? '', sentAfter: startAt };
    expect(await provider.lookUp?.(reference)).toEqual({ kind: 'found', messageId: idOf(1), at: startAt });
    expect(fake.ledger.requests.at(-1)?.path).toBe(`/emails/${idOf(1)}`);
    // An id that Resend does not know is not the end of it.
    expect(await provider.lookUp?.({ ...reference, messageId: deliveryId(9) })).toMatchObject({
      kind: 'found',
      messageId: idOf(1),
    });
    fake.lieOnce({ kind: 'answer', isAccepted: false, status: 500 });
    expect(await provider.lookUp?.(reference)).toEqual({ kind: 'unknown' });
  });

  test('is found although the search could not be finished', async () => {
    const provider = resend();
    for (let number = 0; number < 120; number++) await send(provider, number);
    fake.lieOnce({ kind: 'answer', isAccepted: false, status: 500 }, ({ query }) => query.has('after'));
    expect(await lookUp(provider, 119)).toMatchObject({ kind: 'found', messageId: idOf(119) });
  });

  test('is not there before it is indexed: the engine must wait for that', async () => {
    await startAnew({ indexingDelayMs: 30_000 });
    const provider = resend();
    await send(provider, 1);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'absent' });
    await clock.advance(provider.guarantees.indexingDelayMs);
    expect(await lookUp(provider, 1)).toMatchObject({ kind: 'found' });
  });
});

describe('a mail that Resend does not have', () => {
  test('is absent from an empty log, and among mails of others', async () => {
    const provider = resend();
    expect(await lookUp(provider, 1)).toEqual({ kind: 'absent' });
    await send(provider, 2);
    const stranger = { from: 'a@example.org', to: 'b@example.org', subject: 'No tags', text: 'x' };
    await new Resend('re_test', { baseUrl: fake.url }).emails.send(stranger);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'absent' });
  });

  test('is absent when it was refused', async () => {
    const provider = resend();
    fake.lieOnce({ kind: 'answer', isAccepted: false, status: 422, name: 'validation_error' });
    await send(provider, 1);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'absent' });
  });

  test('the search ends where the mail cannot have been sent yet, five minutes of skew allowed', async () => {
    const provider = resend();
    await send(provider, 1);
    await clock.advance(5 * 60_000);
    for (let number = 2; number < 5; number++) await send(provider, number);
    const found = await lookUp(provider, 1, { sentAfter: startAt + 5 * 60_000 });
    expect(found).toMatchObject({ kind: 'found' });
    const later = await lookUp(provider, 1, { sentAfter: startAt + 5 * 60_000 + 1 });
    expect(later).toEqual({ kind: 'absent' });
  });

  test('a log that may have been thinned out proves nothing, unless it reaches back far enough', async () => {
    const provider = resend();
    await clock.advance(2 * dayMs);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'unknown' });
    await startAnew();
    const another = resend();
    await send(another, 2);
    await clock.advance(2 * dayMs);
    expect(await lookUp(another, 1, { sentAfter: startAt + dayMs })).toEqual({ kind: 'absent' });
  });
});

describe('what cannot be known', () => {
  test('an error of theirs may have been an acceptance', async () => {
    const provider = resend();
    fake.lieOnce({ kind: 'answer', isAccepted: true, status: 500 });
    await send(provider, 1);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'unknown' });
    await send(provider, 1);
    expect(await lookUp(provider, 1)).toMatchObject({ kind: 'found', messageId: idOf(1) });
  });

  test('a key that may only send', async () => {
    await startAnew({ keys: [{ apiKey: 're_test', account: 'main', access: 'sending' }] });
    const provider = resend();
    await send(provider, 1);
    expect(await lookUp(provider, 1)).toEqual({ kind: 'unknown' });
  });

  const entry = {
    ...{ id: 'log-1', created_at: '2026-03-14 22:00:01.5+00', endpoint: '/emails', method: 'POST' },
    response_status: 200,
  };
  const page = (...data: unknown[]) => JSON.stringify({ object: 'list', has_more: false, data });
  test.each([
    ['no JSON', '<html>'],
    ['no list', '{"data":{}}'],
    ['no word on whether there is more', JSON.stringify({ data: [] })],
    ['more to come, and nothing here', JSON.stringify({ has_more: true, data: [] })],
    ['an entry without a time', page({ ...entry, created_at: undefined })],
    ['an entry with a local time', page({ ...entry, created_at: '2026-03-14 22:00:01' })],
    ['an entry without a status', page({ ...entry, response_status: '200' })],
    ['an entry whose id would be another path', page({ ...entry, id: '../emails' })],
    ['an entry that is null', page(null)],
    ['the oldest first', page({ ...entry, created_at: '2026-03-14 21:00:00Z' }, entry)],
  ])('a page with %s', async (_, body) => {
    fake.lieOnce({ kind: 'answer', isAccepted: false, status: 200, body }, isLogPage);
    expect(await lookUp(resend(), 1)).toEqual({ kind: 'unknown' });
    expect(fake.ledger.requests).toHaveLength(1);
  });

  test.each([
    ['without the request', JSON.stringify({ response_status: 200, response_body: { id: 'a' } })],
    ['whose request is hidden', JSON.stringify({ response_status: 200, request_body: '[redacted]' })],
    ['that is gone', undefined],
  ])('an entry %s', async (_, body) => {
    const provider = resend();
    await send(provider, 2);
    fake.lieOnce(
      { kind: 'answer', isAccepted: false, status: body ? 200 : 404, ...(body && { body }) },
      ({ path }) => path.startsWith('/logs/'),
    );
    expect(await lookUp(provider, 1)).toEqual({ kind: 'unknown' });
    expect(await lookUp(provider, 1)).toEqual({ kind: 'absent' });
  });

  test.each([
    ['an error', { kind: 'answer', isAccepted: false, status: 500 }],
    ['a cut', { kind: 'reset', at: 'before_answer', isAccepted: false }],
  ] as const)('%s on the way', async (_, lie) => {
    fake.lieOnce(lie, isLogPage);
    expect(await lookUp(resend(), 1)).toEqual({ kind: 'unknown' });
  });

  test('a key that is none of ours', async () => {
    expect(await resend().lookUp?.({ key: 'k', messageId: null, sentAfter: startAt })).toEqual({
      kind: 'unknown',
    });
  });

  test('a log without end', async () => {
    const body = JSON.stringify({ has_more: true, data: [{ ...entry, method: 'GET' }] });
    fake.rules.push({ lie: { kind: 'answer', isAccepted: false, status: 200, body } });
    expect(await lookUp(resend(), 1)).toEqual({ kind: 'unknown' });
    expect(fake.ledger.requests.length).toBeLessThanOrEqual(50);
  });
});

describe('pace', () => {
  /** Moves the clock whenever somebody waits for less than a call may take. */
  async function whileWaiting(looking: Promise<LookUp | undefined>) {
    let isSettled = false;
    void looking.finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      const nextMs = clock.nextWakeMs();
      if (nextMs !== undefined && nextMs <= 4000) await clock.advance(nextMs);
      else await new Promise(setImmediate);
    }
    return looking;
  }

  test('look-ups take a quarter of the rate at most', async () => {
    const provider = resend({ ratePerSecond: 2 });
    for (let number = 1; number < 4; number++) await send(provider, number);
    expect(await whileWaiting(lookUp(provider, 9))).toEqual({ kind: 'absent' });
    const at = fake.ledger.requests.filter(({ method }) => method === 'GET').map((request) => request.at);
    expect(at.map((one) => one - startAt)).toEqual([0, 2000, 4000, 6000]);
  });

  test('a throttle is waited for', async () => {
    const provider = resend();
    for (let number = 1; number < 4; number++) await send(provider, number);
    fake.limits.ratePerSecond = 1;
    expect(await whileWaiting(lookUp(provider, 1))).toMatchObject({ kind: 'found' });
    expect(clock.now() - startAt).toBeGreaterThanOrEqual(3000);
  });

  test('but not for ever: what ran out of time goes on from there the next time', async () => {
    const provider = resend({ ratePerSecond: 4, lookUpTimeoutMs: 2500 });
    for (let number = 1; number < 5; number++) await send(provider, number);
    const answers = [];
    for (let turn = 0; turn < 4; turn++) answers.push(await whileWaiting(lookUp(provider, 9)));
    expect(answers[0]).toEqual({ kind: 'unknown' });
    expect(answers.at(-1)).toEqual({ kind: 'absent' });
  });
});
