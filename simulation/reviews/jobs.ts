import type { ReviewJobRow } from '../../src/db/reviews-schema.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { Story } from '../story.ts';
import type { Bots, Request } from './bots.ts';
import {
  contentOf,
  contentOfJob,
  differencesBetween,
  nameOf,
  occasionParts,
  peopleOf,
  standingOf,
  versionsOf,
} from './reading.ts';
import type { Line } from './review-tables.ts';
import type { Change } from './review-watch.ts';

/** Jobs come to be: whole, once, of a review that somebody has submitted, and one version after the other. Then nothing of them changes. */
export interface JobWatch {
  look(change: Change): void;
}

interface Parts {
  violate: Violate;
  story: Story;
  bots: Bots;
}

export function createJobWatch({ violate, story, bots }: Parts): JobWatch {
  function checkOnce(job: ReviewJobRow, { after }: Change): void {
    for (const other of after.jobs.values()) {
      if (other.job_id === job.job_id) continue;
      if (other.idempotency_key === job.idempotency_key)
        violate('one review, one job', `${job.idempotency_key} has two jobs`);
      if (nameOf(other) === nameOf(job)) violate('one review, one job', `${nameOf(job)} has two jobs`);
    }
  }

  /** By what was so when it was made. */
  function checkVersion(job: ReviewJobRow, { before, rowsBefore }: Change): void {
    const latest = versionsOf(before, job.changelist_id).at(-1);
    if (job.previous_version !== (latest?.review_version ?? null))
      violate(
        'versions go on',
        `${nameOf(job)} follows ${job.previous_version}, and the latest is ${latest?.review_version}`,
      );
    if (!latest) return;
    if (job.review_version <= latest.review_version)
      violate('versions go on', `${nameOf(job)} is made when ${latest.review_version} is there`);
    const rowOf = (seq: number) => rowsBefore.find((row) => row.seq === seq);
    const hasSucceeded = standingOf(before.lines.get(latest.job_id) ?? [], rowOf) === 'succeeded';
    if (hasSucceeded && job.is_rerun === 0)
      violate('versions go on', `${nameOf(job)} is told after a success, and nobody asked for a rerun`);
  }

  /** The one that it was made of. */
  function requestOf(job: ReviewJobRow): Request | undefined {
    return bots.requests.find(
      ({ body, by }) =>
        body.idempotency_key === job.idempotency_key && body.title === job.title && by === job.created_by,
    );
  }

  function checkWhole(job: ReviewJobRow, lines: readonly Line[], rows: readonly WatchedRow[]): void {
    const request = requestOf(job);
    if (!request || request.isBad) {
      violate('a job is whole', `${nameOf(job)} is nobody's review`);
      return;
    }
    const [field] = differencesBetween(contentOf(request), contentOfJob(job, lines));
    if (field) violate('a job is whole', `${nameOf(job)} has other ${field} than were submitted`);
    for (const { recipient, address } of peopleOf(request)) {
      const line = lines.find((each) => each.recipient === recipient);
      const row = rows.find(({ seq }) => seq === line?.delivery_seq);
      const { changelistId, version } = occasionParts(row?.occasion ?? '');
      const isIts = changelistId === job.changelist_id && version === job.review_version;
      if (!row || !isIts || row.recipient !== recipient || row.to_email !== address)
        violate('a job is whole', `${nameOf(job)} has no delivery for ${recipient}`);
    }
  }

  function checkKept(job: ReviewJobRow, { before, after }: Change): void {
    const lines = (of: Change['before']) => JSON.stringify(of.lines.get(job.job_id));
    const isKept = JSON.stringify(after.jobs.get(job.job_id)) === JSON.stringify(job);
    if (!isKept || lines(before) !== lines(after))
      violate('a job is whole', `${nameOf(job)} is not what it was`);
  }

  /** Deliveries come of jobs, and of nothing else. */
  function checkNew({ after, rows, rowsBefore }: Change): void {
    const had = new Set(rowsBefore.map(({ seq }) => seq));
    const asked = new Set([...after.lines.values()].flat().map(({ delivery_seq }) => delivery_seq));
    const stray = rows.find(({ seq }) => !had.has(seq) && !asked.has(seq));
    if (stray) violate('a job is whole', `#${stray.seq} came to be, and no job has it`);
  }

  return {
    look(change) {
      const { before, after, rows } = change;
      if (before !== after) {
        for (const job of before.jobs.values()) checkKept(job, change);
        for (const job of after.jobs.values()) {
          if (before.jobs.has(job.job_id)) continue;
          const lines = after.lines.get(job.job_id) ?? [];
          const names = lines.map(({ recipient, delivery_seq }) => `${recipient} #${delivery_seq}`);
          story.tell(`  ${nameOf(job)} is a job, of ${job.idempotency_key}, for ${names.join(', ')}`);
          checkOnce(job, change);
          checkVersion(job, change);
          checkWhole(job, lines, rows);
        }
      }
      checkNew(change);
    },
  };
}
