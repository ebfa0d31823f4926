import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { headsOf, type JobStanding, withRecipients } from './job-rows.ts';
import type { JobState } from './job-state.ts';
import { statesOf } from './states-of.ts';

/** Jobs, newest first, page by page. */
export interface JobListOrder {
  changelistId?: string | undefined;
  state?: JobState | undefined;
  /** The last job of the page before. */
  before?: string | undefined;
  limit: number;
}

export interface JobPage {
  jobs: JobStanding[];
  /** The next page is `before` this; null at the end. */
  next: string | null;
}

/** Where a job stands in the list. */
interface Place {
  job_id: string;
  created_at: number;
  review_version: number;
}

type Chosen = { jobIds: string[]; next: string | null };

export async function listJobs(
  db: Database,
  { changelistId, state, limit }: JobListOrder,
  after: Place | undefined,
): Promise<JobPage> {
  const placesBefore = (place: Place | undefined, count: number) =>
    readPlaces(db, changelistId, place, count);
  const { jobIds, next } =
    state === undefined
      ? await newest(placesBefore, after, limit)
      : await newestIn(state, { db, placesBefore, after, limit });
  const jobs = await withRecipients(db.read, db.dialect, await headsOf(db.read, db.dialect, jobIds));
  // Of those who were looked at one by one, one may have gone on since.
  return { jobs: jobs.filter((job) => state === undefined || job.state === state), next };
}

type PlacesBefore = (place: Place | undefined, count: number) => Promise<Place[]>;

async function newest(placesBefore: PlacesBefore, after: Place | undefined, limit: number): Promise<Chosen> {
  // One more than is shown says whether there is more.
  const jobIds = (await placesBefore(after, limit + 1)).map(({ job_id }) => job_id);
  const shown = jobIds.slice(0, limit);
  return { jobIds: shown, next: jobIds.length > limit ? (shown.at(-1) ?? null) : null };
}

/** Of a state that few are in so many are looked at for one page, and so many at a time. */
const lookedAtMax = 10_000;
const lookedAtOnce = 500;

async function newestIn(
  state: JobState,
  {
    db,
    placesBefore,
    after,
    limit,
  }: { db: Database; placesBefore: PlacesBefore; after: Place | undefined; limit: number },
): Promise<Chosen> {
  const jobIds: string[] = [];
  let last = after;
  for (let looked = 0; looked < lookedAtMax; looked += lookedAtOnce) {
    const places = await placesBefore(last, lookedAtOnce);
    const states = await statesOf(
      db,
      places.map(({ job_id }) => job_id),
    );
    for (const { job_id } of places) {
      if (states.get(job_id) !== state) continue;
      if (jobIds.length === limit) return { jobIds, next: jobIds.at(-1) ?? null };
      jobIds.push(job_id);
    }
    if (places.length < lookedAtOnce) return { jobIds, next: null };
    last = places.at(-1);
  }
  return { jobIds, next: last?.job_id ?? null };
}

function readPlaces(
  { read }: Database,
  changelistId: string | undefined,
  before: Place | undefined,
  count: number,
): Promise<Place[]> {
  let places = read.selectFrom('review_jobs').select(['job_id', 'created_at', 'review_version']);
  if (changelistId !== undefined) {
    // A change list's own versions, which come in their order.
    places = places.where('changelist_id', '=', changelistId);
    if (before) places = places.where('review_version', '<', before.review_version);
    return places.orderBy('review_version', 'desc').limit(count).execute();
  }
  if (before)
    places = places.where(sql<boolean>`(created_at, job_id) < (${before.created_at}, ${before.job_id})`);
  return places.orderBy('created_at', 'desc').orderBy('job_id', 'desc').limit(count).execute();
}
