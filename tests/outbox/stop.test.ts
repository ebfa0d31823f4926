import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import { requireAddress } from '../../src/domain/address.ts';
import { type Status, statusNames } from '../../src/domain/status.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, intentNumber, onBothDatabases, type World } from '../support/world.ts';

onBothDatabases('what waits for somebody who has said no', (dialect) => {
  let world: World;
  let consent: Consent;
  beforeEach(async () => {
    world = await createWorld(dialect);
    consent = consentOf(world);
  });
  afterEach(() => world.close());

  const suppress = (number: number) => {
    const address = requireAddress(`person-${number}@example.org`);
    return consent.suppressions.add([{ address, reason: 'operator' }], 'operator Ana');
  };
  const statusOf = async (seq: number | undefined) => (await world.queries.find(String(seq)))?.status;

  it('is stopped where nothing is on the wire, and left alone where something may be', async () => {
    const waiting: Status[] = ['pending', 'failed_transient', 'claimed'];
    for (const [index, status] of statusNames.entries()) {
      const seq = await rowIn(world, status, index);
      const answer = await suppress(index);
      const isStopped = waiting.includes(status);
      expect([status, answer]).toMatchObject([status, { added: 1, stopped: isStopped ? 1 : 0 }]);
      expect([status, await statusOf(seq)]).toEqual([status, isStopped ? 'suppressed' : status]);
    }
  });

  it('leaves the worker that had claimed it without a lease, and the story says who and why', async () => {
    const seq = await rowIn(world, 'claimed', 1);
    await suppress(1);
    const { events } = await world.queries.story(seq);
    expect(events.at(-1)).toMatchObject({
      ...{ event: 'address_suppressed', actor: 'operator Ana', status: 'suppressed' },
      detail: expect.stringContaining('an operator put it on the list'),
    });
    const late = {
      seq,
      lease: 7,
      event: 'begun',
      account: 'a',
      resubmitUntil: null,
      actor: 'worker-1',
    } as const;
    expect(await world.outbox.record([late])).toMatchObject([{ changed: false, why: 'no arrow' }]);
  });

  it('however many, and nobody else’s', async () => {
    const same = { toEmail: 'Person-1@example.org' };
    await world.outbox.enqueue(Array.from({ length: 1_201 }, (_, number) => intentNumber(number, same)));
    await world.outbox.enqueue([intentNumber(2_000)]);
    expect(await suppress(1)).toMatchObject({ added: 1, stopped: 1_201 });
    expect(await world.queries.counts()).toMatchObject([
      { status: 'pending', count: 1 },
      { status: 'suppressed', count: 1_201 },
    ]);
    expect(await suppress(1)).toMatchObject({ added: 0, stopped: 0 });
  });

  it('of one source only, where the line says so', async () => {
    const [plain, other] = await world.outbox.enqueue([
      intentNumber(1),
      { ...intentNumber(1), source: 'other' },
    ]);
    const entry = {
      address: requireAddress('person-1@example.org'),
      scope: 'other',
      reason: 'operator',
    } as const;
    await consent.suppressions.add([entry], 'operator Ana');
    expect([await statusOf(plain?.seq), await statusOf(other?.seq)]).toEqual(['pending', 'suppressed']);
    const asked = [plain, other].map((one, index) => ({
      ...{ seq: one?.seq ?? 0, source: index === 0 ? 'plain' : 'other' },
      ...{ recipient: 'somebody', to: entry.address },
    }));
    const objections = await world.db.transaction((tx) => consent.against(asked, tx));
    expect([...objections]).toEqual([[other?.seq, 'address_suppressed']]);
  });

  it('what the recipient says and takes back leaves standing what others say', async () => {
    const address = requireAddress('person-1@example.org');
    const said = (reason: 'unsubscribed' | 'operator' | 'complained') =>
      consent.suppressions.add([{ address, reason }], 'somebody').then(({ added }) => added);
    expect([await said('unsubscribed'), await said('operator'), await said('complained')]).toEqual([1, 1, 0]);
    expect([await said('unsubscribed'), await consent.suppressions.count()]).toEqual([0, 1]);
    await world.db.write
      .updateTable('suppressions')
      .set({ lifted_at: 1 })
      .where('reason', '=', 'unsubscribed')
      .execute();
    const asked = [{ seq: 1, source: 'plain', recipient: 'x', to: address }];
    const objections = await world.db.transaction((tx) => consent.against(asked, tx));
    expect([...objections]).toEqual([[1, 'address_suppressed']]);
  });

  it('retention forgets who was let go long ago, and nobody else', async () => {
    const [gone, here] = [1, 2].map((number) => requireAddress(`person-${number}@example.org`));
    if (!gone || !here) throw new Error('no addresses');
    for (const address of [gone, here])
      await consent.suppressions.add([{ address, reason: 'operator' }], 'x');
    await consent.suppressions.lift(gone, '*', { by: 'x', because: 'a mistake' });
    await world.clock.advance(1_000);
    await consent.suppressions.forget(world.clock.now() - 1_000);
    expect(await consent.suppressions.list({ withLifted: true, limit: 9 })).toHaveLength(2);
    await consent.suppressions.forget(world.clock.now());
    const left = await consent.suppressions.list({ withLifted: true, limit: 9 });
    expect(left).toMatchObject([{ address_key: here }]);
  });

  it('a complaint about one mail stops the others that wait for that address, in its own transaction', async () => {
    const outbox = await outboxWithConsent();
    const first = await rowIn(world, 'sent', 1);
    const [second] = await outbox.enqueue([intentNumber(2, { toEmail: 'person-1@example.org' })]);
    const complaint = { seq: first, event: 'complained', round: 1, at: 1, actor: 'webhook' } as const;
    const undone = world.db.transaction(async (tx) => {
      await outbox.record([complaint], tx);
      throw new Error('power cut');
    });
    await expect(undone).rejects.toThrow('power cut');
    expect(await statusOf(second?.seq)).toBe('pending');
    await outbox.record([complaint]);
    expect(await statusOf(second?.seq)).toBe('suppressed');
    expect(await consent.suppressions.list({ limit: 9 })).toMatchObject([
      { address_key: 'person-1@example.org', reason: 'complained', delivery_seq: first, scope: '*' },
    ]);
  });

  async function outboxWithConsent(): Promise<Outbox> {
    const { db, clock } = world;
    const listeners = { consent: consent.learn, source: () => undefined };
    return createOutbox({ db, clock, log, namespace: await readNamespace(db), listeners });
  }

  if (dialect === 'sqlite') return; // Its writer is alone; what follows is about two at once.

  it('what somebody else holds is passed over, not waited for: the last check before its send stops it', async () => {
    const seq = await rowIn(world, 'claimed', 1);
    const other = new pg.Client({ connectionString: world.url });
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM deliveries WHERE seq = $1 FOR UPDATE', [seq]);
      expect(await suppress(1)).toMatchObject({ added: 1, stopped: 0 });
    } finally {
      await other.end();
    }
    const to = requireAddress('person-1@example.org');
    const asked = [{ seq, source: 'plain', recipient: 'person-1', to }];
    expect(await world.db.transaction((tx) => consent.against(asked, tx))).toEqual(
      new Map([[seq, 'address_suppressed']]),
    );
  });

  it('complaints and batches that hold each other’s rows end, all of them', async () => {
    const outbox = await outboxWithConsent();
    const address = { toEmail: 'person-1@example.org' };
    const rows = await outbox.enqueue(
      Array.from({ length: 40 }, (_, number) => intentNumber(number, address)),
    );
    const seqs = rows.map(({ seq }) => seq);
    // Each complains about one of the last and would stop the first; each batch goes through all by number.
    const complaints = seqs
      .slice(20)
      .map((seq) => outbox.record([{ seq, event: 'complained', round: 1, at: 1, actor: 'webhook' }]));
    const batches = [1, 2, 3, 4].map((dueAt) =>
      outbox.record(seqs.map((seq) => ({ seq, event: 'deferred', dueAt, actor: 'a run' }))),
    );
    await Promise.all([...complaints, ...batches]);
    const left = await world.queries.counts();
    expect(left.filter(({ status }) => status !== 'pending')).toMatchObject([{ status: 'suppressed' }]);
  });
});
