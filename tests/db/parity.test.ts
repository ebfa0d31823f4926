import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { readMigrations } from '../../src/db/migrate.ts';
import { lanes } from '../../src/domain/delivery.ts';
import { statuses, statusNames } from '../../src/domain/status.ts';
import { createWorld, type World } from '../support/world.ts';

/** The two dialects are written by hand; what they make must be the same but for the types. */
describe.skipIf(!process.env.TIDINGS_TEST_POSTGRES_URL)('the two databases', () => {
  let sqlite: World;
  let postgres: World;
  beforeAll(async () => {
    sqlite = await createWorld('sqlite');
    postgres = await createWorld('postgres');
  });
  afterAll(async () => {
    await sqlite.close();
    await postgres.close();
  });

  it('have migrations of the same names, numbered without a gap', () => {
    const names = readMigrations('sqlite').map(({ name }) => name);
    expect(readMigrations('postgres').map(({ name }) => name)).toEqual(names);
    expect(names.map((name) => name.slice(0, 4))).toEqual(
      names.map((_, index) => String(index + 1).padStart(4, '0')),
    );
  });

  it('have the same tables, columns, nullability and primary keys', async () => {
    const here = await sqliteColumns(sqlite.db);
    expect(here.length).toBeGreaterThan(60);
    expect(here.filter(({ kind }) => kind === undefined)).toEqual([]);
    expect(await postgresColumns(postgres.db)).toEqual(here);
  });

  it('have the same indexes: name, table, uniqueness, columns and condition', async () => {
    const here = await sqliteIndexes(sqlite.db);
    expect(here.length).toBeGreaterThan(10);
    expect(await postgresIndexes(postgres.db)).toEqual(here);
  });

  it('have the same named checks, in the same words', async () => {
    const here = checksIn(readMigrations('sqlite').map(({ text }) => text));
    expect(Object.keys(here).length).toBeGreaterThan(8);
    expect(checksIn(readMigrations('postgres').map(({ text }) => text))).toEqual(here);
    const { rows } = await sql<{ name: string }>`
      SELECT conname AS name FROM pg_constraint JOIN pg_namespace n ON n.oid = connamespace
      WHERE contype = 'c' AND nspname = 'public'
    `.execute(postgres.db.read);
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(here).sort());
  });

  it('the checks list the constants of the life cycle', () => {
    const checks = checksIn(readMigrations('sqlite').map(({ text }) => text));
    const listed = (name: string) => [...(checks[name] ?? '').matchAll(/'(\w+)'/g)].map((match) => match[1]);
    expect(listed('deliveries_status')).toEqual(statusNames);
    expect(listed('deliveries_lane')).toEqual([...lanes]);
    expect(listed('deliveries_due')).toEqual(statusNames.filter((status) => statuses[status].isDue));
    const inDoubt = statusNames.filter((status) => statuses[status].mailExists === 'perhaps');
    expect(listed('deliveries_doubt')).toEqual(['failed_permanent', ...inDoubt]);
    expect(listed('deliveries_accepted')).toEqual(
      statusNames.filter((status) => statuses[status].mailExists === 'yes'),
    );
  });

  it.each(['sqlite', 'postgres'] as const)(
    '%s refuses rows that the life cycle does not allow',
    async (dialect) => {
      const { db, outbox } = dialect === 'sqlite' ? sqlite : postgres;
      const [made] = await outbox.enqueue([
        { source: 'plain', occasion: dialect, recipient: 'r', lane: 'bulk' },
      ]);
      const set = (values: object) =>
        db.transaction((tx) =>
          tx
            .updateTable('deliveries')
            .set(values)
            .where('seq', '=', made?.seq ?? 0)
            .execute(),
        );
      await expect(set({ status: 'lost' })).rejects.toThrow(/deliveries_status/);
      await expect(set({ lane: 'fast' })).rejects.toThrow(/deliveries_lane/);
      await expect(set({ due_at: null })).rejects.toThrow(/deliveries_due/);
      await expect(set({ status: 'claimed' })).rejects.toThrow(/deliveries_held/);
      await expect(set({ status: 'sending', locked_by: 'w' })).rejects.toThrow(/deliveries_doubt/);
      await expect(set({ first_possible_accept_at: 1 })).rejects.toThrow(/deliveries_doubt/);
      await expect(set({ status: 'sent' })).rejects.toThrow(/deliveries_accepted/);
      await expect(set({ locked_by: 'w' })).rejects.toThrow(/deliveries_free/);
      await expect(set({ attempts: -1 })).rejects.toThrow(/deliveries_counts/);
    },
  );
});

interface Column {
  table: string;
  column: string;
  isNullable: boolean;
  keyPosition: number;
  kind: string | undefined;
}

/** UUIDs are text in SQLite; all integers are numbers to us. */
const kinds: Readonly<Record<string, string>> = {
  INTEGER: 'integer',
  BIGINT: 'integer',
  bigint: 'integer',
  integer: 'integer',
  REAL: 'fraction',
  'double precision': 'fraction',
  TEXT: 'text',
  text: 'text',
  uuid: 'text',
};

async function sqliteColumns(db: Database): Promise<Column[]> {
  const { rows } = await sql<{ table: string; column: string; not_null: number; pk: number; type: string }>`
    SELECT m.name AS "table", c.name AS "column", c."notnull" AS not_null, c.pk, c.type FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.name, c.name
  `.execute(db.read);
  return rows.map((row) => ({
    table: row.table,
    column: row.column,
    isNullable: row.not_null === 0,
    keyPosition: row.pk,
    kind: kinds[row.type],
  }));
}

async function postgresColumns(db: Database): Promise<Column[]> {
  const { rows } = await sql<{
    table: string;
    column: string;
    nullable: string;
    position: number;
    type: string;
  }>`
    SELECT c.table_name AS "table", c.column_name AS "column", c.is_nullable AS nullable, c.data_type AS type,
      coalesce(k.ordinal_position, 0)::int AS position
    FROM information_schema.columns c
    LEFT JOIN information_schema.table_constraints t
      ON t.table_name = c.table_name AND t.table_schema = c.table_schema AND t.constraint_type = 'PRIMARY KEY'
    LEFT JOIN information_schema.key_column_usage k
      ON k.constraint_name = t.constraint_name AND k.column_name = c.column_name AND k.table_schema = c.table_schema
    WHERE c.table_schema = 'public' AND c.table_name NOT IN (SELECT table_name FROM information_schema.views WHERE table_schema = 'public') ORDER BY c.table_name COLLATE "C", c.column_name COLLATE "C"
  `.execute(db.read);
  return rows.map(({ table, column, nullable, position, type }) => ({
    table,
    column,
    isNullable: nullable === 'YES',
    keyPosition: position,
    kind: kinds[type],
  }));
}

async function sqliteIndexes(db: Database): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    SELECT sql AS text FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name
  `.execute(db.read);
  return rows.map(({ text }) => normalised(text));
}

async function postgresIndexes(db: Database): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    SELECT indexdef AS text FROM pg_indexes WHERE schemaname = 'public' AND indexname NOT LIKE '%_pkey' ORDER BY indexname COLLATE "C"
  `.execute(db.read);
  return rows.map(({ text }) => normalised(text));
}

/** One spelling for what PostgreSQL prints and what SQLite keeps as it was written. */
function normalised(text: string): string {
  return text
    .replaceAll(/ COLLATE (?:"C"|BINARY)/g, ' by bytes')
    .replaceAll(/public\.| USING btree|::text\b|[()[\]"]/g, ' ')
    .replaceAll(/ = ANY ARRAY| IN /g, ' in ')
    .replaceAll(/= ANY\s+ARRAY/g, 'in')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' ,', ',')
    .trim()
    .toLowerCase();
}

function checksIn(texts: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const text of texts) {
    for (const match of text.matchAll(/CONSTRAINT (\w+) CHECK \((.*)\)[,;]?$/gm))
      found[match[1] ?? ''] = match[2] ?? '';
  }
  return found;
}
