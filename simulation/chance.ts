import { createSeededRandom, type Random } from '../src/std/random.ts';

/** Words for rolling the seeded dice. */
export interface Chance extends Random {
  isTrue(probability: number): boolean;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  one<T>(choices: readonly T[]): T;
  /** A name by its weight. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  /** Each step has dice of its own: a step that is left out changes nothing of the others. */
  turnTo(step: number): void;
}

export function createChance(seed: number): Chance {
  let random = createSeededRandom(seed);
  const between = (least: number, most: number) => least + Math.floor(random.next() * (most - least + 1));
  return {
    next: () => random.next(),
    isTrue: (probability) => random.next() < probability,
    between,
    one: (choices) => choices[between(0, choices.length - 1)] as (typeof choices)[number],
    weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
      const entries = Object.entries<number>(weights) as [Name, number][];
      let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return (entries.at(-1) as [Name, number])[0];
    },
    turnTo(step) {
      random = createSeededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(step + 1, 0x85ebca6b));
    },
  };
}

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
