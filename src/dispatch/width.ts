/**
 * How many mails are in flight at once. It grows while the provider answers as fast as before, and shrinks when answers
 * take longer: then the mails only queue up somewhere, and would be in doubt all together if this process died.
 */
export interface Width {
  readonly current: number;
  /** What the provider takes. Mails that leave each at its own slot are held back by that, and one that waited for a place would miss it. */
  readonly most: number;
  /** How many mails a second of work is, by how long calls took lately: nobody should claim more than that at once. */
  readonly inASecond: number;
  /** How many can leave one `spacingMs` after the other before one of them has to wait for a place, and misses its slot. */
  inStep(spacingMs: number): number;
  /** After a batch: how many calls there were, and how long one took on average. */
  learn(batch: { calls: number; meanMs: number }): void;
}

const first = 4;
/** Half as long again as at its best is a provider, or a machine, that has enough to do. */
const patience = 1.5;
/** Unless that is so little that it may be this process itself, which was writing down what came of others. */
const ownMs = 20;
const growth = 1.25;
/** Deep enough that the provider is seen at its best again before the next climb. */
const retreat = 0.5;
/** The best is forgotten by and by: a provider that has become slower for good is not punished for ever. */
const forgetting = 1.005;
/** Below this a call is all overhead, and its share of noise says nothing about the provider. */
const floorMs = 1;
/** A few calls that were quick, or slow, by chance are no news: what is known weighs as much as so many. */
const steadiness = 32;
/** Before the first call: so slow a provider that the first claim is not a large one. */
const guessMs = 100;

/** Never more than `max`, which is what the provider takes, nor fewer than one. */
export function createWidth(max: number): Width {
  let current = Math.min(first, max);
  let bestMs = Infinity;
  let lastMs = guessMs;
  let steadyMs: number | undefined;
  return {
    get current() {
      return current;
    },
    most: max,
    get inASecond() {
      return Math.max(current, Math.floor((current * 1_000) / lastMs));
    },
    inStep(spacingMs) {
      // So many answers come in the time of a slot; where it is one, there is always room for the next. Some take longer than most.
      const answersPerSlot = (spacingMs * max) / ((steadyMs ?? guessMs) * patience);
      return answersPerSlot >= 1 ? Infinity : Math.floor(max / (1 - answersPerSlot));
    },
    learn({ calls, meanMs }) {
      lastMs = Math.max(floorMs, meanMs);
      steadyMs ??= lastMs;
      steadyMs += ((lastMs - steadyMs) * calls) / (calls + steadiness);
      // With room to spare, it was not the width that held us back.
      if (calls < current) return;
      bestMs = Math.min(bestMs * forgetting, steadyMs);
      current =
        steadyMs <= Math.max(bestMs * patience, bestMs + ownMs)
          ? Math.min(max, Math.ceil(current * growth))
          : Math.max(Math.min(first, max), Math.floor(current * retreat));
    },
  };
}
