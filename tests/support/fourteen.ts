import type { Outcome } from '../../src/domain/outcome.ts';
import type { Status } from '../../src/domain/status.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { suppressionOf } from './consent.ts';
import { createDispatchWorld, type DispatchWorld, leaseMs, signal } from './dispatch-world.ts';
import { intentNumber } from './world.ts';

/** A world with one delivery in each of the fourteen statuses, each brought there by the ways that really lead there. */
export interface Fourteen {
  world: DispatchWorld;
  seqs: Record<Status, number>;
  /** With which the mails have left. */
  account: string;
}

const account = 'resend:3f9a1c';

export async function createFourteen(): Promise<Fourteen> {
  const world = await createDispatchWorld('sqlite');
  const { outbox, clock, db } = world;
  const resend: Provider = { ...world.provider, name: 'resend', account };
  const answering = (outcome: Outcome | Promise<Outcome>): Provider => ({
    ...resend,
    send: async (parcel) => {
      world.provider.ledger.push(parcel);
      return outcome;
    },
  });
  const rechecking = (verdict: { event: 'unsubscribed' | 'ineligible' }): Source => ({
    ...plainSource,
    recheck: async (deliveries) => new Map(deliveries.map(({ seq }) => [seq, verdict])),
  });
  let number = 0;
  const enqueue = async (more: Partial<ReturnType<typeof intentNumber>> = {}) => {
    number += 1;
    const [made] = await outbox.enqueue([{ ...intentNumber(number), ...more }]);
    return made?.seq ?? 0;
  };
  /** A new delivery, sent off with this provider and this source. */
  const dispatched = async (provider: Provider = resend, source: Source = plainSource) => {
    const seq = await enqueue();
    await clock.advance(900);
    await world.dispatch({ provider, source }).runOnce(signal());
    return seq;
  };
  const refusal = (code: string, message: string) => ({ code, message, provider: 'resend' });
  const seqs: Partial<Record<Status, number>> = {};

  // A provider that knows no keys and cannot be asked: whoever gets no answer from it never learns more.
  const dropped = { code: 'connection_lost', message: 'the connection dropped after the final dot' };
  const { lookUp: _none, ...unasked } = answering({ kind: 'unknown', error: dropped });
  const mute: Provider = {
    ...unasked,
    ...{ name: 'smtp', account: 'smtp:mx.example.org' },
    guarantees: { ...resend.guarantees, idempotencyWindowMs: null },
  };
  seqs.needs_review = await dispatched(mute);
  await clock.advance(3 * leaseMs);
  await world.reconcile(mute).runOnce(signal());

  const { toEmail: _, ...nameless } = intentNumber(number + 1);
  number += 1;
  seqs.skipped_no_email = (await outbox.enqueue([{ ...nameless, recipient: 'user-17' }]))[0]?.seq ?? 0;
  await world.dispatch({ provider: resend }).runOnce(signal());

  seqs.expired = await enqueue({ dueAt: clock.now() + 3_600_000, expiresAt: clock.now() + 1_800_000 });
  await clock.advance(2_000_000);
  await world.sweep().runOnce();

  seqs.skipped_unsubscribed = await dispatched(resend, rechecking({ event: 'unsubscribed' }));
  seqs.skipped_ineligible = await dispatched(resend, rechecking({ event: 'ineligible' }));
  seqs.delivered = await dispatched();
  await clock.advance(2_300);
  await outbox.record([
    { seq: seqs.delivered, actor: 'webhook', event: 'confirmed', round: 1, at: clock.now() },
  ]);
  seqs.suppressed = await dispatched();
  await clock.advance(4_000);
  await outbox.record([
    {
      ...{ seq: seqs.suppressed, actor: 'webhook', event: 'bounced_for_good', round: 1, at: clock.now() },
      error: refusal('bounced', '550 5.1.1 no such user'),
    },
  ]);
  await db.write
    .insertInto('suppressions')
    .values({
      ...suppressionOf(`person-${number}@example.org`),
      ...{ reason: 'bounced_for_good', delivery_seq: seqs.suppressed, created_at: clock.now() },
    })
    .execute();
  seqs.failed_permanent = await dispatched(
    answering({
      kind: 'refused_for_good',
      error: refusal('validation_error', 'The domain example.org is not verified.'),
    }),
  );
  seqs.sent = await dispatched();
  await clock.advance(180_000);
  seqs.reconciling = await dispatched(
    answering({ kind: 'unknown', error: refusal('timeout', 'no answer within 10 s') }),
  );
  seqs.failed_transient = await dispatched(
    answering({ kind: 'refused_for_now', error: refusal('internal_error', 'try again later') }),
  );
  seqs.sending = await enqueue();
  const before = world.provider.ledger.length;
  void world.dispatch({ provider: answering(new Promise(() => {})) }).runOnce(signal());
  while (world.provider.ledger.length === before) await new Promise((resolve) => setTimeout(resolve, 2));
  seqs.claimed = await enqueue();
  await outbox.claim({ source: 'plain', worker: 'worker-1', limit: 1, leaseMs, from: 'normal' });
  seqs.pending = await enqueue();
  await clock.advance(1_200);
  return { world, seqs: seqs as Record<Status, number>, account };
}
