// Posts the result of a review, and says what became of it:
//   TIDINGS_URL=https://tidings.example.org TIDINGS_API_KEY=… node submit-review.js result.json
import { readFile } from 'node:fs/promises';
import { createTidingsClient, type ReviewResult, type Submitted, TidingsError } from 'tidings/client';

const tidings = createTidingsClient({
  baseUrl: process.env.TIDINGS_URL ?? 'http://127.0.0.1:3000',
  apiKey: process.env.TIDINGS_API_KEY,
});

const result = JSON.parse(await readFile(process.argv[2] ?? 'result.json', 'utf8')) as ReviewResult;
// The key is of this run of the job: a second start of the same run is the same submission.
if (process.env.CI_RUN_ID) result.idempotency_key ??= `ci-${process.env.CI_RUN_ID}`;

try {
  console.log(sentenceOf(await tidings.reviews.submit(result)));
} catch (error) {
  if (!(error instanceof TidingsError)) throw error;
  // Somebody was quicker with a newer version: whoever waits for this one has heard of that one.
  if (error.code === 'stale_review_version') console.log(error.sentence);
  else {
    console.error(`${error.sentence} (${error.code}, trace id ${error.traceId})`);
    process.exitCode = 1;
  }
}

function sentenceOf({ answer, job, differences }: Submitted): string {
  const name = `Version ${job.review_version} of ${job.changelist_id} (job ${job.job_id})`;
  if (answer === 'created') return `${name} is on its way.`;
  const others = differences.length > 0 ? ` It says something else about: ${differences.join(', ')}.` : '';
  return `${name} was there already, and is ${job.state}.${others}`;
}
