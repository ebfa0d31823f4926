import { sql } from 'kysely';
import type { Database } from '../db/database.ts';
import { deadStatuses } from '../sources/code-reviews/dead-letters/dead-letters.ts';
import { countStates } from '../sources/code-reviews/jobs/state-counts.ts';
import type { Clock } from '../std/clock.ts';
import { keptFor } from './kept.ts';
import type { Metric } from './metrics.ts';

/** All jobs are counted: a tenth of a second where there are a million. */
const statesKeptMs = 60_000;

/** How review jobs stand, and what of them an operator must decide. */
export function createReviewMetrics({ db, clock }: { db: Database; clock: Clock }): () => Promise<Metric[]> {
  const countedStates = keptFor(statesKeptMs, clock, () => countStates(db));
  return async () => {
    const states = await countedStates();
    // Only what has escalated and has not been mended since: few, and found by an index of their own.
    const { rows } = await sql<{ count: number | string }>`
      SELECT COUNT(DISTINCT replays.delivery_seq) AS count FROM review_replays AS replays
      JOIN deliveries ON deliveries.seq = replays.delivery_seq
      WHERE replays.outcome = 'escalated' AND deliveries.status IN (${sql.join(deadStatuses.map((status) => sql.lit(status)))})
    `.execute(db.read);
    return [
      {
        ...{ name: 'review_jobs', type: 'gauge' },
        help: 'Review jobs by state, of all that there ever were; counted once a minute. Alert when failed grows.',
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
