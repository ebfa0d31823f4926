import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import { plainSource } from '../../src/sources/plain/plain.ts';
import type { Source } from '../../src/sources/source.ts';
import { silentLog } from '../../src/std/log.ts';
import { consentOf, suppressionOf } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('the last look before bytes leave', (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  it('a suppressed address gets nothing, and a complaint suppresses in its own transaction', async () => {
    const [first] = await world.enqueue(1);
    await world.dispatch().runOnce(signal());
    const outbox = createOutbox({
      db: world.db,
      clock: world.clock,
      log: silentLog,
      namespace: await readNamespace(world.db),
      listeners: { consent: consentOf(world).learn, source: () => undefined },
    });
    const complaint = { event: 'complained', round: 1, at: 1, actor: 'webhook' } as const;
    const undone = world.db.transaction(async (tx) => {
      await outbox.record([{ seq: first ?? 0, ...complaint }], tx);
      throw new Error('power cut');
    });
    await expect(undone).rejects.toThrow('power cut');
    expect(await world.db.read.selectFrom('suppressions').selectAll().execute()).toEqual([]);
    await outbox.record([{ seq: first ?? 0, ...complaint }]);
    expect(await world.find(first)).toMatchObject({ status: 'suppressed' });
    await world.outbox.enqueue([intentNumber(2, { toEmail: 'Person-1@example.org' }), intentNumber(3)]);
    await world.dispatch().runOnce(signal());
    // The complaint's own row, and the one that its address kept from going out, in whatever spelling.
    expect(await world.statusesOf()).toEqual({ sent: 1, suppressed: 2 });
    expect(world.provider.ledger).toHaveLength(2);
  });

  it('what is too late to be of use expires instead of going out', async () => {
    await world.outbox.enqueue([intentNumber(1, { expiresAt: world.clock.now() })]);
    await world.dispatch().runOnce(signal());
    expect(await world.statusesOf()).toEqual({ expired: 1 });
    expect(world.provider.ledger).toEqual([]);
  });

  it('the source’s last look is asked in the transaction that begins the send', async () => {
    const [first, second] = await world.enqueue(1, 2);
    const source: Source = {
      ...plainSource,
      recheck: async () => new Map([[second as number, { event: 'ineligible' }]]),
    };
    await world.dispatch({ source }).runOnce(signal());
    expect(await world.find(first)).toMatchObject({ status: 'sent' });
    expect(await world.find(second)).toMatchObject({ status: 'skipped_ineligible' });
  });

  it('what the source wrote in its last look is undone with the send that did not begin', async () => {
    const [seq] = await world.enqueue(1);
    const source: Source = {
      ...plainSource,
      async recheck(_, tx) {
        await tx.insertInto('suppressions').values(suppressionOf('x')).execute();
        throw new Error('the source failed');
      },
    };
    await expect(world.dispatch({ source }).runOnce(signal())).rejects.toThrow('the source failed');
    expect(await world.db.read.selectFrom('suppressions').selectAll().execute()).toEqual([]);
    expect(await world.find(seq)).toMatchObject({ status: 'pending', attempts: 0, lapses: 0 });
    expect(world.provider.ledger).toEqual([]);
  });

  it('consent outweighs the clock, and both outweigh the source', async () => {
    const expiresAt = world.clock.now();
    const late = { expiresAt };
    const [both, lateOnly, sourceOnly] = (
      await world.outbox.enqueue([intentNumber(1, late), intentNumber(2, late), intentNumber(3)])
    ).map(({ seq }) => seq);
    const other = await world.outbox.enqueue([intentNumber(4)]);
    await world.suppress('person-1@example.org');
    await world.suppress('person-4@example.org');
    const source: Source = {
      ...plainSource,
      recheck: async (batch) => new Map(batch.map(({ seq }) => [seq, { event: 'ineligible' }])),
    };
    await world.dispatch({ source }).runOnce(signal());
    const statusOf = async (seq: number | undefined) => (await world.find(seq))?.status;
    expect(await statusOf(both)).toBe('suppressed');
    expect(await statusOf(other[0]?.seq)).toBe('suppressed');
    expect(await statusOf(lateOnly)).toBe('expired');
    expect(await statusOf(sourceOnly)).toBe('skipped_ineligible');
    expect(world.provider.ledger).toEqual([]);
  });
});
