import type { Intent } from '../../src/domain/delivery.ts';
import { intentNumber } from '../send/intent-number.ts';

const batchSize = 1_000;

export function createIntents(occasion: string, count: number): Intent[] {
  return Array.from({ length: count }, (_, index) => ({ ...intentNumber(index), occasion }));
}

/** Both answer how many a second there were. */
export async function enqueueBatches(
  intents: readonly Intent[],
  enqueue: (batch: Intent[]) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  for (let at = 0; at < intents.length; at += batchSize) await enqueue(intents.slice(at, at + batchSize));
  return (intents.length * 1000) / (performance.now() - startedAt);
}

/** So many ask at once, each for one after the other. */
export async function enqueueSingly(
  intents: readonly Intent[],
  asking: number,
  enqueue: (intent: Intent) => Promise<void> | undefined,
): Promise<number> {
  let next = 0;
  const oneByOne = async () => {
    for (let intent = intents[next++]; intent; intent = intents[next++]) await enqueue(intent);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: asking }, oneByOne));
  return (intents.length * 1000) / (performance.now() - startedAt);
}
