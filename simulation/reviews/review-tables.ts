import { CompiledQuery } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { ReviewJobRow } from '../../src/db/reviews-schema.ts';
import type { Watched } from '../stage.ts';

/** What the tables of code reviews say after a commit. */
export interface ReviewTables {
  jobs: ReadonlyMap<string, ReviewJobRow>;
  /** By job, in the order of recipients. */
  lines: ReadonlyMap<string, readonly Line[]>;
  replays: readonly ReplayRow[];
}

export interface Line {
  job_id: string;
  recipient: string;
  is_required: number;
  delivery_seq: number;
}

interface ReplayRow {
  replay_seq: number;
  delivery_seq: number;
  job_id: string;
  requested_by: string;
  settled_at: number | null;
  outcome: string | null;
}

/** One line of the story of a delivery. */
export interface Told {
  event_seq: number;
  delivery_seq: number;
  event: string;
  status: string;
  actor: string;
  detail: string | null;
}

export const noTables: ReviewTables = { jobs: new Map(), lines: new Map(), replays: [] };

const all = <T>(text: string) => CompiledQuery.raw(text) as CompiledQuery<T>;
const jobs = all<ReviewJobRow>('SELECT * FROM review_jobs ORDER BY created_at, job_id');
const lines = all<Line>('SELECT * FROM review_job_recipients ORDER BY job_id, recipient');
const replays = all<ReplayRow>('SELECT * FROM review_replays ORDER BY replay_seq');

export function createReviewReader(db: Database) {
  const rowsOf = async <T>(query: CompiledQuery<T>) => (await db.write.executeQuery(query)).rows;
  let toldUpTo = 0;
  return {
    async tables(before: ReviewTables, written: ReadonlySet<Watched>): Promise<ReviewTables> {
      if (!written.has('reviews')) return before;
      const byJob = new Map<string, Line[]>();
      for (const line of await rowsOf(lines)) {
        const known = byJob.get(line.job_id) ?? [];
        byJob.set(line.job_id, [...known, line]);
      }
      return {
        jobs: new Map((await rowsOf(jobs)).map((job) => [job.job_id, job])),
        lines: byJob,
        replays: await rowsOf(replays),
      };
    },
    /** What was told since this was last asked. */
    async told(): Promise<Told[]> {
      const fresh = CompiledQuery.raw(
        `SELECT event_seq, delivery_seq, event, status, actor, detail FROM delivery_events
        WHERE event_seq > ? ORDER BY event_seq`,
        [toldUpTo],
      ) as CompiledQuery<Told>;
      const rows = await rowsOf(fresh);
      toldUpTo = rows.at(-1)?.event_seq ?? toldUpTo;
      return rows;
    },
  };
}
