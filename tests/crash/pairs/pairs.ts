import { writeFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { countFile, type PairsCount } from './count.ts';
import { createImageWorld, type Image } from './images.ts';
import type { Kind } from './ledger-provider.ts';

const brokenShown = 20;

/**
 * Killed at one point, started again, killed at another, started again: every ordered pair that can happen, because the second
 * point is any that the second life passes. Many pairs leave the same image; what follows from it is lived once.
 */
export function pairTests(kind: Kind): void {
  it(`killed at every await and again at every await (${kind}): each mail is accepted once, nothing is stuck`, {
    timeout: 1_800_000,
  }, async () => {
    const folder = inject('pairsFolder');
    const world = await createImageWorld(kind, folder);
    const count: PairsCount = { points: 0, pairs: 0, lives: 0, broken: 0 };
    const stories: string[] = [];
    /** What was wrong after a third life, by the image it began from. */
    const ends = new Map<string, string[]>();
    const thirdLife = async (image: Image) => {
      const known = ends.get(image.fingerprint);
      if (known) return known;
      count.lives += 1;
      const { problems } = await world.live(image, { deaths: 2, look: false });
      ends.set(image.fingerprint, problems);
      return problems;
    };
    try {
      const rehearsal = await world.live(world.first, { deaths: 0, look: true });
      expect(rehearsal.problems).toEqual([]);
      count.points = rehearsal.images.size;
      for (const [image, points] of grouped(rehearsal.images)) {
        const second = await world.live(image, { deaths: 1, look: true });
        if (second.problems.length > 0) {
          count.broken += points.length;
          stories.push(`${points[0]} alone: ${second.problems.join('; ')}`);
        }
        for (const [left, again] of grouped(second.images)) {
          const problems = await thirdLife(left);
          count.pairs += points.length * again.length;
          if (problems.length === 0) continue;
          count.broken += points.length * again.length;
          stories.push(`${points[0]}, then ${again[0]}: ${problems.join('; ')}`);
        }
      }
    } finally {
      world.close();
    }
    writeFileSync(countFile(folder, kind), JSON.stringify(count));
    expect(stories.slice(0, brokenShown)).toEqual([]);
    expect(count.pairs).toBeGreaterThan(10_000);
  });
}

function grouped(images: ReadonlyMap<string, Image>): [Image, string[]][] {
  const groups = new Map<string, [Image, string[]]>();
  for (const [point, image] of images) {
    const group = groups.get(image.fingerprint) ?? [image, []];
    group[1].push(point);
    groups.set(image.fingerprint, group);
  }
  return [...groups.values()];
}

declare module 'vitest' {
  export interface ProvidedContext {
    pairsFolder: string;
  }
}
