import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { createReports } from '../../src/inbox/reports.ts';
import { onBothDatabases } from '../support/world.ts';
import { createInboxWorld, type InboxWorld } from './inbox-world.ts';

onBothDatabases('what the inbox reports', (dialect) => {
  let world: InboxWorld;
  beforeEach(async () => {
    world = await createInboxWorld(dialect);
  });
  afterEach(() => world.close());

  const signal = new AbortController().signal;
  const dueAt = async () =>
    (await world.db.read.selectFrom('captured_mails').select('report_due_at').execute()).map(
      ({ report_due_at }) => report_due_at,
    );

  it('is told once by however many processes at the same time', async () => {
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.clock.advance(1_000);
    const others = Array.from({ length: 4 }, () => createReports(world));
    await Promise.all(others.map((reports) => reports.once(signal)));
    expect(await world.events()).toEqual([{ type: 'email.delivered', repeats: 0, outcome: 'applied' }]);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
    expect(await dueAt()).toEqual([null]);
  });

  it('is neither lost nor told twice by a crash before the commit', async () => {
    const [seq] = await world.enqueue(1);
    await world.send();
    await world.clock.advance(1_000);
    const dying: Database = {
      ...world.db,
      transaction: (work) =>
        world.db.transaction(async (tx) => {
          await work(tx);
          throw new Error('the process is gone');
        }),
      // Nor does anybody put it off.
      write: undefined as never,
    };
    const before = await dueAt();
    const gone = createReports({ ...world, db: dying });
    await expect(gone.once(signal)).rejects.toThrow();
    expect([await dueAt(), await world.events()]).toEqual([before, []]);
    await world.reports.once(signal);
    expect(await world.events()).toEqual([{ type: 'email.delivered', repeats: 0, outcome: 'applied' }]);
    expect(await world.find(seq)).toMatchObject({ status: 'delivered' });
  });

  it('what cannot be told is told a minute later, and keeps nobody waiting', async () => {
    const [first, second] = await world.enqueue(1, 2);
    await world.send();
    await world.clock.advance(1_000);
    let calls = 0;
    const failing = createReports({
      ...world,
      webhooks: {
        hear: (event, tx) => {
          calls += 1;
          if (calls === 1) throw new Error('not now');
          return world.webhooks.hear(event, tx);
        },
      },
    });
    await expect(failing.once(signal)).rejects.toThrow('not now');
    const statuses = async () => [(await world.find(first))?.status, (await world.find(second))?.status];
    expect((await statuses()).sort()).toEqual(['delivered', 'sent']);
    await world.clock.advance(59_999);
    await failing.once(signal);
    expect((await statuses()).sort()).toEqual(['delivered', 'sent']);
    await world.clock.advance(1);
    await failing.once(signal);
    expect(await statuses()).toEqual(['delivered', 'delivered']);
  });

  it('is nothing where the inbox was opened without it', async () => {
    const { createCapture } = await import('../../src/providers/capture.ts');
    const { systemIds } = await import('../../src/std/ids.ts');
    const { mailTo } = await import('../support/mails.ts');
    const plain = createCapture({ db: world.db, clock: world.clock, ids: systemIds });
    await plain.send({ key: 'k', mail: mailTo(1), startBefore: Infinity, leaseEndsAt: Infinity });
    expect(await dueAt()).toEqual([null]);
  });
});
