import type { World } from '../world.ts';
import { orderFor } from './citizens.ts';
import { type CivicSide, createNewsletterParts } from './newsletter-parts.ts';

/** What is there when a run begins: some who follow something, and the books for those who are not processes. Nothing goes wrong yet. */
export async function found(world: World, civic: CivicSide): Promise<void> {
  const { db, clock, chance, consent, outbox } = world;
  const { newsletters, sources } = createNewsletterParts({
    ...{ name: 'the office', world, civic, db, consent, outbox, stopping: new AbortController() },
    faults: { clock, call: (_, work) => work({ beforeWork() {}, beforeCommit() {} }) },
  });
  world.beside.sources = sources;
  await world.commit('the founder', async () => {
    for (const { id } of civic.town.citizens) {
      for (let left = chance.between(1, 3); left > 0; left--) {
        await newsletters.notifications.subscribe(orderFor(chance, id));
      }
    }
  });
}
