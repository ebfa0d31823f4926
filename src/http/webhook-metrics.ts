import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Clock } from '../std/clock.ts';
import type { Metric } from './metrics.ts';
import type { ApiParts } from './server.ts';

/** What comes back, and how late. The counts are this process's own; the rest reads what is new, or what waits. */
export interface WebhookMetricParts extends Pick<ApiParts, 'webhooks'> {
  db: Database;
  clock: Clock;
}

export function createWebhookMetrics(parts: WebhookMetricParts): () => Promise<Metric[]> {
  return async () => [
    ...countMetrics(parts.webhooks.counts),
    ...(await lagMetrics(parts)),
    ...(await waitingMetrics(parts)),
  ];
}

function countMetrics({ events, repeats, refusals }: ApiParts['webhooks']['counts']): Metric[] {
  const counter = (name: string, help: string, value: number): Metric => ({
    ...{ name, type: 'counter', help, samples: [{ value }] },
  });
  return [
    {
      name: 'webhook_events_total',
      type: 'counter',
      help: 'Events that this process has processed, by type and what became of them.',
      samples: events.map(({ type, outcome, count }) => ({ labels: { type, outcome }, value: count })),
    },
    counter('webhook_repeats_total', 'Events that came to this process although they were known.', repeats),
    counter('webhook_refusals_total', 'Requests without a signature of ours.', refusals),
  ];
}

const lagOverMs = 3_600_000;
/** Enough for a figure, and the most that is read however many come in an hour. */
const lagEventsMax = 1_000;

async function lagMetrics({ db, clock }: WebhookMetricParts): Promise<Metric[]> {
  // `payload IS NOT NULL` is the index's own condition, and true of whatever is ours and younger than retention allows. Two
  // clocks: what comes before it happened came at once, each for itself.
  const { rows } = await sql<{ average: number | string | null; most: number | string | null }>`
    SELECT avg(lag) AS average, max(lag) AS most FROM (
      SELECT CASE WHEN received_at > happened_at THEN received_at - happened_at ELSE 0 END AS lag FROM webhook_events
      WHERE payload IS NOT NULL AND received_at > ${clock.now() - lagOverMs} AND happened_at IS NOT NULL
      ORDER BY received_at DESC LIMIT ${sql.lit(lagEventsMax)}) AS latest
  `.execute(db.read);
  const seconds = (lagMs: number | string | null | undefined) => Number(lagMs ?? 0) / 1000;
  const help = `from what happened at the provider to its webhook, over the last hour's ${lagEventsMax} latest events.`;
  return [
    {
      name: 'webhook_lag_average_seconds',
      type: 'gauge',
      help: `The average time ${help}`,
      samples: [{ value: seconds(rows[0]?.average) }],
    },
    {
      name: 'webhook_lag_max_seconds',
      type: 'gauge',
      help: `The longest time ${help}`,
      samples: [{ value: seconds(rows[0]?.most) }],
    },
  ];
}

async function waitingMetrics({ db, clock }: WebhookMetricParts): Promise<Metric[]> {
  const { count, oldest } = await db.read
    .selectFrom('webhook_events')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('received_at').as('oldest')])
    .where('due_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return [
    {
      name: 'webhook_events_waiting',
      type: 'gauge',
      help: 'Events about mails that we do not know, or not yet.',
      samples: [{ value: Number(count) }],
    },
    {
      name: 'webhook_oldest_waiting_seconds',
      type: 'gauge',
      help: 'How long the oldest of them has been here.',
      samples: [{ value: oldest === null ? 0 : Math.max(0, clock.now() - Number(oldest)) / 1000 }],
    },
  ];
}
