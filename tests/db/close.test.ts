import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { emptyDatabase, hasPostgres } from '../support/world.ts';

describe.skipIf(!hasPostgres)('a database that was opened and never asked anything', () => {
  it('leaves no connection behind when it is closed', async () => {
    const { url, drop } = await emptyDatabase('postgres');
    const elsewhere = await openDatabase(new URL('/postgres', url).href, { clock, log });
    const connections = async () => {
      const name = new URL(url).pathname.slice(1);
      const { rows } = await sql`SELECT pid FROM pg_stat_activity WHERE datname = ${name}`.execute(
        elsewhere.read,
      );
      return rows.length;
    };
    try {
      const db = await openDatabase(url, { clock, log });
      expect(await connections()).toBe(1);
      await db.close();
      // Its process ends a moment later; one that is forgotten is kept for ten seconds.
      await expect.poll(connections, { timeout: 5_000 }).toBe(0);
      await db.close();
    } finally {
      await elsewhere.close();
      await drop();
    }
  });
});
