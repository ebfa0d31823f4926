import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { request } from 'undici';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import { previousPeriod } from '../../src/sources/newsletters/period.ts';
import { wisherOf } from '../../src/sources/newsletters/recipient.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { type Comparison, compareBooks, isOpen } from './books.ts';
import { startCountingProvider } from './counting-provider.ts';
import { addFollowers, emailOf, userIdOf } from './followers.ts';
import { openScene, type Scene } from './scene.ts';
import type { Victim } from './victim.ts';

/**
 * One run of a newsletter for very many people: collected, composed and sent by whole processes that are killed at random moments of
 * it and started again. At the end everybody has one delivery and one mail, by the outbox and by the provider, and no process
 * ever needed more memory than it may.
 */
export interface NewsletterOrder {
  database: DialectName;
  people: number;
  kills: number;
  processes: number;
  seed: number;
}

export interface NewsletterResult extends Comparison {
  database: DialectName;
  people: number;
  kills: number;
  /** Of the process that had most at once. */
  memoryMb: number;
  ms: number;
  /** Until all were composed, and from the trigger on. */
  composedMs: number;
  seed: number;
}

const ratePerSecond = 10_000;
/** A lease of this source is a quarter of an hour. */
const settleWithinMs = 25 * 60_000;
const lookEveryMs = 500;
/** With a hundred thousand on the list as with a hundred: a run is worked at page by page. */
const memoryMbMax = 300;

export async function crashNewsletter(
  order: NewsletterOrder,
  tell: (line: string) => void,
): Promise<NewsletterResult> {
  const { database, people, seed } = order;
  const provider = await startCountingProvider({ seed, ratePerSecond });
  try {
    const scene = await openScene({ database, seed, ratePerSecond, env: provider.env });
    try {
      const { key } = previousPeriod('monthly', clock.now());
      await addFollowers(scene.db, people, previousPeriod('monthly', clock.now()), clock.now());
      for (let place = 1; place < order.processes; place++) scene.start(place);
      tell(`${people} people follow a town hall; ${key} is told to them`);
      const startedAt = clock.monotonic();
      await trigger(scene);
      const { memoryMb, composedMs, ended } = await killAlong(scene, order, tell);
      const rows = await scene.db.read
        .selectFrom('deliveries')
        .select(['recipient', 'status', 'sent_at'])
        .execute();
      const outbox = rows.map((row) => ({ ...row, recipient: emailByUser(wisherOf(row.recipient).userId) }));
      const asked = Array.from({ length: people }, (_, number) => emailOf(number));
      const accepted = [...provider.accepted].flatMap(([address, count]) =>
        Array<string>(count).fill(address),
      );
      const comparison = compareBooks(asked, outbox, accepted);
      comparison.wrong.push(...ended);
      if (memoryMb > memoryMbMax)
        comparison.wrong.push(`a process had ${memoryMb} MB, more than the ${memoryMbMax} it may have`);
      const ms = Math.round(clock.monotonic() - startedAt);
      return { ...comparison, database, people, kills: order.kills, memoryMb, composedMs, ms, seed };
    } finally {
      await scene.close();
    }
  } finally {
    await provider.close();
  }
}

const emailByUser = (userId: string) => emailOf(Number(userId.slice(userIdOf(0).length - 1)));

async function trigger({ victims }: Scene): Promise<void> {
  const url = victims.find((victim) => victim.url !== undefined)?.url;
  const { statusCode, body } = await request(`${url}/api/v1/notifications/trigger`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ notificationType: 'newsletter_entity_monthly' }),
  });
  const answer = (await body.json()) as { collectJobEnqueued?: boolean };
  if (statusCode !== 200 || !answer.collectJobEnqueued)
    throw new Error(`the trigger was answered ${statusCode}`);
}

/** Kills at random moments of the whole way, from the first page to the last mail, and waits until nothing is left to do. */
async function killAlong(
  scene: Scene,
  { people, kills, processes, seed }: NewsletterOrder,
  tell: (line: string) => void,
): Promise<{ memoryMb: number; composedMs: number; ended: string[] }> {
  const random = createSeededRandom(seed);
  const moments = Array.from({ length: kills }, () => random.next() * 0.98).sort((a, b) => a - b);
  const startedAt = clock.monotonic();
  const ended: string[] = [];
  let memoryMb = 0;
  let composedMs = 0;
  let lastKillAt = startedAt;
  for (let toldAt = 0; ; await clock.sleep(lookEveryMs)) {
    for (const victim of scene.victims) memoryMb = Math.max(memoryMb, memoryOf(victim));
    const progress = await readProgress(scene.db);
    const { collected, composed, settled } = progress;
    if (composedMs === 0 && composed >= people) composedMs = Math.round(clock.monotonic() - startedAt);
    const fraction = (collected + composed + settled) / (3 * people);
    if (moments.length > 0 && fraction >= (moments[0] ?? 1)) {
      moments.shift();
      const place = Math.floor(random.next() * processes);
      const end = await scene.victims[place]?.kill();
      if (end !== 'killed') ended.push(`process-${place} ended ${end}`);
      scene.start(place);
      lastKillAt = clock.monotonic();
      tell(`killed at ${Math.floor(fraction * 100)} %`);
    }
    const isDone = settled >= people && moments.length === 0;
    if (isDone || clock.monotonic() - lastKillAt > settleWithinMs) return { memoryMb, composedMs, ended };
    if (clock.monotonic() - toldAt > 15_000) {
      toldAt = clock.monotonic();
      tell(`${collected} collected, ${composed} composed, ${settled} settled; ${memoryMb} MB at most`);
    }
  }
}

async function readProgress(db: Database): Promise<{ collected: number; composed: number; settled: number }> {
  const items = await db.read
    .selectFrom('notification_run_items')
    .select(['state', (eb) => eb.fn.countAll().as('count')])
    .groupBy('state')
    .execute();
  const { rows } = await sql<{ status: 'sent'; count: number | string }>`
    SELECT status, count(*) AS count FROM deliveries GROUP BY status
  `.execute(db.read);
  const of = (...states: string[]) =>
    items.filter(({ state }) => states.includes(state)).reduce((sum, { count }) => sum + Number(count), 0);
  return {
    collected: of('collected', 'composed', 'left_out'),
    composed: of('composed', 'left_out'),
    settled: rows.filter(({ status }) => !isOpen(status)).reduce((sum, { count }) => sum + Number(count), 0),
  };
}

/** As Linux counts it; elsewhere nobody is asked. */
function memoryOf({ pid }: Victim): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes ?? 0) / 1024);
  } catch {
    return 0;
  }
}
