import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { createReviewMetrics } from '../../src/http/review-metrics.ts';
import { createOutbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createQueries } from '../../src/outbox/queries.ts';
import { type CodeReviews, createCodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { planOf, type Statement } from '../support/plan-of.ts';
import { onBothDatabases } from '../support/world.ts';
import { ana, bob, createReviewWorld, type ReviewWorld, request, submitter, to } from './review-world.ts';

const many = 20_000;

onBothDatabases('what is asked of reviews is found by its keys', (dialect) => {
  let world: ReviewWorld;
  let db: Database;
  let reviews: CodeReviews;
  let seen: Statement[] = [];
  beforeAll(async () => {
    world = await createReviewWorld(dialect);
    await addMany();
    db = await openDatabase(world.url, {
      ...{ clock: world.clock, log: silentLog },
      onStatement: (statement) => seen.push(statement),
    });
    const { clock } = world;
    const consent = consentOf({ db, clock });
    const outbox = createOutbox({
      ...{ db, clock, log: silentLog, namespace: await readNamespace(db) },
      listeners: { consent: consent.learn, source: () => undefined },
    });
    reviews = createCodeReviews({
      ...{ db, outbox, queries: createQueries(db), clock, log: silentLog, ids: systemIds },
      ...{ against: consent.against, onSubmitted: () => {} },
    });
  }, 120_000);
  beforeEach(() => {
    seen = [];
  });
  afterAll(async () => {
    await db.close();
    await world.close();
  });

  const by = { reason: 'why', by: 'olga', isOperator: true };
  const work: [string, () => Promise<unknown>][] = [
    ['a submission', () => reviews.submit(request({ recipients: to(ana, bob), rerun: true }), submitter)],
    ['the same again', () => reviews.submit(request({ recipients: to(ana, bob), rerun: true }), submitter)],
    [
      'a newer version',
      () =>
        reviews.submit(
          request({ idempotency_key: 'k-new', changelist_id: 'CL-7', review_version: 9, rerun: true }),
          submitter,
        ),
    ],
    ['a job', () => reviews.get('job-77')],
    ['the newest', () => reviews.list({ limit: 20 })],
    ['the next page', () => reviews.list({ limit: 20, before: 'job-500' })],
    ['in a state', () => reviews.list({ limit: 20, state: 'failed' })],
    ['of a change list', () => reviews.list({ limit: 20, changelistId: 'CL-9' })],
    ['dead letters', () => reviews.deadLetters({ limit: 20 })],
    ['another try', () => reviews.retry('job-40', by)],
    ['what became of it', async () => reviews.chores[0]?.once(new AbortController().signal)],
    ['what is to be said', () => draft()],
    ['what is to be forgotten', () => reviews.forget(many / 2)],
  ];

  async function draft() {
    const order = {
      source: 'code-reviews',
      worker: 'w',
      limit: 20,
      leaseMs: 60_000,
      from: 'normal',
    } as const;
    const claimed = await world.outbox.claim(order);
    expect(claimed.length).toBeGreaterThan(0);
    return reviews.source.draft(claimed);
  }

  test('metrics: whoever has been told is passed over, and of all jobs nothing is read but how many they are', async () => {
    await createReviewMetrics({ db, clock: world.clock })();
    const plans = (await Promise.all(seen.map((statement) => planOf(world.db, statement)))).map((lines) =>
      lines.join('\n'),
    );
    expect(plans.join()).toContain('deliveries_listed');
    for (const plan of plans)
      expect(plan).not.toMatch(
        /(?:SCAN|Seq Scan on) (?:deliveries|recipients|own|everybody|review_job_recipients)/,
      );
  });

  test.each(work)('%s', async (_, run) => {
    await run();
    const asked = seen.filter(
      ({ sql: text }) => /^\s*(SELECT|UPDATE|DELETE|WITH)/i.test(text) && /\bFROM|UPDATE\b/i.test(text),
    );
    expect(asked.length).toBeGreaterThan(0);
    for (const statement of asked) {
      const plan = (await planOf(world.db, statement)).join('\n');
      // A table of a few rows is read as a whole.
      expect(plan, `${statement.sql}\n${plan}`).not.toMatch(
        /Seq Scan on (?!unsubscribe_tokens|suppressions|review_replays|delivery_mails)/,
      );
      // A walk along an index from a place is what a list is.
      expect(plan, `${statement.sql}\n${plan}`).not.toMatch(
        /SCAN (?!json_each|input|SUBQUERY|CONSTANT|\(subquery|jobs\b|review_jobs USING (?:COVERING )?INDEX review_jobs_newest|replays USING (?:COVERING )?INDEX review_replays_(?:open|escalated)|list_)/,
      );
    }
  });

  async function addMany(): Promise<void> {
    const numbers =
      dialect === 'sqlite'
        ? sql`(WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${sql.lit(many)}) SELECT n FROM counted) AS numbers`
        : sql`generate_series(1, ${sql.lit(many)}) AS numbers(n)`;
    const write = world.db.write;
    await world.outbox.enqueue(
      Array.from({ length: many }, (_, at) => ({
        ...{ source: 'code-reviews', occasion: `CL-${at + 1}:1`, recipient: `r${at + 1}@example.org` },
        ...{ toEmail: `r${at + 1}@example.org`, lane: 'normal' as const },
      })),
    );
    await sql`INSERT INTO review_changelists (changelist_id, created_at) SELECT 'CL-' || n, n FROM ${numbers}`.execute(
      write,
    );
    await sql`INSERT INTO review_jobs (job_id, idempotency_key, changelist_id, review_version, is_rerun, title, findings, findings_count, created_by, created_at, trace_id)
      SELECT 'job-' || n, 'k-' || n, 'CL-' || n, 1, 0, 'Title', '[]', 0, 'a test', n, 't' FROM ${numbers}`.execute(
      write,
    );
    await sql`INSERT INTO review_job_recipients (job_id, recipient, is_required, delivery_seq)
      SELECT 'job-' || substr(occasion, 4, length(occasion) - 5), recipient, 1, seq FROM deliveries`.execute(
      write,
    );
    // As it is: most have been told, some are to be, and some never will.
    await sql`UPDATE deliveries SET status = 'sent', sent_at = 1, due_at = NULL WHERE seq % 40 > 1`.execute(
      write,
    );
    await sql`UPDATE deliveries SET status = 'failed_permanent', due_at = NULL WHERE seq % 40 = 0`.execute(
      write,
    );
    await sql`INSERT INTO delivery_events (delivery_seq, at, event, status, round, actor, detail)
      SELECT seq, 1, 'refused_for_good', 'failed_permanent', 1, 'w', '{"from":"sending","error":{"code":"policy"}}'
      FROM deliveries WHERE status = 'failed_permanent'`.execute(write);
    await sql`INSERT INTO delivery_events (delivery_seq, at, event, status, round, actor, detail)
      SELECT seq, 1, 'accepted', 'sent', 1, 'w', '{"from":"sending"}' FROM deliveries WHERE status = 'sent'`.execute(
      write,
    );
    if (dialect === 'postgres') await sql`ANALYZE`.execute(write);
  }
});
