import type { DialectName } from '../../src/db/dialect.ts';
import type { Outbox } from '../../src/outbox/outbox.ts';
import type { Provider } from '../../src/providers/provider.ts';
import { createResend, type ResendParts } from '../../src/providers/resend.ts';
import { createDispatchWorld, type DispatchWorld, signal } from './dispatch-world.ts';
import { type FakeResend, type FakeResendOptions, startFakeResend } from './fake-resend/fake-resend.ts';

/** The outbox and those who work on it, with a Resend behind a real socket, all on one clock. */
export interface ResendOutboxWorld extends DispatchWorld {
  fake: FakeResend;
  resend: Provider;
  /** Another client of the same Resend: another process, or another key. */
  connect(more?: Partial<ResendParts>): Provider;
  send(): Promise<unknown>;
  /** A worker that hands the mail over and dies before it can write anything down. */
  sendAndDie(): Promise<void>;
  /** As somebody would write it who does not wait for the provider: said to be sent, and nothing proves it. */
  sayIsSent(seq: number, more?: { account?: string | null; sentAt?: number }): Promise<void>;
}

export async function createResendOutboxWorld(
  dialect: DialectName,
  options: FakeResendOptions & { healAfterMs?: number } = {},
): Promise<ResendOutboxWorld> {
  const { healAfterMs, ...fakeOptions } = options;
  const world = await createDispatchWorld(dialect, healAfterMs === undefined ? {} : { healAfterMs });
  const { clock, db, outbox } = world;
  const fake = await startFakeResend({ clock, ...fakeOptions });
  const clients: Provider[] = [];
  const connect = (more: Partial<ResendParts> = {}) => {
    // A rate at which nothing waits, unless the test is about that.
    const client = createResend({
      ...{ apiKey: 're_test', baseUrl: fake.url, clock, ratePerSecond: Infinity },
      ...more,
    });
    clients.push(client);
    return client;
  };
  const resend = connect();
  return {
    ...world,
    ...{ fake, resend, connect },
    send: () => world.dispatch({ provider: resend }).runOnce(signal()),
    async sendAndDie() {
      const before = fake.ledger.accepted.length;
      const dead: Outbox = { ...outbox, record: () => new Promise(() => {}) };
      void world.dispatch({ provider: resend, outbox: dead }).runOnce(signal());
      while (fake.ledger.accepted.length === before) await new Promise((resolve) => setTimeout(resolve, 2));
    },
    async sayIsSent(seq, { account = resend.account, sentAt = clock.now() } = {}) {
      await db.write
        .updateTable('deliveries')
        .set({ status: 'sent', sent_at: sentAt, due_at: null, account })
        .where('seq', '=', seq)
        .execute();
    },
    async close() {
      await fake.close();
      for (const client of clients) await client.close?.();
      await world.close();
    },
  };
}
