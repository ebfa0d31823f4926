import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { deadStatuses } from '../sources/code-reviews/dead-letters/dead-letters.ts';
import { countStates } from '../sources/code-reviews/jobs/state-counts.ts';
import type { Metric } from './metrics.ts';

/** How review jobs stand, and what of them an operator must decide. Both look at a bounded number of rows. */
const newestMax = 500;

export function createReviewMetrics({ db }: { db: Database }): () => Promise<Metric[]> {
  return async () => {
    const states = await countStates(db, newestMax);
    // Only what has escalated and has not been mended since: few, and found by an index of their own.
    const { rows } = await sql<{ count: number | string }>`
      SELECT COUNT(DISTINCT replays.delivery_seq) AS count FROM review_replays AS replays
      JOIN deliveries ON deliveries.seq = replays.delivery_seq
      WHERE replays.outcome = 'escalated' AND deliveries.status IN (${sql.join(deadStatuses.map((status) => sql.lit(status)))})
    `.execute(db.read);
    return [
      {
        ...{ name: 'review_jobs', type: 'gauge' },
        help: `Of the newest ${newestMax} review jobs, how many are in each state. Alert when some are failed.`,
        samples: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })),
      },
      {
        ...{ name: 'review_escalations', type: 'gauge' },
        help: 'Reviewers who were tried again and could not be told for the same reason. Alert on this: an operator must decide.',
        samples: [{ value: Number(rows[0]?.count ?? 0) }],
      },
    ];
  };
}
