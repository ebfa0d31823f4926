import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import { dialectOf } from '../db/dialect.ts';
import { schemaState } from '../db/migrate.ts';
import { type Status, statusNames } from '../domain/status.ts';
import { meanings } from '../domain/tell-now.ts';
import { urlOf } from '../http/listen.ts';
import { createQueries } from '../outbox/queries.ts';
import { systemClock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { isInMemory } from './context.ts';
import { withoutCredentials, withoutPasswords } from './redact.ts';

/** What `doctor` finds: it looks, and changes nothing. */
export interface Checkup {
  database: DatabaseCheckup;
  /** Null where there is no database to look into. */
  deliveries: DeliveriesCheckup | null;
  server: { url: string; answer: 'tidings' | 'something else' | 'nothing' | 'port not known' };
}

export type DatabaseCheckup = { url: string } & (
  | { state: 'not made yet' | 'in memory' }
  | { state: 'broken'; problem: string }
  | { state: 'reachable'; applied: number; pending: string[] }
);

export interface DeliveriesCheckup {
  counts: { status: Status; count: number }[];
  /** The waiting delivery that is due longest. */
  oldestDue: { source: string; dueAt: string; lateMs: number } | null;
  needPerson: number;
  /** In a worker's hands for longer than it may be; the sweep of a running worker frees them within seconds. */
  stuck: { count: number; isMore: boolean };
}

export async function checkUp(config: Config, log: Log): Promise<Checkup> {
  const server = await askServer(config);
  const url = withoutCredentials(config.databaseUrl);
  if (isInMemory(config)) return { database: { url, state: 'in memory' }, deliveries: null, server };
  if (isMissingFile(config.databaseUrl))
    return { database: { url, state: 'not made yet' }, deliveries: null, server };
  let db: Database | undefined;
  try {
    db = await openDatabase(config.databaseUrl, { clock: systemClock, log });
    const { applied, pending } = await schemaState(db);
    const names = pending.map(({ name }) => name);
    const database: DatabaseCheckup = { url, state: 'reachable', applied: applied.length, pending: names };
    return { database, deliveries: names.length === 0 ? await look(db, log) : null, server };
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    const problem = withoutPasswords(message || code || String(error));
    return { database: { url, state: 'broken', problem }, deliveries: null, server };
  } finally {
    await db?.close();
  }
}

/** Opening would make it, and whoever asks in the wrong folder should not find one there afterwards. */
function isMissingFile(databaseUrl: string): boolean {
  return dialectOf(databaseUrl) === 'sqlite' && !existsSync(databaseUrl.replace(/^sqlite:(\/\/)?/, ''));
}

const stuckCountedMax = 500;

async function look(db: Database, log: Log): Promise<DeliveriesCheckup> {
  const queries = createQueries(db);
  const now = (await createDatabaseClock(db, systemClock, log)).now();
  const bySource = await queries.counts();
  const counts = statusNames
    .map((status) => ({
      status,
      count: bySource.reduce((sum, row) => sum + (row.status === status ? row.count : 0), 0),
    }))
    .filter(({ count }) => count > 0);

  let oldest: { source: string; dueAt: number } | undefined;
  for (const source of new Set(bySource.map((row) => row.source))) {
    const dueAt = await queries.oldestDueAt(source);
    if (dueAt !== null && dueAt <= now && (!oldest || dueAt < oldest.dueAt)) oldest = { source, dueAt };
  }
  const stuck = await queries.overdue(['claimed', 'sending'], true, now, stuckCountedMax);
  return {
    counts,
    oldestDue: oldest
      ? { source: oldest.source, dueAt: new Date(oldest.dueAt).toISOString(), lateMs: now - oldest.dueAt }
      : null,
    needPerson: counts
      .filter(({ status }) => meanings[status] === 'needs a person')
      .reduce((sum, { count }) => sum + count, 0),
    stuck: { count: stuck.length, isMore: stuck.length === stuckCountedMax },
  };
}

const answerWithinMs = 1_000;

async function askServer({ host, port }: Config): Promise<Checkup['server']> {
  const url = `${urlOf(host, port)}/health`;
  if (port === 0) return { url, answer: 'port not known' };
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
    const text = (await response.text()).slice(0, 1_000);
    return { url, answer: response.ok && text.includes('"status":"ok"') ? 'tidings' : 'something else' };
  } catch (error) {
    // A server that is there and does not answer in time is not one that answers.
    return { url, answer: (error as Error).name === 'TimeoutError' ? 'something else' : 'nothing' };
  }
}
