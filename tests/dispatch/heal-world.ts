import type { DialectName } from '../../src/db/dialect.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { signal } from '../support/dispatch-world.ts';
import { createResendOutboxWorld, type ResendOutboxWorld } from '../support/resend-outbox-world.ts';

/** Mails that were accepted, a provider that can be asked what became of them, and nobody who tells it unasked. */
export interface HealWorld extends ResendOutboxWorld {
  /** By the dispatch, over the socket; answers the rows in the order in which the mails were accepted. */
  sendAll(count: number): Promise<number[]>;
  /** What became of the mail of a row, there; nobody is told. */
  becomes(seq: number | undefined, lastEvent: string): Promise<void>;
  /** How many the provider was asked. */
  questions(): number;
  healOnce(provider?: Provider): Promise<number>;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const healAfterMs = 6 * hourMs;

export async function createHealWorld(
  dialect: DialectName,
  options: Parameters<typeof createResendOutboxWorld>[1] = {},
): Promise<HealWorld> {
  const world = await createResendOutboxWorld(dialect, { healAfterMs, ...options });
  return {
    ...world,
    async sendAll(count) {
      const seqs = await world.enqueue(...Array.from({ length: count }, (_, number) => number));
      for (let turn = 0; turn < count; turn++) await world.send();
      const ids = await Promise.all(seqs.map(async (seq) => (await world.find(seq))?.provider_message_id));
      const order = world.fake.ledger.accepted.map(({ id }) => ids.indexOf(id));
      return order.map((index) => seqs[index] ?? 0);
    },
    async becomes(seq, lastEvent) {
      const messageId = (await world.find(seq))?.provider_message_id;
      const mail = world.fake.ledger.accepted.find(({ id }) => id === messageId);
      if (!mail) throw new Error(`no mail of ${seq}`);
      mail.lastEvent = lastEvent;
    },
    questions: () => world.fake.ledger.requests.filter(({ method }) => method === 'GET').length,
    healOnce: (provider = world.resend) => world.heal(provider).runOnce(signal()),
  };
}
