import { expect, it } from 'vitest';
import { rehearseAll } from './crash.ts';
import { createGround } from './ground.ts';
import { allPoints } from './points.ts';

it('no await of dispatch or outbox is without a point at which a process was killed', async () => {
  const ground = await createGround('sqlite');
  try {
    const passed = new Set([...(await rehearseAll(ground)).values()].flatMap((one) => [...one.keys()]));
    const known = allPoints();
    expect(known.length).toBeGreaterThan(100);
    expect(known.filter((point) => !passed.has(point))).toEqual([]);
  } finally {
    await ground.close();
  }
});
