import type { DialectName } from '../../src/db/dialect.ts';
import { createEngineWorld, type EngineWorld } from './engine-world.ts';
import { createHonestProvider, type HonestProvider, type ProviderKind } from './honest-provider.ts';
import { minuteMs } from './times.ts';

/** The engine and a provider whose ledger is the truth. */
export interface HonestWorld extends EngineWorld {
  provider: HonestProvider;
  /** By the provider's own ledger: how often each delivery's mail was accepted. */
  timesAccepted(seqs: readonly number[]): Promise<number[]>;
  statusesOf(seqs: readonly number[]): Promise<string[]>;
}

/** Long enough between two looks, and far too often for anything to be missed. */
export const everyMs = 40 * minuteMs;

export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

export async function createHonestWorld(dialect: DialectName, kind: ProviderKind = {}): Promise<HonestWorld> {
  let provider: HonestProvider | undefined;
  const world = await createEngineWorld(dialect, (clock) => {
    provider = createHonestProvider(clock, kind);
    return provider;
  });
  if (!provider) throw new Error('the engine has asked for no provider');
  const { ledger } = provider;
  // It is added to and not copied: what it says of the process that runs now is read when it is asked for.
  return Object.assign(world, {
    provider,
    timesAccepted: (seqs: readonly number[]) =>
      Promise.all(
        seqs.map(async (seq) => {
          const { id } = await world.find(seq);
          return ledger.filter(({ deliveryId }) => deliveryId === id).length;
        }),
      ),
    statusesOf: (seqs: readonly number[]) =>
      Promise.all(seqs.map(async (seq) => (await world.find(seq)).status)),
  });
}
