import type { Address } from '../../src/domain/address.ts';
import type { World } from '../world.ts';
import { orderFor } from './citizens.ts';
import { type CivicSide, createNewsletterParts } from './newsletter-parts.ts';

/** What is there when a run begins: some who follow something, and the books for those who are not processes. Nothing goes wrong yet. */
export async function found(world: World, civic: CivicSide): Promise<void> {
  const { db, clock, chance, consent, outbox, mayStrike, story } = world;
  const { newsletters, sources } = createNewsletterParts({
    ...{ name: 'the office', world, civic, db, consent, outbox, stopping: new AbortController() },
    faults: { clock, call: (_, work) => work({ beforeWork() {}, beforeCommit() {} }) },
  });
  world.beside.sources = sources;
  const hopeless = chance.one(civic.town.entities);
  if (chance.isTrue(0.15) && mayStrike('the figures of one entity will never come')) {
    hopeless.isHopeless = true;
    story.tell(`the figures of ${hopeless.cui} will never come`);
  }
  const address = chance.one(civic.town.citizens).addresses[0]?.address as Address | null;
  if (address && chance.isTrue(0.4) && mayStrike('somebody is not to be mailed from the first')) {
    story.tell(`${address} wants no mail`);
    await world.commit('consent', () =>
      consent.suppressions.add([{ address, reason: 'operator' }], 'an operator').then(() => {}),
    );
  }
  await world.commit('the founder', async () => {
    for (const { id } of civic.town.citizens) {
      for (let left = chance.between(1, 3); left > 0; left--) {
        await newsletters.notifications.subscribe(orderFor(chance, id));
      }
    }
  });
}
