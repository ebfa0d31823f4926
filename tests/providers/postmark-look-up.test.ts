import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idempotencyKey, requiredTags } from '../../src/domain/message.ts';
import type { Provider } from '../../src/providers/provider.ts';
import type { ManualClock } from '../../src/std/clock.ts';
import type { FakePostmark } from '../support/fake-postmark/fake-postmark.ts';
import { createPostmarkWorld, type PostmarkWorld } from '../support/fake-postmark/postmark-world.ts';
import type { Lie } from '../support/lies.ts';
import { mailTo } from '../support/mails.ts';

const startAt = Date.UTC(2026, 2, 14, 22);
const minute = 60_000;
const deliveryId = (number: number) => `00000000-0000-5000-8000-${String(number).padStart(12, '0')}`;

let world: PostmarkWorld;
let clock: ManualClock;
let fake: FakePostmark;
let provider: Provider;
beforeEach(async () => {
  world = await createPostmarkWorld();
  ({ clock, fake } = world);
  provider = world.postmark();
});
afterEach(() => world.close());

function send(number: number, round = 1, by = provider) {
  const mail = mailTo(number, { tags: requiredTags(deliveryId(number), round, 'test') });
  const key = idempotencyKey(deliveryId(number), round);
  return by.send({ key, mail, startBefore: Infinity, leaseEndsAt: Infinity });
}

async function lookUp(number: number, more: { round?: number; sentAfter?: number; messageId?: string } = {}) {
  const { round = 1, sentAfter = startAt, messageId = null } = more;
  const key = idempotencyKey(deliveryId(number), round);
  return provider.lookUp?.({ key, messageId, sentAfter });
}

const idOf = (number: number) => fake.ledger.acceptedBy(deliveryId(number))[0]?.id;

describe('a mail that Postmark has', () => {
  test.each([
    ['cut off before the answer', { kind: 'reset', at: 'before_answer', isAccepted: true }],
    ['cut off in the answer', { kind: 'reset', at: 'mid_answer', isAccepted: true }],
    ['answered with rubbish', { kind: 'answer', isAccepted: true, status: 200, body: '<html>' }],
  ] satisfies [string, Lie][])('is found when it was %s', async (_, lie) => {
    await clock.advance(5000);
    fake.lieOnce(lie);
    expect(await send(1)).toMatchObject({ kind: 'unknown' });
    expect(await lookUp(1)).toEqual({ kind: 'found', messageId: idOf(1), at: startAt + 5000 });
  });

  test('is found by delivery and round; of two, the earliest', async () => {
    await send(1);
    await send(1, 2);
    await clock.advance(1000);
    await send(1);
    const [first, second] = fake.ledger.acceptedBy(deliveryId(1));
    expect(await lookUp(1)).toMatchObject({ messageId: first?.id, at: startAt });
    expect(await lookUp(1, { round: 2 })).toMatchObject({ messageId: second?.id });
  });

  test('with a known id is asked for by it, and is found before any search knows it', async () => {
    fake.circumstances.indexingDelayMs = 60 * minute;
    await send(1);
    expect(await lookUp(1, { messageId: idOf(1) ?? '' })).toMatchObject({
      kind: 'found',
      messageId: idOf(1),
    });
    // An id that Postmark does not know is not the end of it, and one that is none is not asked for.
    fake.circumstances.indexingDelayMs = 0;
    expect(await lookUp(1, { messageId: deliveryId(9) })).toMatchObject({
      kind: 'found',
      messageId: idOf(1),
    });
    expect(await lookUp(1, { messageId: '../x' })).toMatchObject({ kind: 'found', messageId: idOf(1) });
    fake.lieOnce({ kind: 'answer', isAccepted: false, status: 500 });
    expect(await lookUp(1, { messageId: idOf(1) ?? '' })).toEqual({ kind: 'unknown' });
  });
});

describe('a mail that is not found', () => {
  const later = () => clock.advance(15 * minute);

  test('is absent where the same search finds another of ours that came in lately', async () => {
    await later();
    await send(2);
    expect(await lookUp(1)).toEqual({ kind: 'absent' });
    expect(await lookUp(2, { round: 2 })).toEqual({ kind: 'absent' });
  });

  test('is unknown in a quiet hour: nothing shows that the search is up to date', async () => {
    expect(await lookUp(1)).toEqual({ kind: 'unknown' });
    await send(2);
    await later();
    expect(await lookUp(1)).toEqual({ kind: 'unknown' });
  });

  test('is unknown while the search lags behind, and found when it has caught up', async () => {
    await send(1);
    await later();
    fake.circumstances.indexingDelayMs = 60 * minute;
    await send(2);
    expect(await lookUp(1)).toEqual({ kind: 'unknown' });
    fake.circumstances.indexingDelayMs = 0;
    expect(await lookUp(1)).toMatchObject({ kind: 'found' });
  });

  test('is unknown where the search does not heed the filter, and where others alone send', async () => {
    await later();
    await send(2);
    fake.circumstances.isFiltering = false;
    expect(await lookUp(1)).toEqual({ kind: 'unknown' });
    expect(await lookUp(2)).toMatchObject({ kind: 'found' });
    fake.circumstances.isFiltering = true;
    for (const mail of fake.ledger.accepted) mail.body.Metadata = {};
    expect(await lookUp(1)).toEqual({ kind: 'unknown' });
  });

  test('is unknown when it is older than Postmark keeps mails, or went out by another stream', async () => {
    await send(2);
    expect(await lookUp(1, { sentAfter: startAt - 8 * 24 * 60 * minute })).toEqual({ kind: 'unknown' });
    fake.circumstances.streams.push({ ID: 'news', MessageStreamType: 'Broadcasts', ArchivedAt: null });
    await send(1, 1, world.postmark({ messageStream: 'news' }));
    expect(await lookUp(1)).toEqual({ kind: 'absent' });
    expect(world.postmark({ messageStream: 'news' }).account).not.toBe(provider.account);
  });

  test.each([
    ['an error', { status: 500 }],
    ['a refusal', { status: 401 }],
    ['no JSON', { status: 200, body: '<html>' }],
    ['no list', { status: 200, body: '{"Messages":{}}' }],
    ['a mail without an id', { status: 200, body: '{"Messages":[{"ReceivedAt":"2026-03-14T22:00:00Z"}]}' }],
    ['a mail of no time', { status: 200, body: `{"Messages":[{"MessageID":"${deliveryId(1)}"}]}` }],
    ['null among them', { status: 200, body: '{"Messages":[null]}' }],
  ])('is unknown after %s, at any of the questions', async (_, answer) => {
    await later();
    await send(2);
    for (const question of [1, 2, 3]) {
      let asked = 0;
      const match = ({ method }: { method: string }) => method === 'GET' && ++asked === question;
      fake.rules.push({ match, lie: { kind: 'answer', isAccepted: false, ...answer } });
      expect(await lookUp(1), `question ${question}`).toEqual({ kind: 'unknown' });
      fake.rules.length = 0;
    }
    expect(await lookUp(1)).toEqual({ kind: 'absent' });
  });

  test('is unknown under a key that we have not made', async () => {
    const lookUpOf = (key: string) => provider.lookUp?.({ key, messageId: null, sentAfter: startAt });
    expect(await lookUpOf('x&count=1')).toEqual({ kind: 'unknown' });
    expect(fake.ledger.requests).toEqual([]);
  });
});
