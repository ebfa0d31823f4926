import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { idempotencyKey } from '../../src/domain/message.ts';
import type { ManualClock } from '../../src/std/clock.ts';
import type { FakeResend } from '../support/fake-resend/fake-resend.ts';
import { createResendWorld, type ResendWorld } from '../support/fake-resend/resend-world.ts';
import { id, parcel } from './parcel.ts';

let world: ResendWorld;
let fake: FakeResend;
let clock: ManualClock;
beforeEach(async () => {
  world = await createResendWorld();
  ({ fake, clock } = world);
});
afterEach(() => world.close());

/** What a key adds to what all providers promise (`every-http-provider.test.ts`): whatever was lost, the same again is one mail. */
describe('a key, and a connection that is lost', () => {
  test('no answer at all: the second time it is answered with the mail that there is', async () => {
    fake.lieOnce({ kind: 'hang', isAccepted: true });
    const provider = world.resend({ connections: 1 });
    const sent = provider.send(parcel);
    await fake.ledger.seen(1);
    await clock.advance(35_000);
    expect(await sent).toMatchObject({ kind: 'unknown' });
    expect(await provider.send(parcel)).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.accepted).toMatchObject([{ submissions: 2 }]);
  });

  test('a mail that is accepted after we gave up is found by its key, never sent again', async () => {
    fake.lieOnce({ kind: 'slow', ms: 60_000, at: 'before_accepting' });
    const provider = world.resend();
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

  test('a connection that the server closed between two mails: each is there once', async () => {
    const provider = world.resend({ connections: 1 });
    await provider.send(parcel);
    fake.dropIdleConnections();
    const second = { ...parcel, key: idempotencyKey(id, 2) };
    const outcome = await provider.send(second);
    expect(['accepted', 'unknown']).toContain(outcome.kind);
    expect(await provider.send(second)).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger.accepted.map(({ key }) => key)).toEqual([id, `${id}-r2`]);
  });
});
