import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { schemaState } from '../../src/db/migrate.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { integerBelow, type Random } from '../../src/std/random.ts';
import { checkAgainstPromises, type OutboxEntry } from './books.ts';
import { endOfFrame, pagesUpTo, readWal, readWalIndex, type Wal, type WalIndex } from './wal.ts';

/**
 * A database as a machine finds it that has lost its power: the file and its log, taken while the process stood still, and
 * what others had been told by then. The system's cache is part of the copy, so what was not yet synced is taken away again
 * by `damages`.
 */
export interface Image {
  path: string;
  wal: Wal | null;
  /** So many bytes of the log must be there: whatever is beyond them, nobody outside was told of. */
  floor: number;
  /** The frame up to which it is committed; null when the log and its index spoke of different things. */
  committed: number | null;
  isInCheckpoint: boolean;
}

/** How far a log had got when somebody was last told something. */
export type Told = Pick<WalIndex, 'salt' | 'committed'> | 'all there is';

export function takeImage(live: string, folder: string, told: Told): Image {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'image.db');
  copyFileSync(live, path);
  const wal = readWal(live);
  if (wal) writeFileSync(`${path}-wal`, wal.bytes);
  const index = readWalIndex(live);
  if (!wal || !index || index.salt !== wal.salt || told === 'all there is') {
    // A log that is just being begun anew, or an index that is just being written: here every byte counts.
    return { path, wal, floor: wal?.bytes.length ?? 0, committed: null, isInCheckpoint: false };
  }
  // A log that was begun anew since then has all of the old one in the database, synced. What a checkpoint has begun to write
  // into the database is synced in the log, too, and has to be there to end it.
  const floorFrame = Math.max(told.salt === wal.salt ? told.committed : 0, index.attempted);
  return {
    ...{ path, wal, committed: index.committed, floor: endOfFrame(wal, floorFrame) },
    isInCheckpoint: index.attempted > index.backfilled,
  };
}

/** What a power failure may leave of the same instant. Each answers the first byte of the log that is not as it was. */
export const damages = {
  'as found': () => Infinity,
  'log cut': (image, random) => cutLog(image, someByteFrom(image.floor, image, random)),
  /** Sectors that were never written, or not as they should be; a log that is long enough and empty at its end. */
  'log garbled': (image, random) => {
    const { path, wal, floor } = image;
    if (!wal || floor === wal.bytes.length) return Infinity;
    const bytes = Buffer.from(wal.bytes);
    const starts = Array.from({ length: 1 + integerBelow(random, 8) }, () =>
      someByteFrom(floor, image, random),
    );
    for (const start of starts) {
      const end = Math.min(bytes.length, start + 1 + integerBelow(random, 512));
      if (random.next() < 0.3) bytes.fill(0, start);
      else for (let at = start; at < end; at++) bytes[at] = integerBelow(random, 256);
    }
    writeFileSync(`${path}-wal`, bytes);
    return Math.min(...starts);
  },
  /** Some pages of it are in the database, some are not, some are there in part; the log is as it was. */
  'half a checkpoint': ({ path, wal, committed }, random) => {
    if (!wal || committed === null || committed === 0) return Infinity;
    const { pageSize } = wal;
    const file = readFileSync(path);
    const pages = pagesUpTo(wal, committed);
    const database = Buffer.alloc(Math.max(file.length, Math.max(...pages.keys()) * pageSize));
    file.copy(database);
    for (const [page, bytes] of pages) {
      const chance = random.next();
      const written = chance < 0.5 ? pageSize : chance < 0.6 ? 512 * integerBelow(random, pageSize / 512) : 0;
      bytes.copy(database, (page - 1) * pageSize, 0, written);
    }
    writeFileSync(path, database);
    return Infinity;
  },
} as const satisfies Record<string, (image: Image, random: Random) => number>;

export type Damage = keyof typeof damages;

/** Answers where it was cut. */
function cutLog({ path, wal }: Image, length: number): number {
  if (wal) writeFileSync(`${path}-wal`, wal.bytes.subarray(0, length));
  return wal && length < wal.bytes.length ? length : Infinity;
}

/** What no power failure may leave: the checks must notice. */
export const loseTooMuch = (image: Image) => cutLog(image, Math.floor(image.floor * 0.7));

/** What is committed and not yet told to anybody as often as anything: most of the rest is older than the log itself. */
function someByteFrom(floor: number, { wal, committed }: Image, random: Random): number {
  if (!wal) return floor;
  const isNear = random.next() < 0.7;
  const end = isNear && committed !== null ? endOfFrame(wal, committed + 2) : wal.bytes.length;
  return floor + integerBelow(random, Math.max(0, Math.min(end, wal.bytes.length) - floor) + 1);
}

/** Whether what was committed ends before its end. */
export function isShortened({ wal, committed }: Image, firstBadByte: number): boolean {
  return wal !== null && committed !== null && firstBadByte < endOfFrame(wal, committed);
}

/** A copy of it, to be damaged or gone on from. */
export function copyImage(image: Image, folder: string): Image {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'image.db');
  copyFileSync(image.path, path);
  if (image.wal) writeFileSync(`${path}-wal`, image.wal.bytes);
  return { ...image, path };
}

/** Opens it as the product does, and answers what is wrong with it, one sentence each. */
export async function checkImage(
  { path }: Image,
  known: { answered: Iterable<string>; accepted: Iterable<string> },
): Promise<string[]> {
  let db: Database | undefined;
  try {
    db = await openDatabase(`sqlite:${path}`, { clock, log });
    const ask = async (pragma: string) =>
      (await sql.raw<Record<string, unknown>>(`PRAGMA ${pragma}`).execute((db as Database).write)).rows;
    const wrong: string[] = [];
    const expect = async (pragma: string, wanted: unknown) => {
      const found = (await ask(pragma)).flatMap((row) => Object.values(row));
      if (JSON.stringify(found) !== JSON.stringify(wanted))
        wrong.push(`${pragma}: ${found.slice(0, 3).join('; ')}`);
    };
    await expect('integrity_check', ['ok']);
    // What an image may lack is right only if a commit was synced before anybody acted upon it: 2 is FULL.
    await expect('synchronous', [2]);
    await expect('journal_mode', ['wal']);
    const { pending } = await schemaState(db);
    if (pending.length > 0)
      wrong.push(`migrations are missing: ${pending.map(({ name }) => name).join(', ')}`);
    wrong.push(...(await halfWritten(db)));
    const rows = await outboxOf(db);
    return [...wrong, ...checkAgainstPromises(known.answered, rows, known.accepted)];
  } catch (error) {
    return [`it cannot be read: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await db?.close();
  }
}

/** What is written in one transaction is there as a whole. The tables have no foreign keys that would say so. */
async function halfWritten(db: Database): Promise<string[]> {
  const { rows } = await sql<{ problem: string }>`
    SELECT 'a delivery without its mail: ' || recipient AS problem FROM deliveries WHERE NOT EXISTS (
      SELECT 1 FROM delivery_mails WHERE delivery_seq = deliveries.seq AND delivery_mails.round = deliveries.round)
    UNION ALL
    SELECT 'a mail without a delivery: ' || delivery_seq FROM delivery_mails
    WHERE delivery_seq NOT IN (SELECT seq FROM deliveries)
    UNION ALL
    SELECT 'an event without a delivery: ' || delivery_seq FROM delivery_events
    WHERE delivery_seq NOT IN (SELECT seq FROM deliveries)
  `.execute(db.read);
  return rows.map(({ problem }) => problem);
}

export const outboxOf = (db: Database): Promise<OutboxEntry[]> =>
  db.read.selectFrom('deliveries').select(['recipient', 'status', 'sent_at']).execute();
