import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import type { Verdict } from '../../src/outbox/begin.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { mailTo } from '../support/mails.ts';
import { composed, createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('the write-ahead', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('the write-ahead freezes the mail, fixes round, account and key window, and opens the doubt', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.claim();
    if (!claimed) throw new Error('not claimed');
    const { sending } = await world.begin([composed(claimed)]);
    expect(sending).toHaveLength(1);
    const now = world.clock.now();
    expect(await world.find(claimed.seq)).toMatchObject({
      status: 'sending',
      round: 1,
      evidence: 4,
      account: 'capture',
      first_possible_accept_at: now,
      resubmit_until: now + 1000,
      last_attempt_at: now,
      to_email: `person-${claimed.seq}@example.org`,
      attempts: 0,
    });
    const { mails } = await world.queries.story(claimed.seq);
    expect(mails.find(({ round }) => round === 1)).toMatchObject({
      subject: `Subject ${claimed.seq}`,
      frozen_at: now,
    });
  });

  it('002-P11-03 A retry of the same round gets the frozen mail back, byte for byte', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [first] = await world.claim();
    if (!first) throw new Error('not claimed');
    const mail = mailTo(1, { subject: 'Grüße, "Ana" \u2028 🙂', headers: { 'X-A': 'a', 'X-B': 'b' } });
    await world.begin([{ claimed: first, mail }]);
    await world.outbox.record([
      { seq: first.seq, event: 'refused_for_now', lease: 1, actor: 'worker-1', dueAt: world.clock.now() },
    ]);
    const [second] = await world.claim();
    expect(second).toMatchObject({ round: 1, attempts: 1 });
    expect(second?.frozen).toEqual(mail);
    await world.begin([composed(second as Claimed)]);
    expect((await world.queries.story(first.seq)).mails.filter(({ round }) => round > 0)).toHaveLength(1);
  });

  it('what the last check stops does not become `sending` and freezes nothing', async () => {
    await world.outbox.enqueue([1, 2, 3, 4, 5].map((number) => intentNumber(number)));
    const batch = (await world.claim()).map(composed);
    const [a, b, c, d, e] = batch.map(({ claimed }) => claimed.seq) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const later = world.clock.now() + 5000;
    const verdicts = new Map<number, Verdict>([
      [a, { event: 'unsubscribed' }],
      [b, { event: 'address_suppressed' }],
      [c, { event: 'expired' }],
      [d, { event: 'deferred', dueAt: later }],
    ]);
    const { sending, stopped } = await world.begin(batch, verdicts);
    expect(sending.map(({ claimed }) => claimed.seq)).toEqual([e]);
    expect(stopped.map(({ status }) => status)).toEqual([
      'skipped_unsubscribed',
      'suppressed',
      'expired',
      'pending',
    ]);
    expect(await world.find(d)).toMatchObject({ due_at: later, locked_by: null, attempts: 0 });
    expect((await world.queries.story(a)).mails.every(({ round }) => round === 0)).toBe(true);
  });

  it('an unsubscribe between claim and begin wins', async () => {
    await world.outbox.enqueue([intentNumber(1)]);
    const [claimed] = await world.claim();
    if (!claimed) throw new Error('not claimed');
    await world.outbox.record([{ seq: claimed.seq, event: 'unsubscribed', actor: 'consent' }]);
    const { sending, stopped } = await world.begin([composed(claimed)]);
    expect(sending).toEqual([]);
    expect(stopped).toMatchObject([{ status: 'skipped_unsubscribed', changed: false }]);
  });

  it('freezes a batch of the largest mails in several statements, each mail as it is', async () => {
    const statements: string[] = [];
    const onStatement = ({ sql }: { sql: string }) => void statements.push(sql);
    const db = await openDatabase(world.url, { clock: systemClock, log: silentLog, onStatement });
    const outbox = createOutbox({
      db,
      clock: world.clock,
      log: silentLog,
      namespace: await readNamespace(db),
      listeners: { consent: async () => {}, source: () => undefined },
    });
    try {
      await outbox.enqueue(Array.from({ length: 12 }, (_, number) => intentNumber(number)));
      const half = 'x'.repeat(500_000);
      const batch = (await world.claim()).map((claimed) => ({
        claimed,
        mail: mailTo(claimed.seq, { text: `${claimed.seq} ${half}`, html: half }),
      }));
      statements.length = 0;
      const order = { worker: 'worker-1', account: 'capture', keyWindowMs: 1000 };
      const { sending } = await outbox.begin(batch, { ...order, lastCheck: async () => new Map() });
      expect(sending).toHaveLength(12);
      // Eight millions of characters each at most: a text of which a batch can be made has its limit.
      expect(statements.filter((text) => /INSERT INTO delivery_mails/.test(text))).toHaveLength(2);
      const frozen = await db.read.selectFrom('delivery_mails').selectAll().where('round', '=', 1).execute();
      expect(frozen).toHaveLength(12);
      expect(frozen.every((mail) => mail.text === `${mail.delivery_seq} ${half}` && mail.html === half)).toBe(
        true,
      );
    } finally {
      await db.close();
    }
  });
});
