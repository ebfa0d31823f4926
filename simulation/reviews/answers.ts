import type { ReviewJobRow } from '../../src/db/reviews-schema.ts';
import type { SubmitAnswer } from '../../src/sources/code-reviews/jobs/submit.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { Request } from './bots.ts';
import {
  contentOf,
  contentOfJob,
  differencesBetween,
  jobWith,
  nameOf,
  type Standing,
  standingOf,
  versionsOf,
} from './reading.ts';
import type { ReviewTables } from './review-tables.ts';

/** What a bot is answered, beside what is so: at some moment while it waited for the answer. */
export interface AnswerWatch {
  asked(request: Request, tables: ReviewTables, rows: readonly WatchedRow[]): Ask;
  answered(ask: Ask, outcome: Outcome, tables: ReviewTables, rows: readonly WatchedRow[]): void;
}

/** As it was when it was asked. */
export interface Ask {
  request: Request;
  /** The job of its key. */
  known: ReviewJobRow | undefined;
  latest: number | undefined;
  /** How the job of its version stood. */
  stood: Standing | undefined;
}

export type Outcome =
  | { kind: 'answer'; answer: SubmitAnswer }
  | { kind: 'refusal'; code: string; details: Readonly<Record<string, unknown>> }
  /** Nothing had gone wrong in its process. */
  | { kind: 'error'; message: string };

export function createAnswerWatch({ violate }: { violate: Violate }): AnswerWatch {
  /** Jobs of which somebody was told that they had made them. */
  const made = new Set<string>();
  const say = (sentence: string) => violate('one review, one job', sentence);

  const standing = (job: ReviewJobRow | undefined, { lines }: ReviewTables, rows: readonly WatchedRow[]) =>
    job && standingOf(lines.get(job.job_id) ?? [], (seq) => rows.find((row) => row.seq === seq));
  const ofVersion = (tables: ReviewTables, changelistId: string, version: number) =>
    versionsOf(tables, changelistId).find(({ review_version }) => review_version === version);

  function checkAnswer(
    { request, known, stood }: Ask,
    { answer, job, differences }: SubmitAnswer,
    tables: ReviewTables,
    rows: readonly WatchedRow[],
  ): void {
    const { idempotency_key: key, changelist_id: changelistId, review_version: version } = request.body;
    const mine = jobWith(tables, (each) => each.idempotency_key === key);
    const same = ofVersion(tables, changelistId, version);
    const there = tables.jobs.get(job.row.job_id);
    const name = `${key} is answered with ${answer}`;
    if (!there) {
      say(`${name}, and its job is not there`);
      return;
    }
    const lines = tables.lines.get(there.job_id) ?? [];
    const told = job.recipients.map(({ recipient, isRequired }) => `${recipient} ${isRequired}`).join();
    const isWhole =
      lines.map(({ recipient, is_required }) => `${recipient} ${is_required === 1}`).join() === told;
    if (!isWhole || JSON.stringify(there) !== JSON.stringify({ ...there, ...job.row }))
      say(`${name}, and with another ${nameOf(there)} than there is`);
    if (known && known.job_id !== there.job_id) say(`${name}, and had ${nameOf(known)} before`);
    if (mine?.job_id === there.job_id && answer.startsWith('already'))
      say(`${name}, and it is the job of that key`);
    switch (answer) {
      case 'created':
        if (known || made.has(there.job_id) || mine !== there) say(`${name}, and it was there`);
        made.add(there.job_id);
        break;
      case 'duplicate_idempotency':
        if (mine !== there) say(`${name}, and the job of that key is another`);
        break;
      case 'already_succeeded_same_version':
        if (same !== there) say(`${name}, and that is no job of its version`);
        if (standing(there, tables, rows) !== 'succeeded') say(`${name}, and it has not`);
        break;
      case 'already_running_same_version':
        if (same !== there) say(`${name}, and that is no job of its version`);
        if (stood === 'succeeded') say(`${name}, and it has succeeded before`);
        if (job.state === 'failed' || job.state === 'succeeded') say(`${name}, and its job is ${job.state}`);
        break;
      case 'already_failed_same_version':
        if (same !== there) say(`${name}, and that is no job of its version`);
        if (job.state !== 'failed') say(`${name}, and its job is ${job.state}`);
        break;
    }
    if (request.isBad) {
      if (!differences.includes('recipients')) say(`${name}, and nobody is told that it is no review`);
      return;
    }
    const expected =
      answer === 'created' ? [] : differencesBetween(contentOf(request), contentOfJob(there, lines));
    if (expected.toSorted().join() !== [...differences].sort().join())
      say(
        `${name}, and differs in ${expected.join() || 'nothing'}, not in ${differences.join() || 'nothing'}`,
      );
  }

  function checkRefusal(
    { request, known, latest }: Ask,
    { code, details }: Extract<Outcome, { kind: 'refusal' }>,
    tables: ReviewTables,
    rows: readonly WatchedRow[],
  ): void {
    const { idempotency_key: key, changelist_id: changelistId, review_version: version } = request.body;
    const name = `${key}, ${changelistId} version ${version}, is refused (${code})`;
    if (known) say(`${name}, and ${nameOf(known)} was made of it before`);
    if (request.isBad !== (code === 'invalid_review')) say(`${name}, and that is not what is wrong`);
    const told = Number(details.latest_version);
    const job = ofVersion(tables, changelistId, told);
    const isLatest = job !== undefined && told >= (latest ?? 0);
    switch (code) {
      case 'invalid_review': {
        const problems = (details.problems ?? []) as { field: string }[];
        const places = request.badPlaces.map((place) => `recipients[${place}].email`);
        const expected = places.length > 0 ? places : ['recipients'];
        if (problems.map(({ field }) => field).join() !== expected.join())
          say(`${name}, and is not told of ${expected.join()}`);
        return;
      }
      case 'stale_review_version':
        if (!isLatest || told <= version) violate('versions go on', `${name}, and the latest is ${told}`);
        return;
      case 'rerun_required': {
        const isSo = isLatest && told < version && request.body.rerun !== true;
        if (!isSo || standing(job, tables, rows) !== 'succeeded')
          violate('versions go on', `${name}, and ${told} has not succeeded`);
        return;
      }
      default:
        say(`${name}, for no reason that there is`);
    }
  }

  return {
    asked(request, tables, rows) {
      const { idempotency_key: key, changelist_id: changelistId, review_version: version } = request.body;
      return {
        request,
        known: jobWith(tables, (each) => each.idempotency_key === key),
        latest: versionsOf(tables, changelistId).at(-1)?.review_version,
        stood: standing(ofVersion(tables, changelistId, version), tables, rows),
      };
    },
    answered(ask, outcome, tables, rows) {
      if (outcome.kind === 'answer') checkAnswer(ask, outcome.answer, tables, rows);
      else if (outcome.kind === 'refusal') checkRefusal(ask, outcome, tables, rows);
      else say(`${ask.request.body.idempotency_key} is answered with an error: ${outcome.message}`);
    },
  };
}
