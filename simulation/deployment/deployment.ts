import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { type RedisServer, startRedis } from '../../tests/support/redis-server.ts';
import { emptyDatabase } from '../../tests/support/world.ts';
import { type Client, createClient } from '../crashtest/client.ts';
import { makeFolder } from '../crashtest/scene.ts';
import { startVictim, type Victim } from '../crashtest/victim.ts';
import { type LimitedProvider, startLimitedProvider } from './provider.ts';

/**
 * What somebody runs who has outgrown one machine, on this one: a PostgreSQL database and a Redis of its own, one process that takes
 * intents, several that send, a provider with a limit, and a client. Whoever holds it may kill any of them.
 */
export interface Deployment {
  readonly db: Database;
  readonly redis: RedisServer;
  readonly provider: LimitedProvider;
  readonly client: Client;
  /** By place; one life after the other. */
  readonly workers: readonly Victim[];
  /** A new life in this place. */
  startWorker(place: number): Victim;
  /** For whoever wants to know what happened: the logs, and the rows of these recipients with their stories. Answers where. */
  keepRemains(recipients: readonly string[]): Promise<string>;
  /** Ends and removes everything. */
  close(): Promise<void>;
}

export interface DeploymentOrder {
  intents: number;
  /** Requests a second that the provider lets pass. */
  limit: number;
  seed: number;
}

/** So many intents in a request: as many as an import in production would send at once. */
const intentsAtOnce = 250;

export async function openDeployment({ intents, limit, seed }: DeploymentOrder): Promise<Deployment> {
  const folder = makeFolder('tidings-crashtest-');
  const undo: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    // The last one first: nobody loses what they stand on.
    for (const step of undo.splice(0).reverse()) await step().catch(() => {});
  };
  try {
    const { url, drop } = await emptyDatabase('postgres');
    undo.push(drop);
    const redis = await startRedis();
    undo.push(redis.stop);
    const provider = await startLimitedProvider({ seed, limit });
    undo.push(provider.close);
    const workers: Victim[] = [];
    undo.push(async () => void (await Promise.all(workers.map((worker) => worker.stop()))));
    const start = (role: 'api' | 'worker', name: string) =>
      startVictim({
        ...{ folder, name },
        env: {
          ...{ ...provider.env, HOST: '127.0.0.1', PROCESS_ROLE: role, DATABASE_URL: url },
          ...{ JOBS_ENABLED: 'true', REDIS_URL: redis.url },
        },
      });
    const startWorker = (place: number) => {
      const worker = start('worker', `worker-${place}`);
      workers[place] = worker;
      return worker;
    };
    // It makes the tables.
    const api = start('api', 'api');
    undo.push(() => api.stop());
    await api.up;
    if (!api.url) throw new Error(`the api process does not start: ${readFileSync(join(folder, 'api.log'))}`);
    const db = await openDatabase(url, { clock, log });
    undo.push(() => db.close());
    const client = createClient({ urls: () => [api.url ?? ''], intentsAtOnce, intentsMax: intents });
    return {
      ...{ db, redis, provider, client, workers, startWorker, close },
      keepRemains: (recipients) => keepRemains(db, folder, recipients),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function keepRemains(db: Database, folder: string, recipients: readonly string[]): Promise<string> {
  const remains = mkdtempSync(join(tmpdir(), 'tidings-crashtest-failed-'));
  cpSync(folder, remains, { recursive: true });
  const some = ['', ...recipients.slice(0, 1_000)];
  const deliveries = await db.read
    .selectFrom('deliveries')
    .selectAll()
    .where('recipient', 'in', some)
    .execute();
  const seqs = [0, ...deliveries.map(({ seq }) => seq)];
  const events = await db.read
    .selectFrom('delivery_events')
    .selectAll()
    .where('delivery_seq', 'in', seqs)
    .orderBy('event_seq')
    .execute();
  writeFileSync(join(remains, 'outbox.json'), JSON.stringify({ deliveries, events }, null, 1));
  return remains;
}
