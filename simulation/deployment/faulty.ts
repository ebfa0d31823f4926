import { sql } from 'kysely';
import { systemClock as clock } from '../../src/std/clock.ts';
import { type Comparison, compareBooks } from '../crashtest/books.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { createFaults, type FaultName, type Faults, type FaultsOrder, sentences } from './faults.ts';
import type { Books } from './provider-process.ts';
import { recoveryMs } from './recovery.ts';
import { untilSettled } from './until-settled.ts';

/**
 * The same deployment while its queues are lost, its workers killed and stopped and its database restarted, and a client goes on asking.
 * At the end each intent is in the provider's books once, no row is left to anybody, and it is known how long each fault was felt.
 */
export interface FaultyOrder extends FaultsOrder {
  intents: number;
  limit: number;
  workers: number;
  seed: number;
  /** What a killed worker held waits for two minutes; a test that cannot wait so long has the leases of the dead ended by hand. */
  isHurried?: boolean;
}

export interface FaultyResult
  extends Comparison,
    Pick<Books, 'requests' | 'throttled' | 'repeats' | 'unheard'> {
  faults: FeltFault[];
  /** Questions of the client that were cut off, or not answered; each was asked again. */
  cutOff: number;
  ms: number;
  remains: string | null;
}

interface FeltFault {
  fault: FaultName;
  at: number;
  /** Null: not before nearly all was accepted, `leftMs` later. */
  recoveredMs: number | null;
  leftMs: number;
}

/** So much is asked for ahead of what is accepted: enough that nobody is idle, whatever happens to who takes intents. */
const aheadMs = 20_000;
/** What no queue knows is found within this. */
const recoveredWithinMs = 60_000;
const lookEveryMs = 200;

export async function runFaulty(order: FaultyOrder, tell: (line: string) => void): Promise<FaultyResult> {
  const startedAt = clock.monotonic();
  const deployment = await openDeployment(order);
  try {
    const { db, client, provider } = deployment;
    for (let place = 0; place < order.workers; place++) deployment.startWorker(place);
    const faults = createFaults(deployment, order, tell);
    await sendThrough(deployment, faults, order, tell);
    const rows = await db.read.selectFrom('deliveries').select(['recipient', 'status', 'sent_at']).execute();
    const comparison = compareBooks(client.asked, rows, await provider.mailed());
    const { wrong } = comparison;
    wrong.push(...faults.wrong);
    for (const [place, { url }] of deployment.workers.entries())
      if (!url) wrong.push(`worker-${place} is gone, and nobody killed it`);
    const books = await provider.books();
    const felt = feltFaults(faults, books, order);
    wrong.push(...felt.flatMap(lateOf));
    const { requests, throttled, repeats, unheard } = books;
    return {
      ...{ ...comparison, requests, throttled, repeats, unheard, faults: felt, cutOff: client.cutOff },
      ms: Math.round(clock.monotonic() - startedAt),
      remains: wrong.length > 0 ? await deployment.keepRemains(await oddRecipients(deployment)) : null,
    };
  } finally {
    await deployment.close();
  }
}

/** Asks and sends while the faults happen, until all is settled. */
async function sendThrough(
  deployment: Deployment,
  faults: Faults,
  order: FaultyOrder,
  tell: (line: string) => void,
): Promise<void> {
  const { client, provider } = deployment;
  const over = new AbortController();
  const room = async () =>
    client.asked.length - (await provider.books()).accepted < (order.limit * aheadMs) / 1000;
  const asked = client.run({ room, isOver: () => false, aborted: over.signal });
  const struck = strike(deployment, faults, order, over.signal);
  try {
    const settled = untilSettled(deployment, { intents: order.intents, isOver: faults.isOver }, tell);
    await Promise.all([asked, struck, settled]);
  } finally {
    // Nobody is started any more who would not be stopped.
    over.abort();
    await Promise.allSettled([asked, struck]);
  }
}

/** Lets each fault happen at its moment, and ends when all have. */
async function strike(
  deployment: Deployment,
  faults: Faults,
  { intents, isHurried }: FaultyOrder,
  aborted: AbortSignal,
): Promise<void> {
  const dead = new Set<number>();
  while (!faults.isOver() && !aborted.aborted) {
    const { accepted } = await deployment.provider.books();
    for (const { pid } of deployment.workers) dead.add(pid);
    await faults.upTo(accepted / intents);
    for (const { pid } of deployment.workers) dead.delete(pid);
    if (isHurried) for (const pid of dead) await endLeases(deployment, pid);
    await clock.sleep(lookEveryMs);
  }
}

/** As if their time had come: nobody is left who could still send these. A process's further hands are `host:pid/2` and so on. */
async function endLeases({ db }: Deployment, pid: number): Promise<void> {
  await sql`
    UPDATE deliveries SET due_at = (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    WHERE status IN ('claimed', 'sending', 'reconciling') AND (locked_by LIKE ${`%:${pid}`} OR locked_by LIKE ${`%:${pid}/%`})
  `.execute(db.write);
}

function feltFaults({ happened }: Faults, books: Books, { intents, limit }: FaultyOrder): FeltFault[] {
  const until = mostAcceptedAt(books, intents * 0.95);
  return happened.map(({ fault, at }, index) => {
    const nextAt = happened[index + 1]?.at ?? until;
    const recoveredMs = recoveryMs({ ...books, limit }, at, { nextAt, until });
    return { fault, at, recoveredMs, leftMs: Math.max(0, until - at) };
  });
}

/** From here on there is too little left to send at any rate: what the dead held, and what comes back. */
function mostAcceptedAt({ startedAt, tenths }: Books, count: number): number {
  let sum = 0;
  const tenth = tenths.findIndex((accepted) => {
    sum += accepted;
    return sum >= count;
  });
  return startedAt + (tenth < 0 ? tenths.length : tenth) * 100;
}

function lateOf({ fault, recoveredMs, leftMs }: FeltFault): string[] {
  const feltMs = recoveredMs ?? leftMs;
  if (feltMs <= recoveredWithinMs) return [];
  const seconds = `${Math.round(feltMs / 1000)} s, and ${recoveredWithinMs / 1000} s is the most`;
  return [`${sentences[fault]}: felt for ${seconds}`];
}

async function oddRecipients({ db }: Deployment): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    SELECT recipient FROM deliveries
    WHERE status <> 'sent' OR seq IN (SELECT delivery_seq FROM delivery_events WHERE event <> 'accepted') LIMIT 1000
  `.execute(db.read);
  return rows.map(({ recipient }) => recipient);
}
