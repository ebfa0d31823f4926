import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { openDatabase } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { systemClock } from '../../../src/std/clock.ts';
import { type Ids, systemIds, uuidV5 } from '../../../src/std/ids.ts';
import { silentLog as log } from '../../../src/std/log.ts';
import { connections } from '../counterparts.ts';
import { createJumpingClock } from '../jumping-clock.ts';
import { createLife } from '../life.ts';
import { createScenario, type Trouble, wholeTrouble } from '../scenario.ts';
import { booksTable, lateness, problemsOf } from '../verdict.ts';
import { createLedgerProvider, type Entry, type Kind } from './ledger-provider.ts';

/**
 * All that outlives a process that is killed: what is committed, what the provider has taken, what time it is, what will still
 * fail. Lives on a clock that stands and without sockets depend on nothing else, so two that begin from the same image end
 * alike, and one life shows what a kill at each of its points would leave.
 */
export interface Image {
  /** The database as a file. */
  file: Buffer;
  ledger: readonly Entry[];
  trouble: Trouble;
  now: number;
  /** The same for images that are the same, row by row. */
  fingerprint: string;
}

export interface Lived {
  /** What a kill would have left, by point, at its first passing. */
  images: ReadonlyMap<string, Image>;
  /** What is wrong at the end. */
  problems: string[];
}

export interface ImageWorld {
  /** Left behind by the one before. */
  first: Image;
  /** From an image to where nothing is left to do. `deaths` is how many there were before; without `look`, no images. */
  live(from: Image, life: { deaths: number; look: boolean }): Promise<Lived>;
  close(): void;
}

/** In a folder of its own in `home`. */
export async function createImageWorld(kind: Kind, home: string): Promise<ImageWorld> {
  const folder = mkdtempSync(join(home, `${kind}-`));
  let number = 0;

  /** Opened on a file of its own, with somebody who sees what is committed and nothing else. */
  async function open(from: Omit<Image, 'fingerprint'>, deaths: number) {
    const home = join(folder, String(number++));
    mkdirSync(home);
    const path = join(home, 'life.db');
    writeFileSync(path, from.file);
    const db = await openDatabase(`sqlite:${path}`, { clock: systemClock, log });
    const ledger = [...from.ledger];
    const trouble = { ...from.trouble };
    const clock = createJumpingClock(from.now);
    const parts = {
      ...{ db, clock, provider: createLedgerProvider(kind, ledger, clock) },
      ...{ worker: `worker-${deaths + 1}`, ids: countingIds(`life ${deaths + 1}`) },
    };
    return { home, path, db, ledger, trouble, clock, parts, scenario: createScenario(0, trouble) };
  }

  type Opened = Awaited<ReturnType<typeof open>>;

  function createEye({ path, ledger, trouble, clock }: Opened) {
    const handle = new DatabaseSync(path);
    const version = handle.prepare('PRAGMA data_version');
    const tables = handle
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map((row) => handle.prepare(`SELECT * FROM ${(row as { name: string }).name} ORDER BY rowid`));
    let last: { state: string; image: Image } | undefined;
    return {
      look(): Image {
        const now = clock.now();
        const state = JSON.stringify([version.get(), now, ledger.length, trouble]);
        if (last?.state === state) return last.image;
        const rows = tables.map((table) => table.all());
        const fingerprint = createHash('sha256')
          .update(JSON.stringify([rows, now, ledger, trouble]))
          .digest('hex');
        const image = { file: fileOf(), ledger: [...ledger], trouble: { ...trouble }, now, fingerprint };
        last = { state, image };
        return image;
      },
      close: () => handle.close(),
    };

    /** Everything that is committed, moved out of the log beside the file. */
    function fileOf(): Buffer {
      const moved = handle.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as Record<string, number>;
      if (moved.log !== moved.checkpointed) throw new Error('a reader keeps the log from being moved');
      return readFileSync(path);
    }
  }

  async function live(from: Image, { deaths, look }: { deaths: number; look: boolean }): Promise<Lived> {
    const opened = await open(from, deaths);
    const { db, clock, parts, ledger, scenario } = opened;
    const eye = look ? createEye(opened) : undefined;
    const images = new Map<string, Image>();
    const onFirstPassing = eye && ((point: string) => void images.set(point, eye.look()));
    try {
      await createLife({ onFirstPassing }).live(() => scenario.run(parts));
      const late = deaths > 0 ? lateness(clock.now() - from.now, parts.provider.guarantees) : [];
      const witness = { accepted: ledger.map(({ to }) => to), deaths, name: kind, connections };
      return { images, problems: [...late, ...(await problemsOf(db, scenario, witness))] };
    } finally {
      eye?.close();
      await db.close();
      rmSync(opened.home, { recursive: true });
    }
  }

  const path = join(folder, 'empty.db');
  const empty = await openDatabase(`sqlite:${path}`, { clock: systemClock, log });
  await migrate(empty, { clock: systemClock, ids: systemIds });
  await sql.raw(booksTable).execute(empty.write);
  await empty.close();
  const nothing = {
    file: readFileSync(path),
    ledger: [],
    trouble: wholeTrouble(),
    now: Date.UTC(2026, 0, 1),
  };
  const before = await open(nothing, -1);
  await before.scenario.leaveBehind(before.parts);
  const eye = createEye(before);
  const first = eye.look();
  eye.close();
  await before.db.close();
  return { first, live, close: () => rmSync(folder, { recursive: true, force: true }) };
}

const namespace = '7f2c1f0e-6a57-4c0b-9d55-3c2f6f0f6a11';

/** The same in every life of that name: chance would make two images of one. */
function countingIds(name: string): Ids {
  let count = 0;
  let spans = 0;
  const next = () => createHash('sha256').update(`${name}: ${count++}`).digest();
  return {
    // Of spans alone, which no database keeps: counted apart, so that they change no secret.
    uuid: () => uuidV5(namespace, `${name}: ${spans++}`),
    secret: () => next().subarray(0, 16).toString('base64url'),
  };
}
