import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ReviewJob } from '../../src/sources/code-reviews/jobs/job-rows.ts';
import type { SubmitRequest } from '../../src/sources/code-reviews/jobs/submission.ts';
import { systemClock } from '../../src/std/clock.ts';
import { type Crew, createCrew } from '../support/crew.ts';
import { onBothDatabases } from '../support/world.ts';
import { ana, bob, createReviewWorld, type ReviewWorld, request, to } from './review-world.ts';

const processes = 8;
const perProcess = 25;

type Answer = { answer: string; job: ReviewJob } | { refused: string };

let crew: Crew;
beforeAll(() => {
  crew = createCrew(new URL('./race-worker.mjs', import.meta.url), processes);
});
afterAll(async () => {
  expect(await crew.dismiss()).toEqual(Array.from({ length: processes }, () => 0));
});

/** Processes, not promises: they have nothing in common but the database. */
onBothDatabases(`${processes * perProcess} submissions at once from ${processes} processes`, (dialect) => {
  let world: ReviewWorld;
  beforeEach(async () => {
    world = await createReviewWorld(dialect);
  });
  afterEach(() => world.close());

  async function submitAll(requestOf: (process: number, number: number) => SubmitRequest): Promise<Answer[]> {
    const orders = Array.from({ length: processes }, (_, process) => ({
      settings: { DATABASE_URL: world.url },
      requests: Array.from({ length: perProcess }, (_, number) => requestOf(process, number)),
    }));
    const answers = (await crew.race(orders)).flat() as Answer[];
    expect(answers).toHaveLength(processes * perProcess);
    return answers;
  }

  const kindsOf = (answers: readonly Answer[]) => {
    const kinds: Record<string, number> = {};
    for (const one of answers) {
      const kind = 'refused' in one ? one.refused : one.answer;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    return kinds;
  };
  const jobsOf = (answers: readonly Answer[]) => answers.flatMap((one) => ('job' in one ? [one.job] : []));
  const count = async (table: 'review_jobs' | 'deliveries' | 'review_job_recipients') =>
    (await world.db.read.selectFrom(table).selectAll().execute()).length;

  it('one idempotency key: one job, and the same answer for all', { timeout: 120_000 }, async () => {
    const answers = await submitAll(() => request({ recipients: to(ana, bob) }));
    expect(kindsOf(answers)).toEqual({ created: 1, duplicate_idempotency: 199 });
    const [first, ...others] = jobsOf(answers);
    for (const other of others) expect(other).toEqual(first);
    expect([await count('review_jobs'), await count('deliveries')]).toEqual([1, 2]);
    // The processes went by the real clock.
    await world.clock.advance(systemClock.now() - world.clock.now());
    await world.turn();
    expect(world.provider.ledger.map(({ mail }) => mail.to).sort()).toEqual([ana, bob]);
  });

  it('one version under 200 keys: one job, which answers all', { timeout: 120_000 }, async () => {
    const answers = await submitAll((process, number) =>
      request({ idempotency_key: `key-${process}-${number}`, recipients: to(ana, bob) }),
    );
    expect(kindsOf(answers)).toEqual({ created: 1, already_running_same_version: 199 });
    expect(new Set(jobsOf(answers).map(({ row }) => row.job_id)).size).toBe(1);
    expect([await count('review_jobs'), await count('deliveries')]).toEqual([1, 2]);
  });

  it('one key for 200 change lists, and 200 versions of one: never an error, never a hole', {
    timeout: 120_000,
  }, async () => {
    const answers = await submitAll((process, number) =>
      process % 2 === 0
        ? request({ idempotency_key: 'the one', changelist_id: `CL-${process}-${number}` })
        : request({
            ...{ idempotency_key: `key-${process}-${number}`, changelist_id: 'CL-many' },
            review_version: 1 + number * processes + process,
          }),
    );
    const kinds = kindsOf(answers);
    expect(Object.keys(kinds).sort()).toEqual(expect.arrayContaining(['created', 'duplicate_idempotency']));
    expect(
      Object.keys(kinds).filter(
        (kind) => !['created', 'duplicate_idempotency', 'stale_review_version'].includes(kind),
      ),
    ).toEqual([]);
    expect(kinds.duplicate_idempotency).toBe(99);
    const rows = await world.db.read
      .selectFrom('review_jobs')
      .selectAll()
      .where('changelist_id', '=', 'CL-many')
      .orderBy('review_version')
      .execute();
    expect(rows.length).toBe((kinds.created ?? 0) - 1);
    // Each knows the one before it, in the order in which they were taken: none was taken behind another's back.
    expect(rows.map(({ previous_version }) => previous_version)).toEqual([
      null,
      ...rows.slice(0, -1).map(({ review_version }) => review_version),
    ]);
    expect(rows.at(-1)?.review_version, 'the highest is always taken').toBe(
      1 + (perProcess - 1) * processes + (processes - 1),
    );
    expect(await count('deliveries')).toBe(await count('review_job_recipients'));
  });
});
