import { createPauses } from '../src/dispatch/pauses.ts';
import type { Address } from '../src/domain/address.ts';
import { arrow } from '../src/domain/lifecycle.ts';
import type { OperatorVerb } from '../src/outbox/operator.ts';
import { hourMs, minuteMs } from './chance.ts';
import { deny } from './ledger.ts';
import type { SimulatedProcess } from './process.ts';
import { sourceNames } from './sources.ts';
import type { WatchedRow } from './watch.ts';
import type { World } from './world.ts';

/** Those beside the engine who change what it has: operators, honest and not, and the people who get the mail. */

/** Asks the provider before he speaks, and does not requeue what somebody has in her mailbox. */
export async function operate(world: World, row: WatchedRow): Promise<void> {
  const { chance } = world;
  const mine = entriesOf(world, row);
  const notSent = chance.isTrue(0.8) ? 'resolved_not_sent' : 'resolved_closed';
  const present = Math.max(row.round, 1);
  const resolution = mine.some(({ round }) => round === present) ? 'resolved_sent' : notSent;
  const verb = row.status === 'needs_review' ? resolution : 'requeued';
  if (verb === 'requeued' && isInMailbox(world, row)) return;
  await perform(world, row, verb);
  // Another one, who thinks that what was given up can be sent again, and does not ask anybody.
  if (verb !== 'resolved_closed' || !world.mayStrike('an operator requeues what was closed in doubt')) return;
  await perform(world, row, 'requeued', () => entriesOf(world, row).forEach(deny));
}

/** He saw that it needed a decision; meanwhile somebody else may have decided. */
export async function decideFromMemory(world: World, row: WatchedRow): Promise<void> {
  if (row.status === 'needs_review') return operate(world, row);
  if (!world.mayStrike('an operator decides what is no longer undecided')) return;
  const verbs = ['resolved_sent', 'resolved_not_sent', 'resolved_closed'] as const;
  await perform(world, row, world.chance.one(verbs));
}

/** Says what is not so, or what he cannot know. */
export async function mislead(world: World, row: WatchedRow): Promise<void> {
  const { chance, ledger, mayStrike } = world;
  const mine = entriesOf(world, row);
  if (row.status === 'needs_review') {
    const isThere = mine.length > 0;
    if (isThere && mayStrike('an operator says that it was not sent, and it was')) {
      await perform(world, row, 'resolved_not_sent', () => mine.forEach(deny));
    } else if (!isThere && mayStrike('an operator says that it was sent, and it was not')) {
      await perform(world, row, 'resolved_sent', () => ledger.invented.add(row.id));
    }
    return;
  }
  const arrived = world.watch.rows.filter(
    (each) => arrow(each.status, 'requeued') !== undefined && isInMailbox(world, each),
  );
  if (arrived.length === 0 || !mayStrike('an operator requeues what arrived')) return;
  const one = chance.one(arrived);
  await perform(world, one, 'requeued', () => {
    entriesOf(world, one).forEach(deny);
  });
}

/** In mid-flight nothing may move: what is on the wire finishes. */
export async function requeueInFlight(world: World): Promise<void> {
  const { watch, chance } = world;
  const flying = watch.rows.filter(({ status }) => isFlying(status));
  if (flying.length === 0 || !world.mayStrike('an operator requeues in mid-flight')) return;
  await perform(world, chance.one(flying), 'requeued');
}

/** As the view of an older system does it: a request in a table, which the sweep performs. */
export async function requestBySql(world: World, row: WatchedRow): Promise<void> {
  const { db, clock, story } = world;
  const isOver = ['failed_permanent', 'expired', 'skipped_ineligible'].includes(row.status);
  if (!isOver || isInMailbox(world, row) || !world.mayStrike('an operator asks by SQL')) return;
  story.tell(`an operator asks by SQL that #${row.seq} be requeued`);
  await world.commit('operator', () =>
    db.write
      .insertInto('operator_requests')
      .values({
        ...{ delivery_seq: row.seq, verb: 'requeued', reason: 'simulation' },
        ...{ requested_by: 'sim', requested_at: clock.now() },
      })
      .execute(),
  );
}

async function perform(
  world: World,
  { seq }: WatchedRow,
  verb: OperatorVerb,
  onMoved: () => unknown = () => {},
): Promise<void> {
  const { watch, outbox, story } = world;
  story.tell(`an operator says ${verb} about #${seq}`);
  await world.commit('operator', async () => {
    const row = watch.rows.find((each) => each.seq === seq);
    const before = row?.status;
    const [answer] = await outbox.perform([seq], { verb, reason: 'simulation', operator: 'sim' });
    if (!answer?.changed) return;
    onMoved();
    const isDoubtful = verb === 'requeued' && row?.first_possible_accept_at !== null;
    if (isFlying(before) || isDoubtful || (verb !== 'requeued' && before !== 'needs_review')) {
      watch.violate('a row in flight is left alone', `#${seq} was ${before}, and an operator said ${verb}`);
    }
  });
}

export async function pauseOrResume(world: World): Promise<void> {
  const { db, clock, chance, story } = world;
  const pauses = createPauses(db, clock);
  const [paused] = await pauses.list();
  if (paused) return resumeAll(world);
  if (!world.mayStrike('an operator pauses a source')) return;
  const scope = chance.one(['*', ...sourceNames]);
  story.tell(`an operator pauses ${scope}`);
  await world.commit('operator', () => pauses.pause(scope, { reason: 'simulation', operator: 'sim' }));
}

export async function resumeAll(world: World): Promise<void> {
  const pauses = createPauses(world.db, world.clock);
  for (const { scope } of await pauses.list()) {
    world.story.tell(`an operator resumes ${scope}`);
    await world.commit('operator', () => pauses.resume(scope));
  }
}

/** The wish, and the end of all that waits for that address, in one transaction. */
export async function suppressSomebody(world: World): Promise<void> {
  const { watch, consent, story, chance } = world;
  const address = chance.one(watch.rows).to_email as Address | null;
  if (address === null || !world.mayStrike('an address is suppressed')) return;
  story.tell(`${address} wants no more mail`);
  await world.commit('consent', () =>
    consent.suppressions.add([{ address, reason: 'operator' }], 'an operator').then(() => {}),
  );
}

/** They have told him that it was a mistake. What is kept for hours only is left alone: with the line its reason would be forgotten. */
export async function liftSomebody(world: World): Promise<string | undefined> {
  const { db, consent, story, chance, retentionMs } = world;
  const held = db.read.selectFrom('suppressions').selectAll().where('lifted_at', 'is', null);
  const lines = (await held.execute()).filter(({ reason }) => reason !== 'unsubscribed');
  if (lines.length === 0 || retentionMs < 24 * hourMs) return undefined;
  const { address_key: address, scope } = chance.one(lines);
  if (!world.mayStrike('an operator lifts a suppression')) return undefined;
  story.tell(`${address} may be mailed again`);
  await world.commit('operator', () =>
    consent.suppressions.lift(address as Address, scope, { by: 'sim', because: 'simulation' }),
  );
  return address;
}

/** By the link in their mail, at the worst moment if there is one. Nobody waits for the answer. */
export async function unsubscribe(world: World, process: SimulatedProcess): Promise<void> {
  const { watch, chance, story, clock } = world;
  const critical = watch.rows.filter(({ status }) => status === 'claimed' || status === 'sending');
  const row = chance.one(critical.length > 0 ? critical : watch.rows);
  const [link] = (await world.consent.unsubscribe.linksFor([row])).values();
  const token = link?.split('/').at(-1) ?? '';
  const isEverything = chance.isTrue(0.3);
  if (!world.mayStrike(isEverything ? 'somebody stops everything' : 'somebody unsubscribes')) return;
  if (row.status === 'claimed') world.tally.fault('somebody unsubscribes while a mail to them is claimed');
  if (row.status === 'sending') world.tally.fault('somebody unsubscribes while a mail to them is on its way');
  story.tell(`${row.recipient} leaves ${isEverything ? 'everything' : row.source}, through ${process.name}`);
  const ways = process.consent.unsubscribe;
  const done = isEverything ? ways.stopEverything(token) : ways.stop(token, 'one-click');
  void done.then(
    () => leavers(world).push({ token, at: clock.now() }),
    () => {},
  );
  await clock.advance(0);
  if (!chance.isTrue(0.5)) return;
  await clock.advance(chance.between(0, 60_000));
  if (!world.mayStrike('somebody takes it back')) return;
  story.tell(`${row.recipient} takes it back`);
  void ways.undo(token).catch(() => {});
  await clock.advance(0);
}

/** After a day a link no longer takes anything back. */
export async function undoTooLate(world: World, process: SimulatedProcess): Promise<void> {
  const { clock, db, watch, story } = world;
  const longAgo = clock.now() - 24 * hourMs - minuteMs;
  const late = leavers(world).filter(({ at }) => at < longAgo);
  if (late.length === 0) return;
  const { token } = world.chance.one(late);
  const gone = () =>
    db.read.selectFrom('unsubscribe_tokens').selectAll().where('unsubscribed_at', 'is not', null).execute();
  const before = (await gone()).filter(
    ({ token_id, unsubscribed_at }) => token.startsWith(token_id) && (unsubscribed_at ?? 0) < longAgo,
  );
  if (before.length === 0 || !world.mayStrike('somebody takes it back too late')) return;
  story.tell('somebody takes it back, days later');
  void process.consent.unsubscribe.undo(token).catch(() => {});
  await clock.advance(0);
  const after = (await gone()).filter(({ token_id }) => token.startsWith(token_id));
  if (after.length === 0) watch.violate('consent', 'a wish of long ago was taken back by a link');
}

/** Who has left by a link, in this world. */
const left = new WeakMap<World, { token: string; at: number }[]>();
function leavers(world: World) {
  const known = left.get(world) ?? [];
  left.set(world, known);
  return known;
}

const entriesOf = ({ ledger }: World, { id }: WatchedRow) =>
  ledger.entries.filter(({ deliveryId }) => deliveryId === id);

const isInMailbox = (world: World, row: WatchedRow) =>
  world.ledger.invented.has(row.id) || entriesOf(world, row).some(world.ledger.isLive);

const isFlying = (status: string | undefined) =>
  status === 'claimed' || status === 'sending' || status === 'reconciling';
