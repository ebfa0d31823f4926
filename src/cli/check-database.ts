import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, openDatabase } from '../db/database.ts';
import { createDatabaseClock } from '../db/database-clock.ts';
import { sqlitePathOf } from '../db/dialect.ts';
import { schemaState } from '../db/migrate.ts';
import type { Config } from '../settings.ts';
import { systemClock } from '../std/clock.ts';
import { duration } from '../std/duration.ts';
import type { Log } from '../std/log.ts';
import { isInMemory } from './context.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { missingFileOf } from './missing-database.ts';
import { printable, shellWord } from './printable.ts';
import { withoutCredentials, withoutPasswords } from './redact.ts';

export type DatabaseCheckup = { url: string } & (
  | { state: 'not made yet' | 'in memory' }
  | { state: 'broken'; problem: string }
  | { state: 'reachable'; applied: number; pending: string[] }
);

/** Is it there, up to date and writable, is there room, and does its clock agree with ours? */
export async function checkDatabase(
  config: Config,
  log: Log,
): Promise<{ database: DatabaseCheckup; findings: Finding[] }> {
  const url = withoutCredentials(config.databaseUrl);
  if (isInMemory(config)) {
    const sentence = 'The database is in memory: everything is forgotten when the process ends.';
    const cure = 'Set DATABASE_URL to a file or to PostgreSQL.';
    return { database: { url, state: 'in memory' }, findings: [note(sentence, cure)] };
  }
  // Opening would make it, and whoever asks in the wrong folder should not find one there afterwards.
  const missing = missingFileOf(config.databaseUrl);
  if (missing !== null) {
    const sentence = `The database ${url} is not made yet: there is no file ${printable(missing)}.`;
    const cure =
      'npm start makes it. If your server has one already, run this in the folder of the server, or set DATABASE_URL.';
    const findings = [note(sentence, cure), ...unwritableFinding(missing)];
    return { database: { url, state: 'not made yet' }, findings };
  }
  let db: Database | undefined;
  try {
    db = await openDatabase(config.databaseUrl, { clock: systemClock, log });
    const { applied, pending } = await schemaState(db);
    const names = pending.map(({ name }) => name);
    const findings = [
      migrationsFinding(applied.length, names),
      ...(names.length === 0 ? [await writableFinding(db)] : []),
      ...(db.dialect === 'sqlite' ? fileFindings(sqlitePathOf(config.databaseUrl)) : []),
      // The latest time that was seen is kept in a table, and an empty database has none.
      ...(applied.length > 0 ? [await clockFinding(db, log)] : []),
    ];
    return { database: { url, state: 'reachable', applied: applied.length, pending: names }, findings };
  } catch (error) {
    const text = textOf(error);
    const sentence = `The database ${url} cannot be used. ${printable(text)}`;
    const cure = 'Mend what it says, then run this again; nothing is sent or lost meanwhile.';
    return { database: { url, state: 'broken', problem: text }, findings: [problem(sentence, cure)] };
  } finally {
    await db?.close();
  }
}

export function textOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { message?: string; code?: string };
  return withoutPasswords(message || code || String(error));
}

function migrationsFinding(applied: number, pending: readonly string[]): Finding {
  if (applied === 0) {
    const sentence = 'The database is reachable and still empty.';
    return note(sentence, 'npm start or npx tidings migrate makes its tables.');
  }
  if (pending.length > 0) {
    const sentence = `The database is reachable and lacks ${pending.join(', ')}.`;
    return problem(sentence, 'npm start or npx tidings migrate applies what is missing.');
  }
  return ok(`The database is reachable and up to date (${applied} of ${applied} migrations).`);
}

/** Whether the server, as this user, could make the file: in its folder, or in the nearest above it that is there. */
function unwritableFinding(missing: string): Finding[] {
  let folder = dirname(missing);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return [];
  } catch {
    const sentence = `It cannot be made: this user may not write to ${printable(folder)}.`;
    const cure = 'Make that folder writable for the user of the server, or set DATABASE_URL to another path.';
    return [problem(sentence, cure)];
  }
}

class TakenBack extends Error {}

/** Writes and takes it back: what this user may not write, and a disk that is full, are found here. */
async function writableFinding(db: Database): Promise<Finding> {
  try {
    await db.transaction(async (tx) => {
      await tx.updateTable('instance').set({ only_row: 1 }).execute();
      throw new TakenBack();
    });
  } catch (error) {
    if (!(error instanceof TakenBack)) {
      const cure = 'Let the user of DATABASE_URL write: rights, a read-only replica, or a full disk.';
      return problem(`The database cannot be written to. ${printable(textOf(error))}`, cure);
    }
  }
  return ok('The database can be written to.');
}

const gigabyte = 1e9;
const roomNotedBytes = gigabyte;
const roomNeededBytes = gigabyte / 10;

const fileFindings = (path: string) => [roomFinding(path), ...openToOthers(path)];

/** A new one is private; a restored one is what the shell made of it. */
function openToOthers(path: string): Finding[] {
  const { mode = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  if (process.platform === 'win32' || (mode & 0o004) === 0) return [];
  const sentence = 'Every user of this machine may read the database, with the addresses in it.';
  return [note(sentence, `chmod 600 ${shellWord(path)}`)];
}

function roomFinding(path: string): Finding {
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  const text = free >= gigabyte ? `${(free / gigabyte).toFixed(1)} GB` : `${Math.round(free / 1e6)} MB`;
  const sentence = `${text} are free on the disk of the database.`;
  const cure = 'Make room: on a full disk nothing can be asked for and nothing be sent.';
  if (free < roomNeededBytes) return problem(sentence, cure);
  return free < roomNotedBytes ? note(sentence, cure) : ok(sentence);
}

const skewNotedMs = 2_000;
/** Signatures of webhooks are refused beyond minutes, and people compare logs. */
const skewMaxMs = 60_000;
const steadyLookMs = 200;

async function clockFinding(db: Database, log: Log): Promise<Finding> {
  if (db.dialect === 'sqlite') return ok('The clock is that of this machine, as for all who use this file.');
  const clock = await createDatabaseClock(db, systemClock, log);
  await systemClock.sleep(steadyLookMs);
  await clock.measure();
  const cure = 'Let both machines keep time by NTP. Deliveries go by the clock of the database meanwhile.';
  if (!clock.isSteady)
    return problem("The database's clock jumps: nothing is claimed until it is steady.", cure);
  return skewFinding(systemClock.now() - clock.now(), cure);
}

export function skewFinding(skewMs: number, cure: string): Finding {
  const apart = Math.abs(skewMs);
  if (apart <= skewNotedMs)
    return ok(`The clocks of this machine and of the database agree within ${duration(Math.max(1, apart))}.`);
  const sentence = `The clock of this machine is ${duration(apart)} ${skewMs > 0 ? 'ahead of' : 'behind'} the database's.`;
  return apart > skewMaxMs ? problem(sentence, cure) : note(sentence, cure);
}
