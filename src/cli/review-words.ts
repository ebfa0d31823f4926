import type { deadLetterJson, jobJson, submitJson } from '../http/routes/review-shapes.ts';
import { printable } from './printable.ts';
import { jobMeanings } from './state-meanings.ts';
import type { Paint } from './terminal.ts';

type Submitted = ReturnType<typeof submitJson>;

/** A review job, for people. */
type Job = ReturnType<typeof jobJson>;

const answers = {
  created: 'Submitted',
  duplicate_idempotency: 'Known already: this key was used before',
  already_succeeded_same_version: 'Known already: this version has been told to all who must hear of it',
  already_running_same_version: 'Known already: this version was submitted under another key',
  already_failed_same_version:
    'Known already: this version was submitted under another key, and somebody who must hear of it could not be told',
} as const satisfies Record<Submitted['answer'], string>;

export function tellSubmitted({ answer, job, differences }: Submitted, paint: Paint): string[] {
  const lines = [`${answers[answer]}.`, ...tellJob(job, paint)];
  if (differences.length > 0)
    lines.push(`  This request differs from it in: ${differences.join(', ')}. Nothing of that was done.`);
  return lines;
}

export function tellJob(job: Job, paint: Paint): string[] {
  const name = `${printable(job.changelist_id)} version ${job.review_version}`;
  const required = job.recipients.filter(({ required }) => required);
  const others = job.recipients.filter(({ required }) => !required);
  const toldOf = (recipients: Job['recipients']) =>
    `${recipients.filter(({ notified_at }) => notified_at !== null).length} of ${recipients.length}`;
  const rest = others.length === 0 ? '' : `, and ${toldOf(others)} who need not`;
  return [
    `Job ${job.job_id}: ${name}, ${paint.meaning(jobMeanings[job.state], job.state)}`,
    `  ${printable(job.title)}`,
    `  ${toldOf(required)} who must hear of it have been told${rest}.`,
  ];
}

export function tellRecipients(job: Job): string[] {
  return job.recipients.map(({ email, required, status, stage, notified_at, last_error, delivery_seq }) => {
    const when = notified_at === null ? '' : ` at ${notified_at}`;
    const error = last_error === null ? '' : `: ${printable(last_error.message ?? last_error.code)}`;
    const isOptional = required ? '' : ' (optional)';
    const beside = stage === status ? '' : ` (${stage})`;
    return `  ${printable(email)}${isOptional}: ${status}${when}${beside}${error} [delivery ${delivery_seq}]`;
  });
}

/** Whose turn it is. */
export function tellDeadLetters(letters: readonly ReturnType<typeof deadLetterJson>[]): string[] {
  return letters.map(({ email, asks, error_class, code, escalated }) => {
    const again = escalated ? ', which ended so twice' : '';
    return `  Up to the ${asks}: ${printable(email)} (${error_class}, ${printable(code)})${again}`;
  });
}
