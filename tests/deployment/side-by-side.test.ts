import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { migrate, readMigrations } from '../../src/db/migrate.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { type CommandLine, createCommandLine } from '../cli/command-line.ts';
import { emptyDatabase, onBothDatabases } from '../support/world.ts';

/** What docs/deployment.md says of an update in which new processes migrate while old ones run. */
onBothDatabases('a newer version migrates', (dialect) => {
  let shell: CommandLine;
  let own: Awaited<ReturnType<typeof emptyDatabase>>;
  beforeEach(async () => {
    shell = createCommandLine();
    own = await emptyDatabase(dialect);
  });
  afterEach(async () => {
    await shell.close();
    await own.drop();
  });

  async function migrateFurther(): Promise<void> {
    const db = await openDatabase(own.url, { clock: systemClock, log: silentLog });
    const text = 'ALTER TABLE deliveries ADD COLUMN shape TEXT; CREATE TABLE shapes (name TEXT PRIMARY KEY)';
    const later = { version: 9001, name: '9001_later', checksum: 'x', text };
    try {
      const migrations = [...readMigrations(dialect), later];
      await migrate(db, { clock: systemClock, ids: systemIds, migrations });
    } finally {
      await db.close();
    }
  }

  test('what runs goes on and says that it is not ready; what is started refuses', async () => {
    const env = { DATABASE_URL: own.url, PORT: '0', LOG_LEVEL: 'error' };
    const server = shell.start(['serve', '--json'], { env });
    const [text] = await server.until(/\{[^}]*\}\n/);
    const { url } = JSON.parse(text) as { url: string };
    const told = async (occasion: string) => {
      const answer = await fetch(`${url}/api/v1/intents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ occasion, to: 'ana@example.org', variables: { subject: occasion, text: 'Hello.' } },
        }),
      });
      expect(answer.status).toBe(201);
      const inbox = async () => (await fetch(`${url}/api/v1/inbox`)).text();
      await expect.poll(inbox, { timeout: 30_000 }).toContain(`"subject":"${occasion}"`);
    };
    await told('before');
    expect((await fetch(`${url}/ready`)).status).toBe(200);

    await migrateFurther();

    const ready = await fetch(`${url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      {
        status: 'not ready',
        checks: { database: 'ok', schema: 'not understood', runner: 'ok', redis: 'not in this process' },
      },
    ]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await told('after');

    for (const command of [['serve'], ['migrate'], ['deliveries', 'list']]) {
      expect(await shell.run(command, { env })).toMatchObject({
        code: 2,
        err: expect.stringMatching(/^The database is newer than this program: .*9001_later/),
      });
    }
    server.signal('SIGTERM');
    expect(await server.ended).toMatchObject({ code: 0, err: '' });
  });
});
