import type { ReviewJob } from './job-rows.ts';
import type { ReadSubmission } from './submission.ts';

/**
 * In what a repeated request differs from the job that answers it, by the names of its fields: nothing of it is done, and whoever
 * meant something else should know. What could not be understood is another thing than what was; what was forgotten since cannot be
 * compared, and is not said to differ.
 */
export function differencesFrom({ row, recipients }: ReviewJob, read: ReadSubmission): string[] {
  const { submission, problems } = read;
  const isForgotten = row.forgotten_at !== null;
  const isSame: Readonly<Record<string, boolean>> = {
    changelist_id: submission.changelistId === row.changelist_id,
    review_version: submission.version === row.review_version,
    rerun: submission.isRerun === (row.is_rerun === 1),
    recipients: sameRecipients(submission.recipients, recipients),
    title: submission.title === row.title,
    url: submission.url === row.url,
    summary: isForgotten || submission.summary === row.summary,
    findings: isForgotten || JSON.stringify(submission.findings) === row.findings,
    locale: submission.locale === row.locale,
  };
  const bad = new Set(problems.map(({ field }) => field.split('[')[0]));
  return Object.keys(isSame).filter((field) => !isSame[field] || bad.has(field));
}

type Named = { recipient: string; isRequired: boolean };

function sameRecipients(asked: readonly Named[], known: readonly Named[]): boolean {
  const lines = (list: readonly Named[]) =>
    list
      .map(({ recipient, isRequired }) => `${isRequired} ${recipient}`)
      .sort()
      .join('\n');
  return lines(asked) === lines(known);
}
