import { afterEach, beforeEach, expect, it } from 'vitest';
import { signal } from '../support/dispatch-world.ts';
import { createResendOutboxWorld, type ResendOutboxWorld } from '../support/resend-outbox-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';
import { hourMs, minuteMs } from './times.ts';

/** The same as in restored-back-up.test.ts, by the real client and over a real socket: how far back Resend's log is read matters. */
onBothDatabases('a restore, with Resend', (dialect) => {
  let world: ResendOutboxWorld;
  beforeEach(async () => {
    world = await createResendOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  /** The database is what it was before anybody asked for anything; its namespace, and so every key, is the same. */
  async function forgetEverything(): Promise<void> {
    const tables = ['delivery_mails', 'delivery_events', 'unsubscribe_tokens', 'deliveries'] as const;
    for (const table of tables) await world.db.write.deleteFrom(table).execute();
  }

  it('seed 1909: a mail that left hours before the restore is found by its refused key, and does not leave again', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    await world.send();
    await world.clock.advance(3 * hourMs);
    await forgetEverything();
    const [again] = await world.outbox.enqueue([intentNumber(1)]);
    await world.send();
    expect(await world.find(again?.seq)).toMatchObject({ status: 'reconciling', resubmit_until: null });
    await world.clock.advance(5 * minuteMs);
    await world.reconcile(world.resend).runOnce(signal());
    const [mail] = world.fake.ledger.accepted;
    expect(world.fake.ledger.accepted).toHaveLength(1);
    expect(await world.find(again?.seq)).toMatchObject({ status: 'sent', provider_message_id: mail?.id });
  });
});
