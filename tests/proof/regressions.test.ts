import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import type { Claimed } from '../../src/outbox/claim.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import type { Report } from '../../src/outbox/record.ts';
import { silentLog } from '../../src/std/log.ts';
import { createDispatchWorld, signal } from '../support/dispatch-world.ts';
import { composed, createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';
import { createWebhookWorld } from '../webhooks/webhook-world.ts';
import { type Tables, tablesOf } from './tables.ts';

/**
 * Bugs that the simulator has found, each by its seed. Seed 485: a fail-over lost commits, so that the database went back in
 * time and gave out numbers twice. A worker that still held delivery X under a number wrote "accepted" to delivery Y, which had
 * that number now: Y was called sent and never mailed. Since then a report names its delivery, and its holder. Seed 47108: the
 * same with a sweep that had looked for what was too late before the fail-over, and ended what had its number three hours later.
 * Other bugs have their tests where their surroundings are, with the seed in the name: seeds 1909 and 9744 in
 * restored-back-up.test.ts and resend-restore.test.ts, those of the fuzzers beside the code.
 */

/** The database has lost the deliveries, and the next one gets the first number again. */
async function loseCommits(db: Database): Promise<void> {
  const tables = ['delivery_mails', 'delivery_events', 'deliveries'] as const;
  for (const table of tables) await db.write.deleteFrom(table).execute();
  await (db.dialect === 'sqlite'
    ? sql`DELETE FROM sqlite_sequence WHERE name = 'deliveries'`
    : sql`SELECT setval(pg_get_serial_sequence('deliveries', 'seq'), 1, false)`
  ).execute(db.write);
}

onBothDatabases('seed 47108: a sweep that stood still over a fail-over', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  it('ends nothing that has time, under a number of which it knew that it was late', async () => {
    const { clock } = world;
    await world.outbox.enqueue([intentNumber(1, { expiresAt: clock.now() + 1_000 })]);
    await clock.advance(2_000);
    const transaction: Database['transaction'] = async (work) => {
      await loseCommits(world.db);
      await world.outbox.enqueue([intentNumber(2, { expiresAt: clock.now() + 60_000 })]);
      return world.db.transaction(work);
    };
    const outbox = createOutbox({
      ...{ db: { ...world.db, transaction }, clock, log: silentLog },
      ...{ namespace: await readNamespace(world.db) },
      listeners: { consent: async () => {}, source: () => undefined },
    });
    expect(await outbox.expire(10)).toBe(0);
    expect(await world.find(1)).toMatchObject({ occasion: 'occasion-2', status: 'pending' });
    await clock.advance(60_000);
    expect(await world.outbox.expire(10)).toBe(1);
  });
});

const evidence = [
  ['accepted', {}],
  ['confirmed', {}],
  ['bounced_for_now', { roundsMax: 3 }],
  ['provider_failed', {}],
  ['bounced_for_good', {}],
  ['complained', {}],
] as const;
const work = [
  'deferred',
  'refused_for_now',
  'refused_for_good',
  'gave_up',
  'outcome_unknown',
  'key_conflict',
] as const;

onBothDatabases('seed 485: a number that was given out twice', (dialect) => {
  let world: OutboxWorld;
  /** What a worker still has in hand, and the database has lost. */
  let lost: Claimed;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  async function claimOne(number: number, worker: string): Promise<Claimed> {
    await world.outbox.enqueue([intentNumber(number)]);
    const [claimed] = await world.claim(1, { worker });
    if (!claimed) throw new Error('not claimed');
    return claimed;
  }
  const beginAs = (worker: string, claimed: Claimed) =>
    world.outbox.begin([composed(claimed)], {
      ...{ worker, account: 'capture', keyWindowMs: 3_600_000 },
      lastCheck: async () => new Map(),
    });

  /** Delivery 2 has the number and the lease that delivery 1 had, in the same worker's hands. */
  async function twoOfOneNumber(): Promise<Claimed> {
    lost = await claimOne(1, 'worker-1');
    await loseCommits(world.db);
    const present = await claimOne(2, 'worker-1');
    expect([present.seq, present.lease]).toEqual([lost.seq, lost.lease]);
    expect(present.id).not.toBe(lost.id);
    return present;
  }

  async function expectNoTrace(before: Tables): Promise<void> {
    expect(await tablesOf(world.db)).toEqual(before);
    expect(world.told).toEqual([]);
  }
  const nobody = { changed: false, status: null, why: 'no such delivery' };

  it.each(evidence)('%s, heard of the one, is not written to the other', async (event, more) => {
    const present = await twoOfOneNumber();
    await beginAs('worker-1', present);
    const before = await tablesOf(world.db);
    const { seq, id, lease, round } = lost;
    const report = { seq, id, lease, actor: 'worker-1', event, round, at: 1, messageId: 'm', ...more };
    expect(await world.outbox.record([report as Report])).toMatchObject([nobody]);
    await expectNoTrace(before);
    // With its own name it is.
    expect(await world.outbox.record([{ ...report, id: present.id } as Report])).toMatchObject([
      { changed: true },
    ]);
  });

  it.each(work)('%s, done to the one, is not written to the other', async (event) => {
    const present = await twoOfOneNumber();
    await beginAs('worker-1', present);
    const before = await tablesOf(world.db);
    const { seq, id, lease } = lost;
    const report: Report = { seq, id, lease, actor: 'worker-1', event, dueAt: world.clock.now() + 1 };
    expect(await world.outbox.record([report])).toMatchObject([nobody]);
    await expectNoTrace(before);
    expect(await world.outbox.record([{ ...report, id: present.id }])).toMatchObject([{ changed: true }]);
  });

  it('the id that a provider gave to the one is not kept with an earlier mail of the other', async () => {
    const present = await twoOfOneNumber();
    await beginAs('worker-1', present);
    const now = world.clock.now();
    const own = { seq: present.seq, actor: 'webhook', round: 1, at: now };
    await world.outbox.record([{ ...own, event: 'bounced_for_now', roundsMax: 3, dueAt: now }]);
    const [second] = await world.claim(1);
    if (!second) throw new Error('not claimed');
    await beginAs('worker-1', second);
    const before = await tablesOf(world.db);
    const late: Report = { ...own, id: lost.id, event: 'accepted', messageId: 'the id of the other' };
    expect(await world.outbox.record([late])).toMatchObject([nobody]);
    expect(await tablesOf(world.db)).toEqual(before);
  });

  it('the write-ahead of the one begins nothing for the other, and its mail is not frozen', async () => {
    await twoOfOneNumber();
    const before = await tablesOf(world.db);
    const asked: number[] = [];
    const { sending, stopped } = await world.outbox.begin([composed(lost)], {
      ...{ worker: 'worker-1', account: 'capture', keyWindowMs: 1000 },
      lastCheck: async (batch) => {
        asked.push(...batch.map(({ claimed }) => claimed.seq));
        return new Map();
      },
    });
    expect([sending, asked]).toEqual([[], []]);
    expect(stopped).toMatchObject([nobody]);
    await expectNoTrace(before);
  });

  it('the one is not handed over again because the other may be', async () => {
    const doubted = async (number: number) => {
      const claimed = await claimOne(number, 'worker-1');
      await beginAs('worker-1', claimed);
      const { seq, id, lease } = claimed;
      const dueAt = world.clock.now();
      await world.outbox.record([{ seq, id, lease, actor: 'worker-1', event: 'outcome_unknown', dueAt }]);
      const [held] = await world.outbox.takeUp({ worker: 'worker-1', limit: 1, leaseMs: 60_000 });
      if (!held) throw new Error('not taken up');
      return held;
    };
    const first = await doubted(1);
    await loseCommits(world.db);
    const second = await doubted(2);
    expect([second.seq, second.lease]).toEqual([first.seq, first.lease]);
    const before = await tablesOf(world.db);
    const order = { worker: 'worker-1', account: 'capture', lastCheck: async () => new Map() };
    expect(await world.outbox.resubmit([composed(first)], order)).toEqual([]);
    expect(await tablesOf(world.db)).toEqual(before);
    expect(await world.outbox.resubmit([composed(second)], order)).toHaveLength(1);
  });

  it.each(work)(
    '%s under a lease number that somebody else was given, too, changes nothing',
    async (event) => {
      const mine = await claimOne(1, 'worker-1');
      await loseCommits(world.db);
      const theirs = await claimOne(1, 'worker-2');
      expect([theirs.seq, theirs.id, theirs.lease]).toEqual([mine.seq, mine.id, mine.lease]);
      await beginAs('worker-2', theirs);
      const before = await tablesOf(world.db);
      const { seq, id, lease } = mine;
      const report: Report = { seq, id, lease, actor: 'worker-1', event, dueAt: world.clock.now() + 1 };
      expect(await world.outbox.record([report])).toMatchObject([
        { changed: false, status: 'sending', why: 'lease lost' },
      ]);
      await expectNoTrace(before);
      expect(await world.outbox.record([{ ...report, actor: 'worker-2' }])).toMatchObject([
        { changed: true },
      ]);
    },
  );

  it('nobody begins, or hands over again, what somebody else holds under the same number', async () => {
    const mine = await claimOne(1, 'worker-1');
    await loseCommits(world.db);
    const theirs = await claimOne(1, 'worker-2');
    const before = await tablesOf(world.db);
    const { sending, stopped } = await beginAs('worker-1', mine);
    expect(sending).toEqual([]);
    expect(stopped).toMatchObject([{ changed: false, status: 'claimed', why: 'lease lost' }]);
    await expectNoTrace(before);

    await beginAs('worker-2', theirs);
    const { seq, id, lease } = theirs;
    const dueAt = world.clock.now();
    await world.outbox.record([{ seq, id, lease, actor: 'worker-2', event: 'outcome_unknown', dueAt }]);
    const [held] = await world.outbox.takeUp({ worker: 'worker-2', limit: 1, leaseMs: 60_000 });
    if (!held) throw new Error('not taken up');
    const order = { account: 'capture', lastCheck: async () => new Map() };
    expect(await world.outbox.resubmit([composed(held)], { ...order, worker: 'worker-1' })).toEqual([]);
    expect(await world.outbox.resubmit([composed(held)], { ...order, worker: 'worker-2' })).toHaveLength(1);
  });

  it('what was accepted is believed of whoever had it in hand, with or without the lease', async () => {
    const mine = await claimOne(1, 'worker-1');
    await loseCommits(world.db);
    const theirs = await claimOne(1, 'worker-2');
    await beginAs('worker-2', theirs);
    const { seq, id, round } = mine;
    const heard: Report = { seq, id, actor: 'worker-1', event: 'accepted', round, at: 1, messageId: 'm' };
    expect(await world.outbox.record([heard])).toMatchObject([{ changed: true, status: 'sent' }]);
  });
});

onBothDatabases('seed 485, from end to end', (dialect) => {
  it('commits are lost while a mail is on the wire: the delivery that gets its number is mailed all the same', async () => {
    const world = await createDispatchWorld(dialect);
    try {
      const [first] = await world.enqueue(1);
      let second: number | undefined;
      world.provider.answer(async ({ key }) => {
        if (second === undefined) {
          await loseCommits(world.db);
          [second] = await world.enqueue(2);
        }
        return { kind: 'accepted', messageId: `id-${key}` };
      });
      await world.dispatch().runOnce(signal());
      expect(second).toBe(first);
      expect(await world.find(second)).toMatchObject({ status: 'pending', sent_at: null });
      await world.dispatch().runOnce(signal());
      const row = await world.find(second);
      expect(row).toMatchObject({ status: 'sent', recipient: 'person-2@example.org' });
      expect(world.provider.ledger.map(({ mail }) => mail.to)).toEqual([
        'person-1@example.org',
        'person-2@example.org',
      ]);
    } finally {
      await world.close();
    }
  });

  it('a webhook knows its delivery by the tags of the mail: it moves what a worker holds, and not who has its number', async () => {
    const world = await createWebhookWorld(dialect);
    try {
      const gone = await world.delivery('sending', 1);
      await loseCommits(world.db);
      const present = await world.delivery('sending', 2);
      expect(present.seq).toBe(gone.seq);
      await world.tell('about-the-one', { type: 'email.sent', messageId: 'm1', tags: gone.tags() });
      expect((await world.queries.find(present.id))?.status).toBe('sending');
      await world.tell('about-the-other', { type: 'email.sent', messageId: 'm2', tags: present.tags() });
      expect(await world.queries.find(present.id)).toMatchObject({
        status: 'sent',
        provider_message_id: 'm2',
      });
    } finally {
      await world.close();
    }
  });
});
