import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { emptyDatabase } from '../../tests/support/world.ts';
import { type Provider, startProvider } from './provider.ts';
import { startVictim, type Victim } from './victim.ts';

/** A database of its own, a provider, and so many places for processes, of which each holds one life after the other. */
export interface Scene {
  readonly db: Database;
  readonly provider: Provider;
  /** By place; there is always one once it was started, though it may be dead. */
  readonly victims: readonly Victim[];
  /** A new life in this place. */
  start(place: number): Victim;
  /** For whoever wants to know what happened: logs, the provider's books, every delivery with its story. Answers where. */
  keepRemains(): Promise<string>;
  /** Ends and removes everything. */
  close(): Promise<void>;
}

export interface SceneOrder {
  database: DialectName;
  seed: number;
  ratePerSecond: number;
  /** Where somebody else is the provider. */
  env?: Readonly<Record<string, string>>;
}

export async function openScene({ database, seed, ratePerSecond, env: given }: SceneOrder): Promise<Scene> {
  const folder = makeFolder('tidings-crashtest-');
  const { url, drop } = await emptyDatabase(database);
  const provider = await startProvider({ seed, ratePerSecond });
  const victims: Victim[] = [];
  let db: Database | undefined;

  const start = (place: number) => {
    const env = { ...(given ?? provider.env), DATABASE_URL: url };
    const victim = startVictim({ env, folder, name: logName(place) });
    victims[place] = victim;
    return victim;
  };

  async function close(): Promise<void> {
    await db?.close();
    await Promise.all(victims.map((victim) => victim.stop()));
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
    await drop();
  }

  try {
    // The first one makes the tables.
    const first = start(0);
    await first.up;
    if (!first.url)
      throw new Error(`the first process does not start: ${readFileSync(join(folder, `${logName(0)}.log`))}`);
    const opened = await openDatabase(url, { clock, log });
    db = opened;
    return {
      ...{ db: opened, provider, victims, start, close },
      keepRemains: () => keepRemains(opened, folder, provider),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const logName = (place: number) => `process-${place}`;

async function keepRemains(db: Database, folder: string, { ledger }: Provider): Promise<string> {
  const remains = mkdtempSync(join(tmpdir(), 'tidings-crashtest-failed-'));
  cpSync(folder, remains, { recursive: true });
  if (db.dialect === 'sqlite') await sql`VACUUM INTO ${join(remains, 'outbox.db')}`.execute(db.write);
  const deliveries = await db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();
  const events = await db.read.selectFrom('delivery_events').selectAll().orderBy('event_seq').execute();
  writeFileSync(join(remains, 'outbox.json'), JSON.stringify({ deliveries, events }, null, 1));
  writeFileSync(join(remains, 'provider.json'), JSON.stringify(ledger.accepted, null, 1));
  return remains;
}

export function makeFolder(prefix: string): string {
  const root = process.env.TIDINGS_TEST_TMP ?? tmpdir();
  mkdirSync(root, { recursive: true });
  return mkdtempSync(join(root, prefix));
}
