import type { SubmitRequest } from '../sources/code-reviews/jobs/submission.ts';
import { reviewers } from './sample-people.ts';

const changes = [
  {
    title: 'Count each seat once',
    summary: 'Mostly good. One place still counts a seat twice when two lists arrive together.',
    findings: [
      {
        severity: 'major',
        message: 'Two lists at once are both added.',
        file: 'src/seats/count.ts',
        line: 41,
      },
      {
        severity: 'minor',
        message: 'The name says what it was, not what it is.',
        file: 'src/seats/count.ts',
        line: 12,
      },
    ],
  },
  {
    title: 'Read budgets by the month',
    summary: 'Nothing stands in the way of this.',
    findings: [{ severity: 'info', message: 'A test for the month of February would be welcome.' }],
  },
  {
    title: 'Keep a session no longer than a day',
    summary: 'One finding must be mended before this goes out.',
    findings: [
      {
        severity: 'critical',
        message: 'A session that has ended is still let in.',
        file: 'src/session.ts',
        line: 88,
      },
    ],
  },
] as const;

/** The review of one change list after the other; the same number is the same review. */
export function sampleReview(number: number): SubmitRequest {
  const change = changes[number % changes.length] ?? changes[0];
  return {
    ...{ idempotency_key: `samples-${number}`, changelist_id: `cl-${1_000 + number}`, review_version: 1 },
    ...{ title: change.title, summary: change.summary, findings: change.findings },
    recipients: reviewers.map(({ email }, place) => ({ email, required: place < 2 })),
  };
}
