import type { DialectName } from '../../src/db/dialect.ts';
import type { Begun, Composed, Verdict } from '../../src/outbox/begin.ts';
import type { Claimed, ClaimOrder } from '../../src/outbox/claim.ts';
import type { Recorded } from '../../src/outbox/record.ts';
import { mailTo } from './mails.ts';
import { createWorld, type World } from './world.ts';

/** A world with the steps of one worker, `worker-1`, as the tests of the outbox take them again and again. */
export interface OutboxWorld extends World {
  claim(limit?: number, more?: Partial<ClaimOrder>): Promise<Claimed[]>;
  begin(batch: readonly Composed[], verdicts?: ReadonlyMap<number, Verdict>): Promise<Begun>;
  accepted(claimed: Claimed, messageId?: string): Promise<Recorded[]>;
  find(seq: number): ReturnType<World['queries']['find']>;
}

export async function createOutboxWorld(dialect: DialectName): Promise<OutboxWorld> {
  const world = await createWorld(dialect);
  const { outbox, clock, queries } = world;
  const worker = 'worker-1';
  return {
    ...world,
    claim: (limit = 100, more = {}) =>
      outbox.claim({ source: 'plain', worker, limit, leaseMs: 120_000, from: 'normal', ...more }),
    begin: (batch, verdicts = new Map()) =>
      outbox.begin(batch, { worker, account: 'capture', keyWindowMs: 1000, lastCheck: async () => verdicts }),
    accepted: ({ seq, round }, messageId = `message-${seq}`) =>
      outbox.record([{ seq, event: 'accepted', round, at: clock.now(), messageId, actor: worker }]),
    find: (seq) => queries.find(String(seq)),
  };
}

export function composed(claimed: Claimed): Composed {
  return { claimed, mail: claimed.frozen ?? mailTo(claimed.seq) };
}
