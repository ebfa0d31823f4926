import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PostmarkParts } from '../../src/providers/postmark.ts';
import { Refusal } from '../../src/std/refusal.ts';
import type { FakePostmark } from '../support/fake-postmark/fake-postmark.ts';
import { createPostmarkWorld, type PostmarkWorld } from '../support/fake-postmark/postmark-world.ts';
import { id, parcel } from './parcel.ts';

let world: PostmarkWorld;
let fake: FakePostmark;
beforeEach(async () => {
  world = await createPostmarkWorld();
  fake = world.fake;
});
afterEach(() => world.close());

const postmark = (more: Partial<PostmarkParts> = {}) => world.postmark(more);

/** What Postmark has of its own; what all providers promise is in `every-http-provider.test.ts`. */
describe('a mail', () => {
  test('leaves whole, and watches nobody', async () => {
    const mail = { ...parcel.mail, replyTo: parcel.mail.from, subject: 'Grüße 🙂 "x"' };
    await postmark().send({ ...parcel, mail });
    expect(fake.ledger.accepted[0]?.body).toEqual({
      ...{ From: mail.from, To: mail.to, Subject: mail.subject, HtmlBody: mail.html, TextBody: mail.text },
      ...{ ReplyTo: mail.from, Headers: [{ Name: 'Auto-Submitted', Value: 'auto-generated' }] },
      Metadata: { delivery_id: id, round: '1', env: 'test' },
      ...{ MessageStream: 'outbound', TrackOpens: false, TrackLinks: 'None' },
    });
  });

  test('carries as many tags as Postmark takes, and those that it is found by in any case', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a${n}`, 'x']));
    const tags = { ...many, b: 'x'.repeat(81), 'a-name-of-21-characte': 'x', ...parcel.mail.tags };
    const outcome = await postmark().send({ ...parcel, mail: { ...parcel.mail, tags } });
    expect(outcome).toMatchObject({ kind: 'accepted' });
    const metadata = fake.ledger.accepted[0]?.body.Metadata ?? {};
    expect(metadata).toMatchObject({ delivery_id: id, round: '1', env: 'test' });
    expect(Object.keys(metadata)).toHaveLength(10);
  });

  test('is never handed over a second time by itself: there are no keys', async () => {
    const { guarantees } = postmark();
    expect(guarantees.idempotencyWindowMs).toBeNull();
    await postmark().send(parcel);
    await postmark().send(parcel);
    expect(fake.ledger.acceptedBy(id)).toHaveLength(2);
  });

  test('to a recipient that is switched off there: for good, under a name that suppresses', async () => {
    fake.circumstances.inactive.add(parcel.mail.to);
    const outcome = await postmark().send(parcel);
    expect(outcome).toMatchObject({ kind: 'refused_for_good', error: { code: 'recipient_inactive' } });
    expect(JSON.stringify(outcome)).not.toContain(parcel.mail.to);
  });

  test('without credits, or by a stream that is not there: the account is in trouble, and no mail is to blame', async () => {
    fake.circumstances.isOutOfCredits = true;
    expect(await postmark().send(parcel)).toMatchObject({ kind: 'deferred', trouble: 'over_quota' });
    fake.circumstances.isOutOfCredits = false;
    const elsewhere = await postmark({ messageStream: 'nowhere' }).send(parcel);
    expect(elsewhere).toMatchObject({ kind: 'deferred', trouble: 'unauthorised' });
    fake.circumstances.isThrottling = true;
    expect(await postmark().send(parcel)).toMatchObject({ trouble: 'throttled', retryAfterMs: 1000 });
    expect(fake.ledger.accepted).toEqual([]);
  });
});

describe('the account', () => {
  test('is another one for another stream: a search knows only one', () => {
    expect(postmark({ messageStream: 'news' }).account).not.toBe(postmark().account);
  });

  test.each(['', 'a/b', 'a?b', 'a b', '../x'])('the stream %j is none', (messageStream) => {
    expect(() => postmark({ messageStream })).toThrow(Refusal);
  });
});

describe('probe', () => {
  const withStream = (more: object) => {
    fake.circumstances.streams = [
      { ID: 'outbound', MessageStreamType: 'Transactional', ArchivedAt: null, ...more },
    ];
    return postmark().probe();
  };

  test('says what is wrong with token and stream', async () => {
    expect(await withStream({ ArchivedAt: '2026-01-01T00:00:00-04:00' })).toMatchObject({
      reason: 'the message stream is archived',
    });
    expect(await withStream({ MessageStreamType: 'Inbound' })).toMatchObject({ isUp: false });
    expect(await withStream({ ID: 'another' })).toEqual({ isUp: false, reason: 'status 422 error 1226' });
    expect(await withStream({ MessageStreamType: 'Broadcasts' })).toEqual({ isUp: true });
    expect(await postmark({ serverToken: 'wrong' }).probe()).toMatchObject({ reason: 'status 401 error 10' });
  });
});

describe('progress', () => {
  const ask = async (mayAsk = async () => true) => {
    const mails = fake.ledger.accepted.map((mail) => ({ messageId: mail.id, leftAt: mail.at }));
    return postmark().progress?.(mails, mayAsk);
  };
  const event = (Type: string) => ({
    ...{ Recipient: 'x@example.org', Type, ReceivedAt: '2026-03-14T17:30:00.0000000-04:00', Details: {} },
  });

  test.each([
    ['nothing yet', [], null],
    ['a delay', ['Transient'], null],
    ['opened by some program', ['Opened', 'LinkClicked'], null],
    ['delivered', ['Transient', 'Delivered'], { event: 'confirmed', at: Date.UTC(2026, 2, 14, 21, 30) }],
    ['bounced', ['Bounced'], { event: 'bounced_for_now', at: Date.UTC(2026, 2, 14, 21, 30) }],
    ['delivered, and an answer that looks like a bounce', ['Bounced', 'Delivered'], { event: 'confirmed' }],
  ])('%s', async (_, types, expected) => {
    await postmark().send(parcel);
    const mail = fake.ledger.accepted[0];
    mail?.events.push(...types.map(event));
    const answer = (await ask())?.answers.get(mail?.id ?? '');
    if (expected === null) expect(answer).toBeNull();
    else expect(answer).toMatchObject(expected);
  });

  test('an id of anybody’s making is asked of nobody; a no ends the questions; a refusal is told', async () => {
    const odd = await postmark().progress?.([{ messageId: '../server', leftAt: 0 }], async () => true);
    expect(odd).toEqual({ answers: new Map([['../server', null]]), isRefused: false });
    expect(fake.ledger.requests).toEqual([]);
    await postmark().send(parcel);
    expect((await ask(async () => false))?.answers.size).toBe(0);
    fake.rules.push({ lie: { kind: 'answer', isAccepted: false, status: 401 } });
    expect(await ask()).toMatchObject({ isRefused: true });
  });
});
