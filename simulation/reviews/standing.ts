import { CompiledQuery } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { CodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import type { DeadLetter } from '../../src/sources/code-reviews/dead-letters/dead-letters.ts';
import type { Ledger } from '../ledger.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { Story } from '../story.ts';
import type { Endings } from './endings.ts';
import { hasEnded, nameOf, type Standing, standingOf, versionsOf } from './reading.ts';
import type { ReviewTables } from './review-tables.ts';
import type { Change } from './review-watch.ts';

/** How jobs stand, by their deliveries and the provider's books, beside what is said of them: by the source, its view and its lists. */
export interface StandingWatch {
  look(change: Change): Promise<void>;
  readLists(tables: ReviewTables, rows: readonly WatchedRow[]): Promise<void>;
  atTheEnd(tables: ReviewTables, rows: readonly WatchedRow[]): void;
}

interface Parts {
  db: Database;
  violate: Violate;
  story: Story;
  ledger: Ledger;
  office: Pick<CodeReviews, 'get' | 'list' | 'deadLetters'>;
  endings: Endings;
}

const view = CompiledQuery.raw(
  'SELECT delivery_seq, status, notified_at FROM review_deliveries',
) as CompiledQuery<{ delivery_seq: number; status: string; notified_at: string | null }>;

type Page = Awaited<ReturnType<CodeReviews['list']>>;

async function pages(read: (before: string | undefined) => Promise<Page>): Promise<Page['jobs']> {
  const jobs: Page['jobs'] = [];
  for (let before: string | undefined; ; ) {
    const page = await read(before);
    jobs.push(...page.jobs);
    if (page.next === null) return jobs;
    before = page.next;
  }
}

/** Small, so that there is a next one. */
const pageMax = 3;

export function createStandingWatch({ db, violate, story, ledger, office, endings }: Parts): StandingWatch {
  const known = new Map<string, Standing>();
  let deadLetters: readonly DeadLetter[] = [];
  const say = (sentence: string) => violate('a job says how it stands', sentence);

  /** Whoever is said to have been told is in the provider's books, unless somebody has lied. */
  function checkBooks({ seq, id, sent_at }: WatchedRow): void {
    if (sent_at === null || ledger.invented.has(id)) return;
    if (!ledger.entries.some(({ deliveryId }) => deliveryId === id))
      say(`#${seq} is told, and no provider has its mail`);
  }

  async function checkView(rows: readonly WatchedRow[]): Promise<void> {
    const told = (await db.write.executeQuery(view)).rows;
    for (const row of rows) {
      const word = row.sent_at !== null ? 'sent' : hasEnded(row) ? 'failed' : 'unsent';
      const line = told.find(({ delivery_seq }) => delivery_seq === row.seq);
      const at = row.sent_at === null ? null : new Date(row.sent_at).toISOString();
      if (line?.status !== word || line.notified_at !== at)
        violate('the view tells the same', `#${row.seq} is ${word}, and the view says ${line?.status}`);
    }
  }

  const isDead = (row: WatchedRow) =>
    (hasEnded(row) || row.status === 'needs_review') &&
    row.delivered_at === null &&
    !endings.hasArrived(row.seq);

  function checkDeadLetters(tables: ReviewTables, rows: readonly WatchedRow[]): void {
    const name = (seq: number) => `#${seq} ${rows.find((row) => row.seq === seq)?.status}`;
    const listed = new Map(deadLetters.map((letter) => [letter.deliverySeq, letter]));
    for (const row of rows) {
      if (isDead(row) !== listed.has(row.seq))
        violate('dead letters are shown', `${name(row.seq)} is ${isDead(row) ? 'not ' : ''}among them`);
    }
    for (const letter of deadLetters) {
      const job = tables.jobs.get(letter.jobId);
      const line = tables.lines
        .get(letter.jobId)
        ?.find(({ delivery_seq: seq }) => seq === letter.deliverySeq);
      const isIts =
        job?.changelist_id === letter.changelistId &&
        job.review_version === letter.version &&
        line?.recipient === letter.recipient &&
        (line.is_required === 1) === letter.isRequired;
      if (!isIts || letter.code === '')
        violate('dead letters are shown', `${name(letter.deliverySeq)} is told as another`);
      const isEscalated = endings.isEscalated(letter.deliverySeq);
      const isRight = letter.isEscalated ? isEscalated !== 'no' : isEscalated !== 'yes';
      if (!isRight || (letter.isEscalated && letter.asks !== 'operator'))
        violate(
          'dead letters are shown',
          `${name(letter.deliverySeq)} is ${letter.isEscalated ? '' : 'not '}escalated, which is not so`,
        );
      if (letter.context.message?.includes('@'))
        violate('dead letters are shown', `${name(letter.deliverySeq)} names an address`);
    }
  }

  return {
    async look({ before, after, rows, rowsBefore }) {
      const had = new Map(rowsBefore.map((row) => [row.seq, row]));
      const rowOf = new Map(rows.map((row) => [row.seq, row]));
      const moved = rows.filter((row) => {
        const was = had.get(row.seq);
        return was?.status !== row.status || was.sent_at !== row.sent_at || was.lease !== row.lease;
      });
      for (const row of moved) checkBooks(row);
      const seqs = new Set(moved.map(({ seq }) => seq));
      for (const job of after.jobs.values()) {
        const lines = after.lines.get(job.job_id) ?? [];
        const isNew = !before.jobs.has(job.job_id);
        if (!isNew && !lines.some(({ delivery_seq }) => seqs.has(delivery_seq))) continue;
        const stands = standingOf(lines, (seq) => rowOf.get(seq));
        const { state } = await office.get(job.job_id);
        if (state !== stands) say(`${nameOf(job)} is said to be ${state}, and is ${stands}`);
        const stood = known.get(job.job_id);
        if (stood === 'succeeded' && stands !== 'succeeded')
          say(`${nameOf(job)} had succeeded, and is ${stands}`);
        if (stood !== stands) story.tell(`  ${nameOf(job)} is ${stands}`);
        known.set(job.job_id, stands);
      }
    },
    async readLists(tables, rows) {
      await checkView(rows);
      const letters: DeadLetter[] = [];
      for (let below: number | null | undefined; below !== null; ) {
        const page = await office.deadLetters({ below, limit: pageMax });
        letters.push(...page.deadLetters);
        below = page.next;
      }
      deadLetters = letters;
      checkDeadLetters(tables, rows);
      for (const state of ['failed', 'succeeded'] as const) {
        const listed = await pages((before) => office.list({ state, before, limit: pageMax }));
        const expected = [...tables.jobs.keys()].filter((jobId) => known.get(jobId) === state);
        if (
          listed
            .map(({ row }) => row.job_id)
            .toSorted()
            .join() !== expected.toSorted().join()
        )
          say(`${listed.length} jobs are listed as ${state}, and ${expected.length} are`);
      }
      for (const changelistId of new Set(
        [...tables.jobs.values()].map(({ changelist_id }) => changelist_id),
      )) {
        const jobs = await pages((before) => office.list({ changelistId, before, limit: pageMax }));
        const listed = jobs.map(({ row, state }) => `${row.review_version} ${state}`);
        const expected = versionsOf(tables, changelistId)
          .toReversed()
          .map(({ job_id, review_version }) => `${review_version} ${known.get(job_id)}`);
        if (listed.join() !== expected.join())
          say(`${changelistId} is listed as ${listed.join()}, and is ${expected.join()}`);
      }
    },
    atTheEnd({ jobs, lines }, rows) {
      for (const job of jobs.values()) {
        const mine = lines.get(job.job_id) ?? [];
        const stands = standingOf(mine, (seq) => rows.find((row) => row.seq === seq));
        if (stands !== 'succeeded' && stands !== 'failed')
          violate('a job ends', `${nameOf(job)} is ${stands}, long after the troubles`);
        const why = deadLetters.find(({ jobId, isRequired }) => jobId === job.job_id && isRequired);
        if (stands === 'failed' && !why)
          violate('a job ends', `${nameOf(job)} has failed, and no dead letter says why`);
      }
    },
  };
}
