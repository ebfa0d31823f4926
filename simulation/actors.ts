import type { Address } from '../src/domain/address.ts';
import { bounceRetryDelayMs, quotaRetryAt, quotaRoundsMax } from '../src/domain/policy.ts';
import type { Webhook } from './ledger.ts';
import type { WatchedRow } from './watch.ts';
import type { World } from './world.ts';

/** Those beside the engine who change what it has: the provider's webhooks, people, operators. */

const isBounce: ReadonlySet<string> = new Set([
  'bounced_for_now',
  'over_quota',
  'bounced_for_good',
  'provider_failed',
]);

/** One that has arrived, whichever; false when none has. */
export async function deliverWebhook(world: World): Promise<boolean> {
  const { ledger, clock, chance } = world;
  const arrived = ledger.webhooks.filter(({ arrivesAt }) => arrivesAt <= clock.now());
  if (arrived.length === 0) return false;
  const webhook = chance.one(arrived);
  ledger.webhooks.splice(ledger.webhooks.indexOf(webhook), 1);
  await record(world, webhook);
  return true;
}

async function record(world: World, { entry, event, at }: Webhook): Promise<void> {
  const { watch, clock, db, outbox, source, story } = world;
  const row = watch.rows.find(({ id }) => id === entry.deliveryId);
  if (!row) return;
  const { round, messageId } = entry;
  const { policy } = source;
  const bounced = { dueAt: clock.now() + bounceRetryDelayMs(policy, round), roundsMax: policy.roundsMax };
  const full = { dueAt: quotaRetryAt(at, row.seq), roundsMax: quotaRoundsMax(policy) };
  const soft = event === 'bounced_for_now' ? bounced : event === 'over_quota' ? full : {};
  story.tell(`a webhook says ${event} about ${messageId}`);
  await world.commit('webhook', async () => {
    await db.transaction((tx) =>
      outbox.record([{ seq: row.seq, actor: 'webhook', event, round, at, messageId, ...soft }], tx),
    );
    if (isBounce.has(event)) entry.isBounceTold = true;
  });
}

/** The wish, and the end of all that waits for that address, in one transaction. */
export async function suppressSomebody(world: World): Promise<void> {
  const { watch, consent, story, chance } = world;
  const address = chance.one(watch.rows).to_email as Address;
  story.tell(`${address} wants no more mail`);
  await world.commit('consent', () =>
    consent.suppressions.add([{ address, reason: 'operator' }], 'an operator').then(() => {}),
  );
}

/** An operator who asks the provider before he speaks, and does not requeue what somebody has in her mailbox. */
export async function operate(world: World, row: WatchedRow): Promise<void> {
  const { ledger, outbox, story, chance } = world;
  const mine = ledger.entries.filter(({ deliveryId }) => deliveryId === row.id);
  const notSent = chance.isTrue(0.8) ? 'resolved_not_sent' : 'resolved_closed';
  const resolution = mine.some(({ round }) => round === row.round) ? 'resolved_sent' : notSent;
  const verb = row.status === 'needs_review' ? resolution : 'requeued';
  if (verb === 'requeued' && mine.some(ledger.isLive)) return;
  story.tell(`an operator says ${verb} about #${row.seq}`);
  await world.commit('operator', () =>
    outbox.perform([row.seq], { verb, reason: 'simulation', operator: 'sim' }),
  );
}
