import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { seqsInBlocks } from '../../src/db/in-blocks.ts';
import type { ImportedDelivery } from '../../src/outbox/import.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createOutboxWorld, type OutboxWorld } from '../support/outbox-world.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

onBothDatabases('ids in blocks', (dialect) => {
  let world: OutboxWorld;
  beforeEach(async () => {
    world = await createOutboxWorld(dialect);
  });
  afterEach(() => world.close());

  /** As after so many deliveries, most of which retention has removed. */
  async function goOnFrom(seq: number): Promise<void> {
    if (dialect === 'sqlite')
      await sql`UPDATE sqlite_sequence SET seq = ${seq - 1} WHERE name = 'deliveries'`.execute(
        world.db.write,
      );
    else
      await sql`ALTER TABLE deliveries ALTER COLUMN seq RESTART WITH ${sql.lit(seq)}`.execute(world.db.write);
  }

  const numbers = [1, 8_191, 8_192, 8_193, 2 * 8_192, 17 * 8_192, 18 * 8_192 - 1, 3_000 * 8_192];

  it('finds each, whichever block it is in, by its own id and by the provider’s', async () => {
    await world.outbox.enqueue([intentNumber(0)]);
    const ids = new Map<number, string>();
    for (const seq of numbers.slice(1)) {
      await goOnFrom(seq);
      const [made] = await world.outbox.enqueue([intentNumber(seq)]);
      expect(made?.seq).toBe(seq);
      ids.set(seq, made?.id ?? '');
    }
    await sql`UPDATE deliveries SET provider_message_id = 'of ' || seq`.execute(world.db.write);
    for (const [seq, id] of ids) {
      expect(await world.queries.find(id)).toMatchObject({ seq });
      expect(await world.queries.find(`of ${seq}`)).toMatchObject({ seq });
    }
    expect(await world.queries.find(systemIds.uuid())).toBeUndefined();
    expect(await world.queries.find('of 2')).toBeUndefined();
  });

  it('finds many at once, those of old blocks too, and leaves out who is nowhere', async () => {
    const [first] = await world.outbox.enqueue([intentNumber(0)]);
    await goOnFrom(40 * 8_192);
    const later = await world.outbox.enqueue(
      Array.from({ length: 1_500 }, (_, index) => intentNumber(index + 1)),
    );
    const known = [first, ...later].map((made) => [made?.id ?? '', made?.seq ?? 0] as const);
    const asked = [...known.map(([id]) => id), ...known.map(([id]) => id), systemIds.uuid()];
    const found = await seqsInBlocks(world.db.read, dialect, 'id', asked);
    expect(new Map(found)).toEqual(new Map(known));
  });

  it('numbers that nobody has cost nothing: a miss asks the blocks that there are', async () => {
    await world.outbox.enqueue([intentNumber(0)]);
    await goOnFrom(1_000_000 * 8_192);
    const [made] = await world.outbox.enqueue([intentNumber(1)]);
    const startedAt = performance.now();
    const nobody = systemIds.uuid();
    const found = await seqsInBlocks(world.db.read, dialect, 'id', [nobody, made?.id ?? '']);
    expect([...found]).toEqual([[made?.id, made?.seq]]);
    // A million looks would take seconds; two take no time, whatever else the machine does.
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('an import brings an id of its own once, whatever it calls the delivery', async () => {
    const id = systemIds.uuid();
    const ended: ImportedDelivery = {
      ...{ id, source: 'plain', occasion: 'x', recipient: 'a', toEmail: null, attempts: 0, createdAt: 1 },
      ...{ lastAttemptAt: null, sentAt: null, providerMessageId: null, error: null },
      lane: 'bulk',
      end: 'unsent',
    };
    expect([...(await world.outbox.importEnded([ended]))]).toEqual([0]);
    expect([...(await world.outbox.importEnded([{ ...ended, recipient: 'b' }]))]).toEqual([]);
    expect([...(await world.outbox.importEnded([ended, { ...ended, id: null, recipient: 'b' }]))]).toEqual([
      1,
    ]);
    expect(await world.queries.find(id)).toMatchObject({ recipient: 'a' });
  });

  it('finds nothing where nothing is', async () => {
    expect((await seqsInBlocks(world.db.read, dialect, 'id', [systemIds.uuid()])).size).toBe(0);
    expect((await seqsInBlocks(world.db.read, dialect, 'id', [])).size).toBe(0);
  });
});
