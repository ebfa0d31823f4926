import type { Outcome } from '../../src/domain/outcome.ts';
import type { Guarantees, Parcel, Provider } from '../../src/providers/provider.ts';

/** A provider with switches: what it answers is decided by the test, what it was handed is in `ledger`. */
export interface FakeProvider extends Provider {
  ledger: Parcel[];
  answer(reply: (parcel: Parcel) => Outcome | Promise<Outcome>): void;
}

export function createFakeProvider(guarantees: Partial<Guarantees> = {}): FakeProvider {
  const ledger: Parcel[] = [];
  let reply: (parcel: Parcel) => Outcome | Promise<Outcome> = ({ key }) => ({
    kind: 'accepted',
    messageId: `id-${key}`,
  });
  return {
    name: 'fake',
    account: 'fake:1',
    guarantees: {
      idempotencyWindowMs: 86_400_000,
      indexingDelayMs: 0,
      longestCallMs: 10_000,
      concurrency: 4,
      ratePerSecond: null,
      ...guarantees,
    },
    ledger,
    answer(next) {
      reply = next;
    },
    async send(parcel) {
      ledger.push(parcel);
      return reply(parcel);
    },
    async lookUp({ key }) {
      const found = ledger.some((parcel) => parcel.key === key);
      return found ? { kind: 'found', messageId: `id-${key}`, at: 1 } : { kind: 'absent' };
    },
    probe: async () => ({ isUp: true }),
  };
}
