import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpProviderWorld, httpProviders } from '../support/http-providers.ts';
import { ofRound, parcel } from './parcel.ts';

/** What every provider that is called by HTTP does with its time and its connections, whatever the other side does. */
describe.each(httpProviders)('$name', ({ start }) => {
  let world: HttpProviderWorld;
  let fake: HttpProviderWorld['fake'];
  let clock: HttpProviderWorld['clock'];
  beforeEach(async () => {
    world = await start();
    ({ fake, clock } = world);
  });
  afterEach(() => world.close());

  const connect: HttpProviderWorld['connect'] = (more) => world.connect(more);
  const unreachable = { kind: 'deferred', trouble: 'unreachable', error: { code: 'unreachable' } };

  describe('time', () => {
    test('no answer: unknown when the bounds are over, and the connection is given up', async () => {
      fake.lieOnce({ kind: 'hang', isAccepted: true });
      const provider = connect({ connections: 1, connectTimeoutMs: 5000, answerTimeoutMs: 30_000 });
      let isSettled = false;
      const sent = provider.send(parcel).finally(() => {
        isSettled = true;
      });
      await fake.ledger.seen(1);
      await clock.advance(34_999);
      expect(isSettled).toBe(false);
      await clock.advance(1);
      const noAnswer = { code: 'no_answer', message: 'answer_timeout' };
      expect(await sent).toMatchObject({ kind: 'unknown', error: noAnswer });
      expect(provider.guarantees.longestCallMs).toBeGreaterThan(35_000);
      expect(await provider.send(ofRound(2))).toMatchObject({ kind: 'accepted' });
    });

    test('an answer that began and does not end: unknown, too', async () => {
      const start = 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"id":"a"';
      const port = await world.listen((socket) => socket.on('data', () => socket.write(start)));
      const provider = connect({ baseUrl: `http://127.0.0.1:${port}`, clock: quickClock(100) });
      expect(await provider.send(parcel)).toMatchObject({ kind: 'unknown', error: { code: 'no_answer' } });
    });

    test('an answer that is too large is not waited for', async () => {
      const start = `HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n{"id":"a"${' '.repeat(70_000)}`;
      const port = await world.listen((socket) => socket.on('data', () => socket.write(start)));
      const outcome = await connect({ baseUrl: `http://127.0.0.1:${port}` }).send(parcel);
      expect(outcome).toMatchObject({ kind: 'unknown', error: { code: 'answer_unreadable' } });
    });

    test('nothing begins to leave after startBefore', async () => {
      await clock.advance(10);
      const outcome = await connect().send({ ...parcel, startBefore: 9 });
      expect(outcome).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
      expect(outcome).not.toHaveProperty('trouble');
      expect(await connect().send({ ...parcel, startBefore: 10 })).toMatchObject({ kind: 'accepted' });
      expect(fake.ledger.requests).toHaveLength(1);
    });

    test('nor so late that the call could end after the lease', async () => {
      const provider = connect();
      const leaseEndsAt = clock.now() + provider.guarantees.longestCallMs;
      expect(await provider.send({ ...parcel, leaseEndsAt: leaseEndsAt - 1 })).toMatchObject({
        ...{ kind: 'deferred', error: { code: 'not_started' } },
      });
      expect(fake.ledger.requests).toEqual([]);
      expect(await provider.send({ ...parcel, leaseEndsAt })).toMatchObject({ kind: 'accepted' });
    });

    test('nor if connecting took until then', async () => {
      let reads = 0;
      const monotonic = () => (reads++ === 0 ? 0 : 10);
      const provider = connect({ connections: 1, clock: { ...clock, monotonic } });
      const outcome = await provider.send({ ...parcel, startBefore: 9 });
      expect(outcome).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
      expect(await provider.send({ ...parcel, startBefore: 10 })).toMatchObject({ kind: 'accepted' });
      expect(fake.ledger.requests).toHaveLength(1);
    });

    test('nor after we said that nothing has left, however late the connection comes', async () => {
      let isHasty = true;
      let slept = 0;
      const sleep: typeof clock.sleep = async (ms, signal) => {
        if (isHasty) slept += ms;
        else await clock.sleep(ms, signal);
      };
      const monotonic = () => clock.monotonic() + slept;
      const provider = connect({ connections: 1, clock: { ...clock, sleep, monotonic } });
      expect(await provider.send(parcel)).toMatchObject({ kind: 'deferred', trouble: 'unreachable' });
      isHasty = false;
      expect(await provider.send(ofRound(2))).toMatchObject({ kind: 'accepted' });
      expect(fake.ledger.requests).toHaveLength(1);
    });
  });

  /** Every sleep is over after so many real milliseconds: for connections that only real time ends. */
  function quickClock(ms: number) {
    let slept = 0;
    const sleep = (wantedMs: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        const wake = () => {
          slept += wantedMs;
          resolve();
        };
        const timer = setTimeout(wake, ms);
        signal?.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    return { ...clock, sleep, monotonic: () => clock.monotonic() + slept };
  }

  describe('connections', () => {
    test('refused: known not accepted', async () => {
      await fake.close();
      expect(await connect().send(parcel)).toMatchObject({
        ...{ ...unreachable, error: { message: 'ECONNREFUSED' } },
      });
    });

    test('no such host: known not accepted', async () => {
      const provider = connect({ baseUrl: 'http://nobody.invalid', clock: quickClock(200) });
      expect(await provider.send(parcel)).toMatchObject(unreachable);
    });

    test('no TLS on the other side: known not accepted', async () => {
      const provider = connect({ baseUrl: world.fakeUrl.replace('http:', 'https:') });
      expect(await provider.send(parcel)).toMatchObject(unreachable);
      expect(fake.ledger.requests).toEqual([]);
    });

    test('reset in the handshake: known not accepted', async () => {
      const port = await world.listen((socket) => socket.once('data', () => socket.resetAndDestroy()));
      expect(await connect({ baseUrl: `https://127.0.0.1:${port}` }).send(parcel)).toMatchObject(unreachable);
    });

    test('no answer to the handshake: known not accepted when the time for connecting is over', async () => {
      let connected = () => {};
      const isConnected = new Promise<void>((resolve) => {
        connected = resolve;
      });
      const port = await world.listen(() => connected());
      const sent = connect({ baseUrl: `https://127.0.0.1:${port}` }).send(parcel);
      await isConnected;
      await clock.advance(5000);
      expect(await sent).toMatchObject({ ...unreachable, error: { message: 'connect_timeout' } });
    });

    test('a connection that the server closed between two mails loses none', async () => {
      const provider = connect({ connections: 1 });
      await provider.send(parcel);
      fake.dropIdleConnections();
      const outcome = await provider.send(ofRound(2));
      expect(['accepted', 'unknown']).toContain(outcome.kind);
      expect(await provider.send(ofRound(3))).toMatchObject({ kind: 'accepted' });
    });

    test('as many mails as `concurrency` are on the wire at once: none waits inside', async () => {
      fake.rules.push({ lie: { kind: 'slow', ms: 1000, at: 'before_answering' } });
      const provider = connect({ connections: 5 });
      const rounds = Array.from({ length: provider.guarantees.concurrency }, (_, n) => n + 1);
      const sent = rounds.map((round) => provider.send(ofRound(round)));
      await fake.ledger.seen(5);
      await clock.advance(1000);
      expect((await Promise.all(sent)).map(({ kind }) => kind)).toEqual(Array(5).fill('accepted'));
    });

    test('a question never stands in the way of a mail', async () => {
      fake.rules.push({ match: ({ method }) => method === 'GET', lie: { kind: 'hang', isAccepted: false } });
      const provider = connect({ connections: 1 });
      const questions = [provider.probe(), provider.probe()];
      await fake.ledger.seen(1);
      expect(await provider.send(parcel)).toMatchObject({ kind: 'accepted' });
      await clock.advance(35_000);
      expect(await Promise.all(questions)).toMatchObject([{ isUp: false }, { isUp: false }]);
    });

    test('once it is closed nothing leaves, and that is nobody’s trouble', async () => {
      const provider = connect();
      await provider.close?.();
      const outcome = await provider.send(parcel);
      expect(outcome).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
      expect(outcome).not.toHaveProperty('trouble');
    });
  });
});
