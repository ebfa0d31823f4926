import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { type Clock, systemClock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { createCutProxy } from '../support/cut-proxy.ts';
import { emptyDatabase, hasPostgres } from '../support/world.ts';

describe.skipIf(!hasPostgres)('a database that has gone silent', () => {
  it('is not waited for for ever: its connection is cut, and the next one works', async () => {
    const { url, drop } = await emptyDatabase('postgres');
    const proxy = await createCutProxy(url);
    const waits: number[] = [];
    // The same, in a hurry.
    const clock: Clock = {
      ...systemClock,
      sleep(ms, signal) {
        waits.push(ms);
        return systemClock.sleep(ms / 200, signal);
      },
    };
    const db = await openDatabase(proxy.url, { clock, log });
    try {
      proxy.goSilent();
      await expect(sql`SELECT 1`.execute(db.read)).rejects.toThrow('has not answered for 60 s');
      expect(waits).toContain(60_000);
      expect((await sql`SELECT 1`.execute(db.read)).rows).toHaveLength(1);
    } finally {
      await db.close();
      await proxy.close();
      await drop();
    }
  });
});
