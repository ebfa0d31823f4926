import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { createSeededRandom, integerBelow, type Random } from '../../src/std/random.ts';
import { counted } from '../options.ts';
import { type Comparison, compareBooks, isOpen } from './books.ts';
import { type Client, createClient } from './client.ts';
import { openScene, type Scene } from './scene.ts';
import type { Victim } from './victim.ts';

/**
 * Several processes on one database, each killed and started again and again, while a client asks for mails and a provider
 * that outlives them all takes them. What is random is drawn from the seed; what the machine makes of it is not: the same
 * seed kills at other instants the next time.
 */
export interface Crash {
  /** Resolves when the last kill is done: from then on it is mostly waited. */
  readonly killed: Promise<void>;
  readonly result: Promise<CrashResult>;
}

export interface CrashOrder {
  database: DialectName;
  kills: number;
  processes: number;
  seed: number;
}

export interface CrashResult extends Comparison, Omit<Tally, 'ended'> {
  database: DialectName;
  intents: number;
  /** Questions of the client that a kill cut off. */
  cutOff: number;
  seed: number;
  ms: number;
  /** Where what is left of a run that went wrong is kept. */
  remains: string | null;
}

interface Tally {
  kills: number;
  /** Kills that left a mail of which nobody had yet written down what became of it. */
  inFlightKills: number;
  /** Mails that the provider had accepted at the kill of the process that waited for the answer. */
  unheard: number;
  /** Processes that nobody killed, and that are gone. */
  ended: string[];
}

const ratePerSecond = 200;
/** So much waits at any time: no process is idle for long, and none takes so much that its death leaves a hundred in doubt. */
const backlog = 25;
const clients = 2;
/** A lease is 120 s; the sweep, and a few looks at what is in doubt, are seconds. */
const settleWithinMs = 6 * 60_000;

export function crash(order: CrashOrder, tell: (line: string) => void): Crash {
  let onKilled = () => {};
  const killed = new Promise<void>((resolve) => {
    onKilled = resolve;
  });
  // Whoever waits for the kills must not wait for ever when something breaks before.
  const result = run(order, tell, onKilled).finally(onKilled);
  return { killed, result };
}

async function run(
  order: CrashOrder,
  tell: (line: string) => void,
  onKilled: () => void,
): Promise<CrashResult> {
  const { database, seed } = order;
  const startedAt = clock.monotonic();
  const scene = await openScene({ database, seed, ratePerSecond });
  try {
    const { db, provider } = scene;
    const client = createClient({ urls: () => scene.victims.flatMap(({ url }) => url ?? []) });
    const { ended, ...tally } = await killWhileAsked(scene, client, order, tell);
    onKilled();
    provider.behave();
    await untilSettled(db, tell);
    for (const { url } of scene.victims) if (!url) ended.push('a process is gone that nobody killed');
    const rows = await db.read.selectFrom('deliveries').select(['recipient', 'status', 'sent_at']).execute();
    const comparison = compareBooks(client.asked, rows, mailsOf(scene));
    comparison.wrong.push(...ended);
    return {
      ...{ database, ...tally, intents: client.asked.length, ...comparison, cutOff: client.cutOff, seed },
      ms: Math.round(clock.monotonic() - startedAt),
      remains: comparison.wrong.length > 0 ? await scene.keepRemains() : null,
    };
  } finally {
    await scene.close();
  }
}

/** Ends when there were kills enough, every place has a living process again, and all that was asked is answered. */
async function killWhileAsked(
  scene: Scene,
  client: Client,
  { kills, processes, seed }: CrashOrder,
  tell: (line: string) => void,
): Promise<Tally> {
  const { db } = scene;
  const tally: Tally = { kills: 0, inFlightKills: 0, unheard: 0, ended: [] };
  let isOver = false;
  const failed = new AbortController();

  /** One place: a life after the other. */
  async function live(place: number): Promise<void> {
    const random = createSeededRandom(seed + place * 7_919);
    let victim = scene.victims[place] ?? scene.start(place);
    while (tally.kills < kills && !isOver) {
      const number = ++tally.kills;
      // One in ten dies while it starts: its settings, the tables, the database's own recovery, the port.
      if (random.next() < 0.1) await clock.sleep(integerBelow(random, 700));
      else await untilBusy(victim, db, random);
      const end = await victim.kill();
      if (end !== 'killed') tally.ended.push(`process-${place} ended ${end}`);
      const left = await leftBy(victim, db);
      if (left.length > 0) tally.inFlightKills += 1;
      const accepted = new Set(mailsOf(scene));
      tally.unheard += left.filter((recipient) => accepted.has(recipient)).length;
      if (number % 25 === 0)
        tell(`${number} of ${counted(kills, 'kill')}, ${counted(accepted.size, 'mail')} accepted`);
      victim = scene.start(place);
    }
  }

  const asking = Array.from({ length: clients }, () =>
    client.run({ room: () => hasRoom(db), isOver: () => isOver, aborted: failed.signal }),
  );
  const lives = Array.from({ length: processes }, (_, place) => live(place));
  try {
    await Promise.race([Promise.all(lives), Promise.all(asking)]);
    isOver = true;
    await Promise.all(asking);
  } catch (error) {
    // A client that was refused, a database that is gone: nobody is started any more, and nobody asks.
    isOver = true;
    failed.abort();
    await Promise.allSettled([...lives, ...asking]);
    throw error;
  }
  return tally;
}

const mailsOf = ({ provider }: Scene) => provider.ledger.accepted.flatMap(({ body }) => body.to);

const upWithinMs = 60_000;
/** The others may have taken all there was. */
const busyWithinMs = 3_000;

/** Until some instant of its work; nine times out of ten one at which it has, or has just had, mail on its way. */
async function untilBusy(victim: Victim, db: Database, random: Random): Promise<void> {
  // A sleep that nobody waits for any more would keep this process alive until it is over.
  const waiting = new AbortController();
  await Promise.race([victim.up, clock.sleep(upWithinMs, waiting.signal)]);
  waiting.abort();
  await clock.sleep(integerBelow(random, 500));
  if (random.next() < 0.1) return;
  const giveUpAt = clock.monotonic() + busyWithinMs;
  while (clock.monotonic() < giveUpAt && (await leftBy(victim, db)).length === 0) await clock.sleep(10);
  // Half of them at once, before or at the first byte; half of them somewhere in the batch, or in the next one.
  await clock.sleep(integerBelow(random, random.next() < 0.5 ? 100 : 1_000));
}

// Both are asked many times a second: in the words of an index each, so that no table is read through.

/** The recipients of mails that were begun by this process and of which it has not written down the end. */
async function leftBy({ pid }: Victim, db: Database): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    SELECT recipient FROM deliveries
    WHERE status IN ('claimed', 'sending', 'reconciling') AND status = 'sending' AND locked_by LIKE ${`%:${pid}`}
  `.execute(db.read);
  return rows.map(({ recipient }) => recipient);
}

async function hasRoom(db: Database): Promise<boolean> {
  const { rows } = await sql<{ count: number | string }>`
    SELECT count(*) AS count FROM deliveries
    WHERE source = 'plain' AND status IN ('pending', 'failed_transient') AND lapses < 2
  `.execute(db.read);
  return Number(rows[0]?.count) < backlog;
}

/** Until nothing is left to be looked at, or too long. */
async function untilSettled(db: Database, tell: (line: string) => void): Promise<void> {
  const startedAt = clock.monotonic();
  let told: number | null = null;
  for (let tellAfterMs = 0; ; await clock.sleep(1_000)) {
    const rows = await db.read.selectFrom('deliveries').select('status').execute();
    const open = rows.filter(({ status }) => isOpen(status)).length;
    const elapsedMs = clock.monotonic() - startedAt;
    if (open === 0) return tell(`settled ${Math.round(elapsedMs / 1000)} s after the last kill`);
    if (elapsedMs > settleWithinMs) return tell(`${open} not settled, and no longer waited for`);
    if (elapsedMs < tellAfterMs) continue;
    tellAfterMs += 30_000;
    if (told === null) tell(`${open} not settled yet; ${whyItTakesSoLong}`);
    else if (told !== open) tell(`${open} not settled yet`);
    told = open;
  }
}

const whyItTakesSoLong =
  'what a killed process held is taken over when its lease of two minutes ends, so about two minutes of waiting are normal';
