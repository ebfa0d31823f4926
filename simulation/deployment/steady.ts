import { sql } from 'kysely';
import { createPauses, everything } from '../../src/dispatch/pauses.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { type Comparison, compareBooks } from '../crashtest/books.ts';
import { counted } from '../options.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import type { Books } from './provider-process.ts';
import { untilSettled } from './until-settled.ts';

/**
 * Several workers and a provider that lets no more pass than its limit, and nothing goes wrong: how much of the limit is used, and how
 * often it is met. Nobody sends before all are there, so that the start is no part of it.
 */
export interface SteadyOrder {
  intents: number;
  limit: number;
  workers: number;
  seed: number;
}

export interface SteadyResult extends Comparison, SteadyFigures {
  ms: number;
  remains: string | null;
}

export interface SteadyFigures extends Pick<Books, 'requests' | 'throttled'> {
  limit: number;
  /** Between the first and the last that was accepted. */
  perSecond: number;
  /** Deliveries of which more, or fewer, attempts were counted than the one that was accepted. */
  attemptsBurnt: number;
  /** Of all deliveries together: more than there are of them, where a claim came to nothing. */
  claims: number;
}

export async function runSteady(
  { workers, ...order }: SteadyOrder,
  tell: (line: string) => void,
): Promise<SteadyResult> {
  const startedAt = clock.monotonic();
  const deployment = await openDeployment(order);
  try {
    const { db, client, provider } = deployment;
    const pauses = createPauses(db, clock);
    await pauses.pause(everything, { reason: 'until all are there', operator: 'crashtest' });
    const aborted = new AbortController().signal;
    await client.run({ room: async () => true, isOver: () => false, aborted });
    tell(`${counted(client.answered.size, 'intent')} taken`);
    const lives = Array.from({ length: workers }, (_, place) => deployment.startWorker(place));
    await Promise.all(lives.map(({ up }) => up));
    await pauses.resume(everything);
    await untilSettled(deployment, order, tell);
    const rows = await db.read.selectFrom('deliveries').select(['recipient', 'status', 'sent_at']).execute();
    const comparison = compareBooks(client.asked, rows, await provider.mailed());
    for (const [place, { url }] of lives.entries())
      if (!url) comparison.wrong.push(`worker-${place} is gone, and nobody killed it`);
    const figures = await figuresOf(deployment, order.limit);
    comparison.wrong.push(...missesOf(figures));
    const { wrong } = comparison;
    return {
      ...{ ...comparison, ...figures, ms: Math.round(clock.monotonic() - startedAt) },
      remains: wrong.length > 0 ? await deployment.keepRemains(await oddRecipients(deployment)) : null,
    };
  } finally {
    await deployment.close();
  }
}

async function figuresOf({ db, provider }: Deployment, limit: number): Promise<SteadyFigures> {
  const { requests, throttled, accepted, firstAt, lastAt } = await provider.books();
  const { rows } = await sql<{ burnt: number; claims: number }>`
    SELECT count(*) FILTER (WHERE attempts <> 1) AS burnt, sum(claims) AS claims FROM deliveries
  `.execute(db.read);
  const seconds = ((lastAt ?? 0) - (firstAt ?? 0)) / 1000;
  return {
    ...{ limit, requests, throttled, perSecond: seconds > 0 ? (accepted - 1) / seconds : 0 },
    ...{ attemptsBurnt: Number(rows[0]?.burnt), claims: Number(rows[0]?.claims) },
  };
}

const throttledShareMax = 0.001;
const useLeast = 0.9;

/** What the figures fall short of, one sentence each. */
export function missesOf({ limit, requests, throttled, perSecond, attemptsBurnt }: SteadyFigures): string[] {
  const use = perSecond / limit;
  return [
    ...(throttled / requests < throttledShareMax
      ? []
      : [`${throttled} of ${requests} requests met a 429: fewer than one in a thousand may`]),
    ...(attemptsBurnt === 0 ? [] : [`${attemptsBurnt} deliveries did not end with their first attempt`]),
    ...(use >= useLeast
      ? []
      : [`${(use * 100).toFixed(1)} % of the limit was used: ${useLeast * 100} % is the least`]),
  ];
}

async function oddRecipients({ db }: Deployment): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    SELECT recipient FROM deliveries WHERE attempts <> 1 OR claims <> 1 OR status <> 'sent' LIMIT 200
  `.execute(db.read);
  return rows.map(({ recipient }) => recipient);
}
