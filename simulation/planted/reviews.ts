import type { PlantedBug } from './planted-bug.ts';

const where = 'among reviewers';
const reviews = 'sources/code-reviews';

/** What comes of a review that is submitted, how its job stands, and what is told of it. */
export const reviewBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'a-key-twice-is-two-jobs', rule: 'one key, one job', where },
    because: 'a key that is used for a second change list makes a second job',
    edits: [
      {
        file: 'db/migrations/sqlite/0008_code_reviews.sql',
        find: 'CREATE UNIQUE INDEX review_jobs_idempotency_key',
        replace: 'CREATE INDEX review_jobs_idempotency_key',
      },
      {
        file: `${reviews}/jobs/job-rows.ts`,
        find: ".where('idempotency_key', '=', key).executeTakeFirst();",
        replace:
          ".where('idempotency_key', '=', key).where('changelist_id', '=', changelistId).executeTakeFirst();",
      },
      {
        file: `${reviews}/jobs/job-rows.ts`,
        find: 'export const jobOfKey = (executor: Executor, key: string) =>',
        replace: 'export const jobOfKey = (executor: Executor, key: string, changelistId: string) =>',
      },
      {
        file: `${reviews}/jobs/submit.ts`,
        find: 'await jobOfKey(tx, idempotencyKey);',
        replace: 'await jobOfKey(tx, idempotencyKey, changelistId);',
      },
      {
        file: `${reviews}/jobs/submit.ts`,
        find: '{ idempotencyKey }: Submission): Promise<Found | undefined> {',
        replace: '{ idempotencyKey, changelistId }: Submission): Promise<Found | undefined> {',
      },
      {
        file: `${reviews}/jobs/submit.ts`,
        find: 'await jobOfKey(read, idempotencyKey);',
        replace: 'await jobOfKey(read, idempotencyKey, changelistId);',
      },
    ],
  },
  {
    ...{ name: 'a-repeat-is-answered-by-its-version', rule: 'one key, one job', where },
    because: 'who submits the same again while the first is on its way is told that somebody else has',
    edits: [
      {
        file: `${reviews}/jobs/submit.ts`,
        find: "  if (known) return { answer: 'duplicate_idempotency', row: known };\n  const latest",
        replace: '  const latest',
      },
      {
        file: `${reviews}/jobs/submit.ts`,
        find: '    if (known) return known;\n',
        replace: '    if (known && tries > 0) return known;\n',
      },
    ],
  },
  {
    ...{ name: 'versions-are-compared-as-text', rule: 'versions', where },
    because: 'version 10 comes before version 9, and is refused',
    edits: [
      {
        file: `${reviews}/jobs/submit.ts`,
        find: 'if (version < latest.review_version) throw',
        replace: 'if (String(version) < String(latest.review_version)) throw',
      },
    ],
  },
  {
    ...{ name: 'an-old-version-is-told', rule: 'versions', where },
    because: 'reviewers hear of a version that has long been replaced',
    edits: [
      {
        file: `${reviews}/jobs/submit.ts`,
        find: 'if (version < latest.review_version) throw staleVersion(latest);',
        replace:
          'if (version < latest.review_version - 50) throw staleVersion(latest);\n  if (version < latest.review_version) return create(tx, order, null, parts);',
      },
    ],
  },
  {
    ...{ name: 'a-success-needs-no-rerun', rule: 'reruns', where },
    because: 'everybody hears of the next version, though nobody asked for a rerun',
    edits: [
      {
        file: `${reviews}/jobs/submit.ts`,
        find: 'if (hasSucceeded && !isRerun) throw',
        replace: 'if (hasSucceeded && !isRerun && version > latest.review_version + 9) throw',
      },
    ],
  },
  {
    ...{ name: 'a-success-is-not-answered-as-one', rule: 'answers', where },
    because: 'a bot whose version was told to all waits for it',
    edits: [
      {
        file: `${reviews}/jobs/submit.ts`,
        find: "succeeded: 'already_succeeded_same_version'",
        replace: "succeeded: 'already_running_same_version'",
      },
    ],
  },
  {
    ...{ name: 'a-failure-is-answered-as-under-way', rule: 'answers', where },
    because: 'a bot waits for a version of which somebody will never hear',
    edits: [
      {
        file: `${reviews}/jobs/submit.ts`,
        find: "failed: 'already_failed_same_version'",
        replace: "failed: 'already_running_same_version'",
      },
    ],
  },
  {
    ...{ name: 'other-recipients-make-no-difference', rule: 'answers', where },
    because: 'who names somebody else under an old key is not told that nobody will hear',
    edits: [
      {
        file: `${reviews}/jobs/differences.ts`,
        find: 'recipients: sameRecipients(submission.recipients, recipients),',
        replace: 'recipients: submission.recipients.length === recipients.length,',
      },
    ],
  },
  {
    ...{ name: 'recipients-as-they-are-spelt', rule: 'recipients', where },
    because: 'who is named in two spellings hears of one version twice',
    edits: [
      {
        file: `${reviews}/jobs/submission.ts`,
        find: 'const recipient = addressKey(parsed.address);',
        replace: 'const recipient: string = parsed.address;',
      },
      {
        file: `${reviews}/jobs/submission.ts`,
        find: 'import { type Address, addressKey, parseAddress }',
        replace: 'import { type Address, parseAddress }',
      },
    ],
  },
  {
    ...{ name: 'who-is-named-last-decides', rule: 'recipients', where },
    because: 'who must hear, and is named as optional once more, need not',
    edits: [
      {
        file: `${reviews}/jobs/submission.ts`,
        find: 'isRequired: required || known?.isRequired === true,',
        replace: 'isRequired: required,',
      },
    ],
  },
  {
    ...{ name: 'a-job-before-its-deliveries', rule: 'one transaction', where },
    because: 'a death between the two leaves a job of which nobody ever hears',
    edits: [
      {
        file: `${reviews}/jobs/submit.ts`,
        find: '    if (found) return found;\n  }',
        replace:
          "    if (found?.answer === 'created') await db.transaction((tx) => enqueueAll(tx, order, parts));\n    if (found) return found;\n  }",
      },
      {
        file: `${reviews}/jobs/submit.ts`,
        find: '  if (!(await insertJob(tx, row))) return undefined;\n',
        replace:
          "  return (await insertJob(tx, row)) ? { answer: 'created', row } : undefined;\n}\n\nasync function enqueueAll(\n  tx: Tx,\n  { submission, jobId, who }: Order,\n  { db, outbox }: SubmitParts,\n): Promise<void> {\n  const { changelistId, version, locale, recipients } = submission;\n",
      },
      {
        file: `${reviews}/jobs/submit.ts`,
        find: "  await insertRecipients(tx, db.dialect, jobId, linked);\n  return { answer: 'created', row };\n",
        replace: '  await insertRecipients(tx, db.dialect, jobId, linked);\n',
      },
    ],
  },
  {
    ...{ name: 'optional-reviewers-hold-a-job-back', rule: 'states of jobs', where },
    because: 'a job waits for somebody who need not hear of it',
    edits: [
      {
        file: `${reviews}/jobs/job-state.ts`,
        find: 'const required = recipients.filter(({ isRequired }) => isRequired);',
        replace: 'const required = recipients;',
      },
    ],
  },
  {
    ...{ name: 'who-will-never-hear-is-not-missed', rule: 'states of jobs', where },
    because: 'a job succeeds although somebody who must hear was given up',
    edits: [
      {
        file: `${reviews}/jobs/job-state.ts`,
        find: 'const untold = required.filter(({ sentAt }) => sentAt === null);',
        replace:
          'const untold = required.filter(\n    ({ sentAt, status }) => sentAt === null && !statuses[status].isFinal,\n  );',
      },
    ],
  },
  {
    ...{ name: 'who-complains-was-never-told', rule: 'states of jobs', where },
    because: 'a job that had succeeded has not, because somebody did not like its mail',
    edits: [
      {
        file: `${reviews}/jobs/job-state.ts`,
        find: 'const untold = required.filter(({ sentAt }) => sentAt === null);',
        replace:
          "const untold = required.filter(({ sentAt, status }) => sentAt === null || status === 'suppressed');",
      },
    ],
  },
  {
    ...{ name: 'what-changed-since-the-latest', rule: 'words of reviews', where },
    because: 'a mail that leaves late compares its version with one that came after it',
    edits: [
      {
        file: `${reviews}/mail/review-source.ts`,
        find: ' AND review_jobs.review_version = input.review_version\n',
        replace: ' ORDER BY review_jobs.review_version DESC\n',
      },
      {
        file: `${reviews}/mail/review-source.ts`,
        find: ' && one.review_version === job.previous_version',
        replace: ' && one.job_id !== job.job_id',
      },
    ],
  },
  {
    ...{ name: 'a-batch-shares-its-words', rule: 'words of reviews', where },
    because: 'of two versions that leave together both tell of the first',
    edits: [
      {
        file: `${reviews}/mail/review-source.ts`,
        find: 'rows.map(({ delivery_seq, job_id }) => [delivery_seq, job_id])',
        replace: 'rows.map(({ delivery_seq }) => [delivery_seq, rows[0]?.job_id])',
      },
    ],
  },
  {
    ...{ name: 'a-batch-shares-its-address', rule: 'one reviewer, one mail', where },
    because: 'of the reviewers who are told together one gets all mails, and the others none',
    edits: [
      {
        file: `${reviews}/mail/review-source.ts`,
        find: 'batch.map((claimed): [number, Draft] => {',
        replace:
          'batch.map((own): [number, Draft] => {\n      const claimed = { ...own, toEmail: batch.at(-1)?.toEmail ?? null };',
      },
    ],
  },
];
