import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import type { Clock } from '../std/clock.ts';
import type { Metric } from './metrics.ts';

/** How runs of newsletters are: those at work, those that a person must decide on, and what their lists wait for. */
export interface NewsletterMetricParts {
  db: Database;
  clock: Clock;
}

export function createNewsletterMetrics({ db, clock }: NewsletterMetricParts): () => Promise<Metric[]> {
  return async () => {
    const runs = await db.read
      .selectFrom('notification_runs')
      .select(['status', (eb) => eb.fn.countAll().as('count'), (eb) => eb.fn.min('created_at').as('oldest')])
      .groupBy('status')
      .execute();
    // Only of runs that are not over: the lists of the others are long, and tell nothing new.
    const { rows: items } = await sql<{ state: string; count: number | string }>`
      SELECT items.state, COUNT(*) AS count FROM notification_runs AS runs
      JOIN notification_run_items AS items ON items.run_id = runs.run_id
      WHERE runs.status IN ('running', 'paused', 'halted') GROUP BY items.state
    `.execute(db.read);
    const running = runs.find(({ status }) => status === 'running');
    const ageMs = running ? clock.now() - Number(running.oldest) : 0;
    return [
      {
        ...{
          name: 'newsletter_runs',
          type: 'gauge',
          help: 'Runs and plans, by status. Alert when one is halted.',
        },
        samples: runs.map(({ status, count }) => ({ labels: { status }, value: Number(count) })),
      },
      {
        ...{
          name: 'newsletter_run_items',
          type: 'gauge',
          help: 'Lines of runs that are not over, by state.',
        },
        samples: items.map(({ state, count }) => ({ labels: { state }, value: Number(count) })),
      },
      {
        ...{ name: 'newsletter_run_oldest_seconds', type: 'gauge' },
        help: 'Since the oldest run that is still at work began; 0 where there is none.',
        samples: [{ value: Math.max(0, ageMs) / 1000 }],
      },
    ];
  };
}
