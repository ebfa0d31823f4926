import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idempotencyKey, requiredTags } from '../../src/domain/message.ts';
import { Refusal } from '../../src/std/refusal.ts';
import { type HttpProviderWorld, httpProviders } from '../support/http-providers.ts';
import type { Lie } from '../support/lies.ts';
import { mailTo } from '../support/mails.ts';

const id = '2ed6657d-e927-568b-95e1-2665a8aea6a2';
const parcel = {
  key: id,
  mail: mailTo(1, { tags: requiredTags(id, 1, 'test') }),
  startBefore: Infinity,
  leaseEndsAt: Infinity,
};
const ofRound = (round: number) => ({
  ...{ ...parcel, key: idempotencyKey(id, round) },
  mail: mailTo(1, { tags: requiredTags(id, round, 'test') }),
});

/** What every provider promises that is called by HTTP, over a real socket, with a server that lies on demand. */
describe.each(httpProviders)('$name', ({ name, lies, start }) => {
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

  describe('what it says of a mail', () => {
    test('accepted, with the id of the one mail that there is', async () => {
      const outcome = await connect().send(parcel);
      expect(fake.ledger.acceptedBy(id)).toHaveLength(1);
      expect(outcome).toEqual({ kind: 'accepted', messageId: fake.ledger.accepted[0]?.id });
    });

    test('the same mail is the same bytes, however headers and tags were put together', async () => {
      const provider = connect();
      const headers = { 'X-One': '1', 'X-Two': '2' };
      const backwards = (record: object) => Object.fromEntries(Object.entries(record).reverse());
      await provider.send({ ...parcel, mail: { ...parcel.mail, headers } });
      const again = { ...parcel.mail, headers: backwards(headers), tags: backwards(parcel.mail.tags) };
      await provider.send({ ...parcel, mail: again });
      const [one, two] = fake.ledger.submissions();
      expect(two?.bodyText).toBe(one?.bodyText);
    });

    const doubts: [string, Lie][] = [
      ['500 after accepting', { kind: 'answer', isAccepted: true, status: 500 }],
      ['503 before accepting', { kind: 'answer', isAccepted: false, status: 503 }],
      ['408, somebody in between tired of waiting', { kind: 'answer', isAccepted: true, status: 408 }],
      ['a 200 that is a page for people', { kind: 'answer', isAccepted: true, status: 200, body: '<html>' }],
      ['a 200 without an id', { kind: 'answer', isAccepted: true, status: 200, body: '{}' }],
      [
        'a 200 too large to be read',
        { kind: 'answer', isAccepted: true, status: 200, body: ' '.repeat(70_000) },
      ],
      [
        'a redirect, which is not followed',
        { kind: 'answer', isAccepted: false, status: 307, headers: { location: '/' } },
      ],
      ['reset before the body is read', { kind: 'reset', at: 'before_body', isAccepted: false }],
      ['reset after accepting', { kind: 'reset', at: 'before_answer', isAccepted: true }],
      ['cut off in the middle of the answer', { kind: 'reset', at: 'mid_answer', isAccepted: true }],
    ];
    test.each(doubts)('%s: unknown, and it is handed over once', async (_, lie) => {
      fake.lieOnce(lie);
      expect(await connect().send(parcel)).toMatchObject({ kind: 'unknown', error: { provider: name } });
      expect(fake.ledger.submissions()).toHaveLength(1);
    });

    test('refused for good, without the address that is repeated', async () => {
      fake.lieOnce(lies.forGood);
      const outcome = await connect().send(parcel);
      expect(outcome).toMatchObject({
        kind: 'refused_for_good',
        error: { provider: name, message: 'Not to [address]' },
      });
    });

    test('too fast: known not accepted, and for how long', async () => {
      fake.lieOnce(lies.throttled);
      expect(await connect().send(parcel)).toMatchObject({
        ...{ kind: 'deferred', trouble: 'throttled', retryAfterMs: 9000 },
      });
    });

    test('a key that is not known: known not accepted, and no mail is to blame', async () => {
      fake.lieOnce(lies.unauthorised);
      expect(await connect().send(parcel)).toMatchObject({ kind: 'deferred', trouble: 'unauthorised' });
      const stranger = connect({ credential: 'of-somebody-else' });
      expect(await stranger.send(parcel)).toMatchObject({ kind: 'deferred', trouble: 'unauthorised' });
      expect(fake.ledger.accepted).toEqual([]);
    });

    test('what repeats our key is stored without it', async () => {
      const told = '{"message":"Not with odd-key-1!","Message":"Not with odd-key-1!"}';
      fake.lieOnce({ kind: 'answer', isAccepted: false, status: 422, body: told });
      const outcome = await connect({ credential: 'odd-key-1' }).send(parcel);
      expect(outcome).toMatchObject({ error: { message: 'Not with [key]!' } });
    });
  });

  describe('what must not leave', () => {
    test.each([
      ['a header with a line break', { headers: { 'X-A': 'a\r\nBcc: eve@example.org' } }, 'header_injection'],
      ['a subject with a line break', { subject: 'a\nBcc: eve@example.org' }, 'subject_injection'],
      ['a second recipient', { to: 'a@example.org, eve@example.org' as typeof parcel.mail.to }, 'to_invalid'],
    ])('%s is refused before the wire', async (_, wrong, code) => {
      const outcome = await connect().send({ ...parcel, mail: { ...parcel.mail, ...wrong } });
      expect(outcome).toMatchObject({ kind: 'refused_for_good', error: { code, provider: name } });
      expect(fake.ledger.requests).toEqual([]);
    });

    test('a key with a line break is not taken, and not repeated', () => {
      const make = () => connect({ credential: 'secret\r\nX-Evil: 1' });
      expect(make).toThrow(Refusal);
      expect(make).not.toThrow(/secret/);
    });
  });

  describe('the account', () => {
    test('is one per key and place, and does not tell the key', () => {
      const account = connect().account;
      expect(account).toMatch(new RegExp(`^${name}:[0-9a-f]{12}$`));
      expect(connect().account).toBe(account);
      expect(connect({ credential: 'another' }).account).not.toBe(account);
      expect(connect({ baseUrl: 'https://example.org' }).account).not.toBe(account);
    });
  });

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

  describe('probe', () => {
    test('up, and no mail sent', async () => {
      expect(await connect().probe()).toEqual({ isUp: true });
      expect(fake.ledger.submissions()).toEqual([]);
    });

    test('down: an error, a key that is not known, nobody there', async () => {
      fake.lieOnce({ kind: 'answer', isAccepted: false, status: 503, body: '<html>' });
      expect(await connect().probe()).toEqual({ isUp: false, reason: 'status 503' });
      const stranger = await connect({ credential: 'of-somebody-else' }).probe();
      expect(stranger).toMatchObject({ isUp: false, reason: expect.stringMatching(/^status 40[13] /) });
      await fake.close();
      expect(await connect().probe()).toEqual({ isUp: false, reason: 'ECONNREFUSED' });
    });
  });
});
