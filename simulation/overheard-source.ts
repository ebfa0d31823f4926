import type { Source } from '../src/sources/source.ts';
import { BookkeepingFailed } from './sources.ts';
import type { World } from './world.ts';

/** A real source, with its own misfortunes; what it says of deliveries is overheard. */
export function overheardSource(source: Source, world: World): Source {
  const { chance, isTroubled, mayStrike, watch, told } = world;
  const isStruck = (probability: number) => isTroubled() && chance.isTrue(probability);
  return {
    ...source,
    async draft(deliveries) {
      if (isStruck(0.02) && mayStrike('a draft fails')) throw new Error('the source does not answer');
      const drafts = await source.draft(deliveries);
      for (const { seq, id } of deliveries) {
        const { kind } = drafts.get(seq) ?? {};
        if (kind === 'unsendable' || kind === 'ineligible') watch.said(id, kind);
      }
      return drafts;
    },
    ...(source.recheck && { recheck: overheardRecheck(source.recheck, world) }),
    async changed(facts, tx) {
      if (isStruck(0.05) && mayStrike('bookkeeping fails')) throw new BookkeepingFailed();
      await source.changed?.(facts, tx);
      told(facts);
    },
  };
}

type Recheck = NonNullable<Source['recheck']>;

function overheardRecheck(recheck: Recheck, { watch }: World): Recheck {
  return async (deliveries, tx) => {
    const verdicts = await recheck(deliveries, tx);
    for (const { seq, id } of deliveries) {
      const event = verdicts.get(seq)?.event;
      if (event === 'ineligible' || event === 'expired') watch.said(id, event);
    }
    return verdicts;
  };
}
