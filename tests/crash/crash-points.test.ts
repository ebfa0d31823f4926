import { expect, it } from 'vitest';
import { counterpartNames } from './counterparts.ts';
import { createCrashWorld } from './crash.ts';
import { allPoints } from './points.ts';

it('no await of dispatch or outbox is without a point at which a process was killed', async () => {
  const passed = new Set<string>();
  for (const name of counterpartNames) {
    const world = await createCrashWorld('sqlite', name);
    try {
      for (const point of (await world.rehearse()).keys()) passed.add(point);
    } finally {
      await world.close();
    }
  }
  const known = allPoints();
  expect(known.length).toBeGreaterThan(100);
  expect(known.filter((point) => !passed.has(point))).toEqual([]);
});
