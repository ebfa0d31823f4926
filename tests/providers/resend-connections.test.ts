import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idempotencyKey, requiredTags } from '../../src/domain/message.ts';
import type { ResendParts } from '../../src/providers/resend.ts';
import type { ManualClock } from '../../src/std/clock.ts';
import type { FakeResend } from '../support/fake-resend/fake-resend.ts';
import { createResendWorld, type ResendWorld } from '../support/fake-resend/resend-world.ts';
import { mailTo } from '../support/mails.ts';

const id = '2ed6657d-e927-568b-95e1-2665a8aea6a2';
const parcel = {
  key: id,
  mail: mailTo(1, { tags: requiredTags(id, 1, 'test') }),
  startBefore: Infinity,
  leaseEndsAt: Infinity,
};

let world: ResendWorld;
let fake: FakeResend;
let clock: ManualClock;
beforeEach(async () => {
  world = await createResendWorld();
  ({ fake, clock } = world);
});
afterEach(() => world.close());

const resend = (more: Partial<ResendParts> = {}) => world.resend(more);

describe('time', () => {
  test('no answer: unknown when the bounds are over, and the connection is given up', async () => {
    fake.lieOnce({ kind: 'hang', isAccepted: true });
    const provider = resend({ connections: 1, connectTimeoutMs: 5000, answerTimeoutMs: 30_000 });
    let isSettled = false;
    const sent = provider.send(parcel).finally(() => {
      isSettled = true;
    });
    await fake.ledger.seen(1);
    await clock.advance(34_999);
    expect(isSettled).toBe(false);
    await clock.advance(1);
    expect(await sent).toMatchObject({
      kind: 'unknown',
      error: { code: 'no_answer', message: 'answer_timeout' },
    });
    expect(provider.guarantees.longestCallMs).toBeGreaterThan(35_000);
    expect(await provider.send(parcel)).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.accepted).toMatchObject([{ submissions: 2 }]);
  });

  test('an answer that began and does not end: unknown, too', async () => {
    const port = await world.listen((socket) =>
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"id":"a"')),
    );
    const provider = resend({ baseUrl: `http://127.0.0.1:${port}`, clock: quickClock(100) });
    expect(await provider.send(parcel)).toMatchObject({ kind: 'unknown', error: { code: 'no_answer' } });
  });

  test('an answer that is too large is not waited for', async () => {
    const start = `HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{"id":"a"${' '.repeat(70_000)}`;
    const port = await world.listen((socket) => socket.on('data', () => socket.write(start)));
    const outcome = await resend({ baseUrl: `http://127.0.0.1:${port}` }).send(parcel);
    expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'answer_unreadable' } });
  });

  test('a mail that is accepted after we gave up is found by its key, never sent again', async () => {
    fake.lieOnce({ kind: 'slow', ms: 60_000, at: 'before_accepting' });
    const provider = resend();
    const sent = provider.send(parcel);
    await fake.ledger.seen(1);
    await clock.advance(35_000);
    expect(await sent).toMatchObject({ kind: 'unknown' });
    expect(await provider.send(parcel)).toMatchObject({
      kind: 'unknown',
      isAttempt: false,
      error: { code: 'concurrent_idempotent_requests' },
    });
    expect(fake.ledger.accepted).toEqual([]);
    await clock.advance(25_000);
    expect(await provider.send(parcel)).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.accepted).toHaveLength(1);
  });

  test('nothing begins to leave after startBefore', async () => {
    await clock.advance(10);
    const outcome = await resend().send({ ...parcel, startBefore: 9 });
    expect(outcome).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
    expect(outcome).not.toHaveProperty('trouble');
    expect(await resend().send({ ...parcel, startBefore: 10 })).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.requests).toHaveLength(1);
  });

  test('nor if connecting took until then', async () => {
    let reads = 0;
    const monotonic = () => (reads++ === 0 ? 0 : 10);
    const provider = resend({ connections: 1, clock: { ...clock, monotonic } });
    const outcome = await provider.send({ ...parcel, startBefore: 9 });
    expect(outcome).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
    expect(await provider.send({ ...parcel, startBefore: 10 })).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.requests).toHaveLength(1);
  });

  test('nor after we said that nothing has left, however late the connection comes', async () => {
    let isHasty = true;
    const sleep: typeof clock.sleep = (ms, signal) => (isHasty ? Promise.resolve() : clock.sleep(ms, signal));
    const provider = resend({ connections: 1, clock: { ...clock, sleep } });
    expect(await provider.send(parcel)).toMatchObject({ kind: 'deferred', trouble: 'unreachable' });
    isHasty = false;
    const second = { ...parcel, key: idempotencyKey(id, 2) };
    expect(await provider.send(second)).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.requests.map(({ key }) => key)).toEqual([second.key]);
  });
});

/** Every bound is over after so many real milliseconds: for connections that only real time ends. */
function quickClock(ms: number) {
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  return { ...clock, sleep };
}

describe('connections', () => {
  const unreachable = { kind: 'deferred', trouble: 'unreachable', error: { code: 'unreachable' } };

  test('refused: known not accepted', async () => {
    await fake.close();
    expect(await resend().send(parcel)).toMatchObject({ ...unreachable, error: { message: 'ECONNREFUSED' } });
  });

  test('no such host: known not accepted', async () => {
    const provider = resend({ baseUrl: 'http://nobody.invalid', clock: quickClock(200) });
    expect(await provider.send(parcel)).toMatchObject(unreachable);
  });

  test('no TLS on the other side: known not accepted', async () => {
    const provider = resend({ baseUrl: fake.url.replace('http:', 'https:') });
    expect(await provider.send(parcel)).toMatchObject(unreachable);
    expect(fake.ledger.requests).toEqual([]);
  });

  test('reset in the handshake: known not accepted', async () => {
    const port = await world.listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await resend({ baseUrl: `https://127.0.0.1:${port}` }).send(parcel)).toMatchObject(unreachable);
  });

  test('no answer to the handshake: known not accepted when the time for connecting is over', async () => {
    let connected = () => {};
    const isConnected = new Promise<void>((resolve) => {
      connected = resolve;
    });
    const port = await world.listen(() => connected());
    const sent = resend({ baseUrl: `https://127.0.0.1:${port}` }).send(parcel);
    await isConnected;
    await clock.advance(5000);
    expect(await sent).toMatchObject({ ...unreachable, error: { message: 'connect_timeout' } });
  });

  test('a connection that the server closed between two mails loses none', async () => {
    const provider = resend({ connections: 1 });
    await provider.send(parcel);
    fake.dropIdleConnections();
    const second = { ...parcel, key: idempotencyKey(id, 2) };
    const outcome = await provider.send(second);
    expect(['accepted', 'unknown']).toContain(outcome.kind);
    expect(await provider.send(second)).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.accepted.map(({ key }) => key)).toEqual([id, `${id}-r2`]);
  });

  test('as many mails as `concurrency` are on the wire at once: none waits inside', async () => {
    fake.rules.push({ lie: { kind: 'slow', ms: 1000, at: 'before_answering' } });
    const provider = resend({ connections: 5 });
    const rounds = Array.from({ length: provider.guarantees.concurrency }, (_, n) => n + 1);
    const sent = rounds.map((round) => provider.send({ ...parcel, key: idempotencyKey(id, round) }));
    await fake.ledger.seen(5);
    await clock.advance(1000);
    expect((await Promise.all(sent)).map(({ kind }) => kind)).toEqual(Array(5).fill('accepted'));
  });

  test('a question never stands in the way of a mail', async () => {
    fake.rules.push({ match: ({ method }) => method === 'GET', lie: { kind: 'hang', isAccepted: false } });
    const provider = resend({ connections: 1 });
    const questions = [provider.probe(), provider.probe()];
    await fake.ledger.seen(1);
    expect(await provider.send(parcel)).toMatchObject({ kind: 'accepted' });
    await clock.advance(35_000);
    expect(await Promise.all(questions)).toMatchObject([{ isUp: false }, { isUp: false }]);
  });

  test('once it is closed nothing leaves, and that is nobody’s trouble', async () => {
    const provider = resend();
    await provider.close?.();
    const outcome = await provider.send(parcel);
    expect(outcome).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
    expect(outcome).not.toHaveProperty('trouble');
  });
});
