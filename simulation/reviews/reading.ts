import type { ReviewJobRow } from '../../src/db/reviews-schema.ts';
import type { WatchedRow } from '../promises.ts';
import type { Request } from './bots.ts';
import type { Line, ReviewTables } from './review-tables.ts';

/** How requests and tables are read by whoever watches: slow and obvious. */

export const nameOf = ({ changelist_id, review_version }: ReviewJobRow) =>
  `${changelist_id} version ${review_version}`;

/** Whom an address means, however it is spelt. */
export const personOf = (email: string) => email.toLowerCase();

function addressOf(email: string): string {
  const [local = '', domain = ''] = email.split('@');
  return `${local}@${domain.toLowerCase()}`;
}

export interface Person {
  recipient: string;
  isRequired: boolean;
  /** As it was first spelt. */
  address: string;
}

/** Everybody once; who is required anywhere is required. */
export function peopleOf({ body }: Request): Person[] {
  const people = new Map<string, Person>();
  for (const { email, required = true } of body.recipients) {
    const recipient = personOf(email);
    const { isRequired = false, address = addressOf(email) } = people.get(recipient) ?? {};
    people.set(recipient, { recipient, address, isRequired: isRequired || required });
  }
  return [...people.values()].sort((one, other) => (one.recipient < other.recipient ? -1 : 1));
}

/** By field: what a request says, and what a job says, in the same words. */
export function contentOf(request: Request): Record<string, string> {
  const { changelist_id, review_version, rerun, title, url, summary, findings, locale } = request.body;
  const people = peopleOf(request).map(({ recipient, isRequired }) => [recipient, isRequired]);
  return textsOf({
    ...{ changelist_id, review_version, rerun: rerun === true, title, url, summary, locale },
    ...{ findings: findings ?? [], recipients: people },
  });
}

export function contentOfJob(job: ReviewJobRow, lines: readonly Line[]): Record<string, string> {
  const { changelist_id, review_version, is_rerun, title, url, summary, findings, locale } = job;
  const people = lines.map(({ recipient, is_required }) => [recipient, is_required === 1]);
  return textsOf({
    ...{ changelist_id, review_version, rerun: is_rerun === 1, title, url, summary, locale },
    ...{ findings: JSON.parse(findings), recipients: people },
  });
}

const textsOf = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value ?? null)]));

export const differencesBetween = (one: Record<string, string>, other: Record<string, string>) =>
  Object.keys(one).filter((field) => one[field] !== other[field]);

/** What is over without anybody having been told, or so it seems. */
const ended: ReadonlySet<string> = new Set([
  ...['failed_permanent', 'suppressed', 'expired'],
  ...['skipped_unsubscribed', 'skipped_no_email', 'skipped_ineligible'],
]);
export const hasEnded = ({ status }: Pick<WatchedRow, 'status'>) => ended.has(status);

export type Standing = 'queued' | 'in_progress' | 'retryable_failed' | 'succeeded' | 'failed';

/** How a job stands, by its lines and their deliveries. */
export function standingOf(lines: readonly Line[], rowOf: (seq: number) => WatchedRow | undefined): Standing {
  const all = lines.map((line) => ({ isRequired: line.is_required === 1, row: rowOf(line.delivery_seq) }));
  const missing = all.filter(({ isRequired, row }) => isRequired && (row?.sent_at ?? null) === null);
  if (missing.length === 0) return 'succeeded';
  if (missing.some(({ row }) => row && hasEnded(row))) return 'failed';
  const isStuck = (status: string | undefined) => status === 'failed_transient' || status === 'needs_review';
  if (missing.some(({ row }) => isStuck(row?.status))) return 'retryable_failed';
  return all.some(({ row }) => row && (row.lease > 0 || row.sent_at !== null)) ? 'in_progress' : 'queued';
}

export const jobWith = ({ jobs }: ReviewTables, isIt: (job: ReviewJobRow) => boolean) =>
  [...jobs.values()].find(isIt);

export const versionsOf = ({ jobs }: ReviewTables, changelistId: string) =>
  [...jobs.values()]
    .filter(({ changelist_id }) => changelist_id === changelistId)
    .sort((one, other) => one.review_version - other.review_version);

/** The version is what follows the last colon. */
export function occasionParts(occasion: string): { changelistId: string; version: number } {
  const cut = occasion.lastIndexOf(':');
  return { changelistId: occasion.slice(0, cut), version: Number(occasion.slice(cut + 1)) };
}
