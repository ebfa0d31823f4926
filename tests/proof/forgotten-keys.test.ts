import { afterEach, expect, it } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { intents } from './engine-world.ts';
import { createHonestWorld, type HonestWorld, times } from './honest-world.ts';
import { dayMs, hourMs, minuteMs, secondMs } from './times.ts';

/**
 * What docs/proof.md says about a provider that forgets its keys, clause by clause. What cannot be helped is told here, too: a
 * limit that nobody tests is a promise.
 */
onBothDatabases('what happens when', (dialect) => {
  let world: HonestWorld;
  afterEach(() => world.close());

  it.each([
    ['can be asked', true],
    ['cannot be asked', false],
  ] as const)(
    'a provider that %s forgets its keys after an hour and says a day: twice is only what was in doubt and was handed over again after that',
    async (_, canLookUp) => {
      world = await createHonestWorld(dialect, { forgetsAfterMs: hourMs, canLookUp });
      const heard = await world.enqueue(...intents(1, 4));
      await world.live(minuteMs);
      world.provider.mood = 'mute';
      const soon = await world.enqueue(...intents(5, 6));
      await world.sendAndDie();
      world.provider.mood = 'well';
      await world.live(30 * minuteMs, 5 * minuteMs);
      world.provider.mood = 'mute';
      const late = await world.enqueue(...intents(7, 8));
      await world.sendAndDie();
      world.provider.mood = 'well';
      // No process runs for two hours.
      await world.clock.advance(2 * hourMs);
      await world.live(10 * minuteMs);
      expect(await world.statuses()).toEqual({ sent: 8 });
      expect(await world.timesAccepted(heard)).toEqual([1, 1, 1, 1]);
      expect(await world.timesAccepted(soon)).toEqual([1, 1]);
      // The key goes before the question: it is what the provider has promised.
      expect(await world.timesAccepted(late)).toEqual([2, 2]);
    },
  );

  it.each([-1, 0, 1])(
    'a provider forgets its keys at 24 h and %i s: nothing is accepted twice, whenever work goes on',
    async (seconds) => {
      world = await createHonestWorld(dialect, { forgetsAfterMs: dayMs + seconds * secondMs });
      const all: number[] = [];
      for (const idleMs of [22 * hourMs, 23 * hourMs - minuteMs, 23 * hourMs, dayMs - secondMs, dayMs]) {
        world.provider.mood = 'mute';
        all.push(...(await world.enqueue(...intents(all.length, all.length + 1))));
        await world.sendAndDie();
        world.provider.mood = 'well';
        await world.clock.advance(idleMs);
        await world.live(10 * minuteMs);
      }
      expect(await world.statusesOf(all)).toEqual(times(10, 'sent'));
      expect(await world.timesAccepted(all)).toEqual(times(10, 1));
    },
  );
});
