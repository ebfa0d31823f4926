import { CompiledQuery } from 'kysely';
import type { Intent } from '../src/domain/delivery.ts';
import type { Mail } from '../src/domain/message.ts';
import { countMoves } from '../src/outbox/counts.ts';
import { writeStory } from '../src/outbox/story.ts';
import { hourMs } from './chance.ts';
import type { SimulatedProcess } from './process.ts';
import { laneOf, sourceNames } from './sources.ts';
import { environment, type World } from './world.ts';

/** What the sources ask for: through a process that may fail, and again until somebody has answered. */

const asked = new WeakMap<World, { intent: Intent; isAnswered: boolean }[]>();

/** Mostly a few, so that what happens can be told; sometimes many, so that they get in each other's way. */
export async function enqueue(world: World, process: SimulatedProcess): Promise<void> {
  const { chance, clock } = world;
  const known = asked.get(world) ?? [];
  asked.set(world, known);
  const isFirst = known.length === 0;
  const isCrowded = world.mood === 'crowded';
  const isMany = isFirst && chance.isTrue(isCrowded ? 1 : 0.03);
  const count = isMany
    ? isCrowded
      ? chance.between(24, 40)
      : chance.between(10, 30)
    : chance.between(1, isFirst ? 4 : 2);
  const people = Math.max(1, Math.ceil(count / chance.between(1, 3)));
  const intents = Array.from({ length: count }, (_, index): Intent => {
    const source = chance.one(sourceNames);
    const person = `person${chance.between(1, people)}`;
    return {
      ...{ source, occasion: `occasion-${known.length + index}`, recipient: person },
      ...(!chance.isTrue(0.03) && { toEmail: `${person}@example.org` }),
      lane: chance.isTrue(0.8) ? laneOf[source] : chance.one(['urgent', 'normal', 'bulk'] as const),
      variables: { isPoison: chance.isTrue(0.02), isBroken: chance.isTrue(0.03) },
      ...(chance.isTrue(0.2) && { expiresAt: Math.ceil(clock.now()) + chance.between(1, 6 * hourMs) }),
    };
  });
  known.push(...intents.map((intent) => ({ intent, isAnswered: false })));
  await ask(world, process, intents);
}

/** Whatever was not answered, and some of what was: it is the same delivery. */
export async function askAgain(world: World, process: SimulatedProcess): Promise<void> {
  const known = asked.get(world) ?? [];
  const intents = known
    .filter(({ isAnswered }) => !isAnswered || world.isTroubled())
    .map(({ intent }) => intent);
  if (intents.length === 0) return;
  if (!world.mayStrike('a source asks for the same again')) return;
  // A source has no order of its own: after a fail-over others get the numbers.
  await ask(world, process, world.watch.restoredAt < 0 ? intents : intents.toReversed());
}

async function ask(world: World, process: SimulatedProcess, intents: readonly Intent[]): Promise<void> {
  const { clock, watch } = world;
  const askedAt = clock.now();
  void process.outbox.enqueue(intents).then(
    () => {
      // An answer from before a fail-over says nothing of the database that is there now.
      if (watch.restoredAt >= askedAt) return;
      for (const each of asked.get(world) ?? []) {
        if (!intents.includes(each.intent)) continue;
        each.isAnswered = true;
        const { source, occasion } = each.intent;
        const isThere = watch.rows.some((row) => row.source === source && row.occasion === occasion);
        if (!isThere) watch.violate('nothing lost', `${source} ${occasion} was answered and is not there`);
      }
    },
    () => {},
  );
  await clock.advance(0);
}

export function isAllAnswered(world: World): boolean {
  return (asked.get(world) ?? []).every(({ isAnswered }) => isAnswered);
}

/** What was asked for until it was answered is there, to the end. */
export function checkIntents(world: World): void {
  for (const { intent, isAnswered } of asked.get(world) ?? []) {
    const { source, occasion } = intent;
    if (!isAnswered) world.watch.violate('nothing lost', `nobody could ask for ${source} ${occasion}`);
    const isThere = world.watch.rows.some((row) => row.source === source && row.occasion === occasion);
    if (!isThere)
      world.watch.violate('nothing lost', `${source} ${occasion} was asked for, and is not there`);
  }
}

/** A replica that lost them cannot know: sources ask for everything once more. */
export function askForAllAgain(world: World): void {
  for (const each of asked.get(world) ?? []) each.isAnswered = false;
}

/** What another system says it has sent, with nothing to prove it; sometimes it has. */
export async function importOld(world: World): Promise<void> {
  const { db, clock, watch, ledger, story } = world;
  const row = watch.rows[0];
  if (row?.status !== 'pending') return;
  story.tell(`#${row.seq} was sent long ago, says another system`);
  ledger.imported.add(row.id);
  if (world.chance.isTrue(0.5)) {
    const tags = { delivery_id: row.id, round: '1', env: environment };
    ledger.accept('account1', row.id, { to: row.to_email ?? '', tags } as unknown as Mail, false);
  } else ledger.invented.add(row.id);
  await world.commit('import', () =>
    db.transaction(async (tx) => {
      const values = [clock.now(), row.seq];
      const text = "UPDATE deliveries SET status = 'sent', sent_at = ?, due_at = NULL WHERE seq = ?";
      await tx.executeQuery(CompiledQuery.raw(text, values));
      await countMoves(tx, db.dialect, [{ source: row.source, before: 'pending', after: 'sent' }]);
      const told = { at: clock.now(), event: 'imported', status: 'sent', round: 0, actor: 'import' } as const;
      await writeStory(tx, db.dialect, [{ delivery_seq: row.seq, ...told, detail: '{}' }]);
    }),
  );
}
