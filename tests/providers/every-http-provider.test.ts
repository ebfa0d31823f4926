import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '../../src/std/refusal.ts';
import { type HttpProviderWorld, httpProviders } from '../support/http-providers.ts';
import type { Lie } from '../support/lies.ts';
import { id, parcel } from './parcel.ts';

/** What every provider promises that is called by HTTP, over a real socket, with a server that lies on demand. */
describe.each(httpProviders)('$name', ({ name, lies, start }) => {
  let world: HttpProviderWorld;
  let fake: HttpProviderWorld['fake'];
  beforeEach(async () => {
    world = await start();
    ({ fake } = world);
  });
  afterEach(() => world.close());

  const connect: HttpProviderWorld['connect'] = (more) => world.connect(more);

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
      fake.lieOnce(lies.refusalSaying('Not with odd-key-1!'));
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
