import { DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { type CutMoment, type CutProxy, createCutProxy } from '../support/cut-proxy.ts';
import { createDispatchWorld, type DispatchWorld, leaseMs, signal } from '../support/dispatch-world.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { advanceUntil, intentNumber, onBothDatabases } from '../support/world.ts';

/** Whatever happens to the database: nothing is lost, nothing is sent twice, and the log says what happened. */
onBothDatabases('a database in trouble', (dialect) => {
  let world: DispatchWorld;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
  });
  afterEach(() => world.close());

  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number);
  async function expectEachSentOnce(count: number): Promise<void> {
    expect(await world.statusesOf()).toEqual({ sent: count });
    const keys = world.provider.ledger.map(({ key }) => key);
    expect([keys.length, new Set(keys).size]).toEqual([count, count]);
    const rows = await world.queries.search({ limit: count + 1 });
    const wrong = rows.filter((row) => row.provider_message_id !== `id-${row.id}` || row.attempts !== 1);
    expect(wrong).toEqual([]);
  }

  it.each([
    ['before', 3],
    ['after', 3],
    ['before', 1],
    ['after', 1],
  ] as const)(
    'a write-ahead that fails %s its commit sends nothing and gives its batch of %i back',
    async (when, count) => {
      await world.enqueue(...numbers(count));
      const begin: Outbox['begin'] = async (batch, order) => {
        if (when === 'after') await world.outbox.begin(batch, order);
        throw new Error('connection lost');
      };
      await expect(world.dispatch({ outbox: { ...world.outbox, begin } }).runOnce(signal())).rejects.toThrow(
        'connection lost',
      );
      expect(await world.statusesOf()).toEqual({ pending: count });
      expect(world.provider.ledger).toEqual([]);
      await world.clock.advance(5_000);
      await world.dispatch().runOnce(signal());
      await expectEachSentOnce(count);
      expect((await world.queries.search({ limit: 9 })).every((row) => row.lapses === 0)).toBe(true);
    },
  );

  async function outboxOn(db: Database): Promise<Outbox> {
    const namespace = await readNamespace(db);
    const listeners = { consent: async () => {}, source: () => undefined };
    return createOutbox({ db, clock: world.clock, log: silentLog, namespace, listeners });
  }

  if (dialect === 'sqlite') {
    /** As if the disk had no room for another page, until `makeRoom`. */
    const fillDisk = async () => {
      const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(world.db.write);
      await sql`PRAGMA max_page_count = ${sql.lit(rows[0]?.page_count)}`.execute(world.db.write);
    };
    const makeRoom = () => sql`PRAGMA max_page_count = 1000000`.execute(world.db.write);

    it('a disk that is full when outcomes are written down: they are kept until there is room', async () => {
      await world.enqueue(...numbers(40));
      let failures = 0;
      const log = createRecordingLog(({ event }) => {
        if (event === 'record.failed' && ++failures === 5) void makeRoom();
      });
      let isFull = false;
      world.provider.answer(async ({ key }) => {
        if (!isFull) await fillDisk();
        isFull = true;
        return { kind: 'accepted', messageId: `id-${key}` };
      });
      await advanceUntil(world.clock, world.dispatch({ log }).runOnce(signal()));
      expect(log.errors()).toContain('record.failed: database or disk is full');
      expect(failures).toBeGreaterThanOrEqual(5);
      await expectEachSentOnce(40);
    });

    it('a disk that is full before anything left: nothing leaves, and all of it does when there is room', async () => {
      await world.enqueue(...numbers(40));
      let isFull = true;
      const begin: Outbox['begin'] = async (batch, order) => {
        if (isFull) await fillDisk();
        return world.outbox.begin(batch, order);
      };
      const log = createRecordingLog(({ event }) => {
        if (event !== 'record.failed') return;
        isFull = false;
        void makeRoom();
      });
      const first = world.dispatch({ outbox: { ...world.outbox, begin }, log }).runOnce(signal());
      await advanceUntil(world.clock, first).catch(() => {});
      expect(log.errors()).toContain('begin.failed: database or disk is full');
      await makeRoom();
      for (let turn = 0; turn < 3; turn++) {
        await world.clock.advance(leaseMs);
        await world.sweep().runOnce();
        await world.dispatch().runOnce(signal());
      }
      await expectEachSentOnce(40);
      await fillDisk();
      const more = numbers(40).map((number) => intentNumber(1000 + number));
      await expect(world.outbox.enqueue(more)).rejects.toThrow('database or disk is full');
      expect(await world.statusesOf()).toEqual({ sent: 40 });
    });

    it('a database that another process keeps locked: outcomes wait for it, and go on when it is free', async () => {
      // Its patience of 15 s is over after three pauses.
      let ms = 0;
      const sleep = async () => {
        ms += 6_000;
      };
      const hurried: Clock = { ...systemClock, monotonic: () => ms, sleep };
      const db = await openDatabase(world.url, { clock: hurried, log: silentLog });
      const other = new DatabaseSync(world.url.replace('sqlite:', ''));
      try {
        await world.enqueue(...numbers(5));
        const log = createRecordingLog(({ event }) => {
          if (event === 'record.failed') other.exec('ROLLBACK');
        });
        world.provider.answer(({ key }) => {
          if (!other.isTransaction) other.exec('BEGIN IMMEDIATE');
          return { kind: 'accepted', messageId: `id-${key}` };
        });
        const outbox = await outboxOn(db);
        await advanceUntil(world.clock, world.dispatch({ outbox, log }).runOnce(signal()));
        expect(log.errors().join()).toMatch(
          /record\.failed: Another process has kept the SQLite database locked/,
        );
        await expectEachSentOnce(5);
      } finally {
        other.close();
        await db.close();
      }
    });
    return;
  }

  /** An outbox whose connection to the server breaks when the test says so; everybody else's holds. */
  async function onBreakingWire(work: (outbox: Outbox, proxy: CutProxy) => Promise<void>): Promise<void> {
    const proxy = await createCutProxy(world.url);
    const db = await openDatabase(proxy.url, { clock: systemClock, log: silentLog });
    try {
      await work(await outboxOn(db), proxy);
    } finally {
      await db.close();
      await proxy.close();
    }
  }
  async function workUntilSettled(outbox: Outbox): Promise<void> {
    for (let turn = 0; turn < 4; turn++) {
      await world.clock.advance(leaseMs);
      await world.sweep().runOnce();
      await world.reconcile().runOnce(signal());
      await advanceUntil(world.clock, world.dispatch({ outbox }).runOnce(signal()));
    }
  }
  const moments: CutMoment[] = ['before', 'after'];
  const lost = /Connection terminated|ECONNRESET/;

  it.each(moments)('a connection lost %s the commit of a claim: it lapses, and all is sent', async (when) => {
    await world.enqueue(1, 2, 3);
    await onBreakingWire(async (outbox, proxy) => {
      proxy.cutNextCommit(when);
      await expect(world.dispatch({ outbox }).runOnce(signal())).rejects.toThrow(lost);
      expect(await world.statusesOf()).toEqual(when === 'after' ? { claimed: 3 } : { pending: 3 });
      await workUntilSettled(outbox);
      expect(proxy.cuts).toBe(1);
    });
    await expectEachSentOnce(3);
  });

  it.each(moments)(
    'a connection lost %s the commit of the write-ahead: nothing left, and nobody doubts it',
    async (when) => {
      await world.enqueue(1, 2, 3);
      await onBreakingWire(async (outbox, proxy) => {
        const begin: Outbox['begin'] = (batch, order) => {
          if (proxy.cuts === 0) proxy.cutNextCommit(when);
          return outbox.begin(batch, order);
        };
        const log = createRecordingLog();
        await world.dispatch({ outbox: { ...outbox, begin }, log }).runOnce(signal());
        expect(log.errors().join()).toMatch(lost);
        expect(log.errors().join()).toMatch(/^begin\.failed/);
        // What was begun without an answer is known not to have left: it waits, and no attempt is counted.
        expect(await world.statusesOf()).toEqual(when === 'after' ? { pending: 3 } : { sent: 3 });
        await world.clock.advance(5_000);
        await world.dispatch({ outbox }).runOnce(signal());
        expect(proxy.cuts).toBe(1);
      });
      await expectEachSentOnce(3);
    },
  );

  it.each(moments)(
    'a connection lost %s the commit of the outcomes: they are written again, nothing is sent again',
    async (when) => {
      await world.enqueue(1, 2, 3);
      await onBreakingWire(async (outbox, proxy) => {
        world.provider.answer(({ key }) => {
          if (proxy.cuts === 0) proxy.cutNextCommit(when);
          return { kind: 'accepted', messageId: `id-${key}` };
        });
        const log = createRecordingLog();
        await advanceUntil(world.clock, world.dispatch({ outbox, log }).runOnce(signal()));
        expect(log.errors().join()).toMatch(lost);
        expect(log.errors().join()).toMatch(/^record\.failed/);
        expect(proxy.cuts).toBe(1);
      });
      await expectEachSentOnce(3);
      expect((await world.queries.story(1)).events.map(({ event }) => event)).toEqual(['accepted']);
    },
  );

  it.each(moments)(
    'a connection lost %s the commit of an intent: who asks again gets it once',
    async (when) => {
      await onBreakingWire(async (outbox, proxy) => {
        proxy.cutNextCommit(when);
        await expect(outbox.enqueue([intentNumber(1)])).rejects.toThrow(lost);
        expect(await outbox.enqueue([intentNumber(1)])).toMatchObject([{ isNew: when === 'before' }]);
        await world.dispatch({ outbox }).runOnce(signal());
      });
      await expectEachSentOnce(1);
    },
  );

  it('a server that ends all connections while mails are on their way: what came of them is written down', async () => {
    await world.enqueue(1, 2, 3);
    const log = createRecordingLog();
    const db = await openDatabase(world.url, { clock: systemClock, log });
    try {
      const endAll = async () => {
        await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`.execute(world.db.read);
        // Long enough for the connections, which nobody uses at this moment, to notice.
        await systemClock.sleep(50);
      };
      let ended: Promise<void> | undefined;
      world.provider.answer(async ({ key }) => {
        ended ??= endAll();
        await ended;
        return { kind: 'accepted', messageId: `id-${key}` };
      });
      const outbox = await outboxOn(db);
      await advanceUntil(world.clock, world.dispatch({ outbox, log }).runOnce(signal()));
      expect(log.lines.map(({ event }) => event)).toContain('database.connection_lost');
      await expectEachSentOnce(3);
    } finally {
      await db.close();
    }
  });
});
