import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createImageWorld } from './pairs/images.ts';

/** All pairs are minutes of work and for `npm run proof`. Their world must live on all the same: a life, a kill, and another. */
it.each(['resend', 'smtp'] as const)(
  'killed, started and killed again, by way of images (%s)',
  async (kind) => {
    const folder = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-'));
    const world = await createImageWorld(kind, folder);
    try {
      const rehearsal = await world.live(world.first, { deaths: 0, look: true });
      expect(rehearsal.problems).toEqual([]);
      const half = [...rehearsal.images.values()].at(rehearsal.images.size / 2);
      if (!half) throw new Error('a life without an image');
      const second = await world.live(half, { deaths: 1, look: true });
      expect(second.problems).toEqual([]);
      const last = [...second.images.values()].at(second.images.size / 2);
      if (!last) throw new Error('a second life without an image');
      expect((await world.live(last, { deaths: 2, look: false })).problems).toEqual([]);
    } finally {
      world.close();
      rmSync(folder, { recursive: true });
    }
  },
);
