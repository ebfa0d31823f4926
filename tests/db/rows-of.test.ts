import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { rowsOf } from '../../src/db/dialect.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';

/** Whatever goes in as a batch comes out as it was: on PostgreSQL it is written in a form that no driver looks at. */
onBothDatabases('many rows as one table', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());

  const columns = { number: 'number', text: 'text', id: 'uuid' } as const;
  type Row = Record<keyof typeof columns, string | number | null>;
  const readBack = async (rows: readonly Row[]) => {
    const { rows: found } = await sql<Row>`
      SELECT number, text, CAST(id AS text) AS id FROM ${rowsOf(dialect, columns, rows)}`.execute(
      world.db.read,
    );
    return found;
  };
  const id = '0a1b2c3d-4e5f-5a6b-8c7d-9e0f1a2b3c4d';

  it('nothing, nobody, and the ends of what there is', async () => {
    expect(await readBack([])).toEqual([]);
    const rows = [
      { number: null, text: null, id: null },
      { number: 0, text: '', id },
      { number: Number.MAX_SAFE_INTEGER, text: 'NULL', id },
      { number: Number.MIN_SAFE_INTEGER, text: 'x'.repeat(1_000_000), id },
      { number: -1, text: '-', id },
      { number: 2 ** 32, text: '4294967296', id },
    ];
    expect(await readBack(rows)).toEqual(rows);
  });

  it.each([
    '{"a", \\"b\\"}',
    'a\\b\\\\c',
    'one\ntwo\r\nthree\tfour',
    'ăîșț 你好 👩‍👩‍👧 \u200e\ufeff',
    "'; DROP TABLE deliveries; --",
    '$1 ? :name',
  ])('%j', async (text) => {
    const rows = [
      { number: 1, text, id },
      { number: 2, text: null, id: null },
      { number: 3, text: text.repeat(500), id },
    ];
    expect(await readBack(rows)).toEqual(rows);
  });
});
