import type { Consent } from '../../../consent/consent.ts';
import type { Database, Tx } from '../../../db/database.ts';
import { type Address, addressKey, parseAddress } from '../../../domain/address.ts';
import { type Status, statuses } from '../../../domain/status.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Recorded } from '../../../outbox/record.ts';
import { type LockedDelivery, lockDeliveries } from '../../../outbox/rows.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { Refusal } from '../../../std/refusal.ts';
import type { JobRecipient, ReviewJob } from '../jobs/job-rows.ts';
import { causeOf } from './cause.ts';
import { isDead } from './dead-letters.ts';
import { codeOf, type Failures, readFailures } from './failures.ts';
import { insertReplays, settleReplays } from './replays.ts';

/**
 * Another try for those of a job who have not heard and never would. The reason is kept in each delivery's story. Who is on the list of
 * addresses that must not be mailed, or has left, stays untold until that is taken back; what has ended twice in the same way is for an
 * operator to decide.
 */
export interface RetryOrder {
  reason: string;
  by: string;
  /** Addresses; all dead letters of the job if left out. */
  recipients?: readonly string[] | undefined;
  /** An operator's word holds also for what has escalated. */
  isOperator: boolean;
}

export interface Retried {
  recipient: string;
  isRequeued: boolean;
  outcome: RetryOutcome;
  /** As it is now. */
  stage: Status;
  sentence: string;
}

const sentences = {
  requeued: 'It is put back, and sent when a worker takes it.',
  already_sent: 'They have been told; nobody is told twice.',
  in_progress: 'It is on its way, or is tried again by itself.',
  needs_review:
    'A mail may exist, so that a person must say whether it was sent: POST /api/v1/deliveries/resolve.',
  mail_may_exist: 'It was closed in doubt: a mail may exist, and sending it again could tell them twice.',
  suppressed:
    'The address must not be mailed, and stays so until an operator lifts it: see /api/v1/suppressions.',
  unsubscribed:
    'They have unsubscribed from code reviews; only they, or an operator for them, can take it back.',
  escalated: 'It was tried again and ended in the same way; an operator must decide.',
  forgotten:
    'Its content and address were deleted, as MAIL_RETENTION_DAYS says: submit the review as a newer version.',
} as const;
export type RetryOutcome = keyof typeof sentences;
export const retryOutcomes = Object.keys(sentences) as RetryOutcome[];

export interface RetryParts {
  db: Database;
  outbox: Outbox;
  against: Consent['against'];
  clock: Clock;
  log: Log;
  onSubmitted: () => void;
}

export async function retryJob(job: ReviewJob, order: RetryOrder, parts: RetryParts): Promise<Retried[]> {
  const { db, log } = parts;
  const chosen = chosenOf(job, order.recipients);
  // What an earlier try came to is told before the next begins.
  await settleReplays(parts);
  const retried = await db.transaction((tx) => retryIn(tx, job, chosen, order, parts));
  const count = retried.filter(({ isRequeued }) => isRequeued).length;
  if (count > 0) parts.onSubmitted();
  log.info('review.retried', { jobId: job.row.job_id, asked: retried.length, count });
  return retried;
}

/** Undefined places are those that nobody has asked for. */
function chosenOf({ recipients }: ReviewJob, named: readonly string[] | undefined): JobRecipient[] {
  if (named === undefined) return [...recipients];
  const problems: { field: string; problem: string }[] = [];
  const chosen = new Map<string, JobRecipient>();
  for (const [place, text] of named.entries()) {
    const parsed = parseAddress(text);
    const key = parsed.ok ? addressKey(parsed.address) : '';
    const found = recipients.find(({ recipient }) => recipient === key);
    if (found) chosen.set(key, found);
    else
      problems.push({
        field: `recipients[${place}]`,
        problem: `recipients[${place}] is none of this job's.`,
      });
  }
  const [first] = problems;
  if (first) {
    const more = problems.length > 1 ? ` And ${problems.length - 1} more: see details.` : '';
    throw new Refusal('recipient_unknown', `${first.problem}${more}`, { problems });
  }
  return [...chosen.values()];
}

interface Looked extends JobRecipient {
  failures: Failures;
  delivery: LockedDelivery;
  /** Why it is not to be tried again; undefined where it may. */
  hindrance: RetryOutcome | undefined;
}

/** Under the deliveries' locks: two who ask at once, or a worker who ends one just now, come one after the other. */
async function retryIn(
  tx: Tx,
  job: ReviewJob,
  chosen: readonly JobRecipient[],
  order: RetryOrder,
  { db, outbox, against, clock }: RetryParts,
): Promise<Retried[]> {
  const seqs = chosen.map(({ deliverySeq }) => deliverySeq);
  const deliveries = await lockDeliveries(tx, db.dialect, seqs);
  const failuresOf = await readFailures(tx, db.dialect, seqs);
  const objections = await against(
    deliveries.map(({ seq, source, recipient, toEmail }) => ({
      ...{ seq, source, recipient, to: (toEmail ?? recipient) as Address },
    })),
    tx,
  );
  const looked = chosen.flatMap((one): Looked[] => {
    const delivery = deliveries.find(({ seq }) => seq === one.deliverySeq);
    if (!delivery) return [];
    const failures = failuresOf(delivery.seq);
    const objection = objections.get(delivery.seq);
    return [{ ...one, failures, delivery, hindrance: hindranceOf(delivery, failures, objection, order) }];
  });
  const asked = order.recipients ? looked : looked.filter(isWaitingForSomebody);
  const free = asked.filter(({ hindrance }) => hindrance === undefined);
  if (free.length === 0 && asked.some(({ hindrance }) => hindrance === 'escalated')) throw escalated(job);
  const recorded = await outbox.perform(
    free.map(({ deliverySeq }) => deliverySeq),
    { verb: 'requeued', reason: order.reason, operator: order.by },
    tx,
  );
  const bySeq = new Map(recorded.map((one) => [one.seq, one]));
  const done = free.filter(({ deliverySeq }) => bySeq.get(deliverySeq)?.changed);
  await insertReplays(
    tx,
    db.dialect,
    done.map(({ deliverySeq, failures: { ending } }) => ({
      ...{ deliverySeq, jobId: job.row.job_id, by: order.by },
      errorClass: ending ? causeOf(ending).errorClass : 'unknown_outcome',
      code: ending ? codeOf(ending) : 'unknown',
    })),
    clock.now(),
  );
  return asked.map((one) => retriedOf(one, bySeq.get(one.deliverySeq)));
}

function hindranceOf(
  { state: { status, deliveredAt, sentAt } }: LockedDelivery,
  failures: Failures,
  objection: 'unsubscribed' | 'address_suppressed' | undefined,
  { isOperator }: RetryOrder,
): RetryOutcome | undefined {
  if (status === 'needs_review') return 'needs_review';
  if (!statuses[status].isFinal) return 'in_progress';
  if (!isDead({ status, delivered_at: deliveredAt }, failures)) return 'already_sent';
  if (objection) return objection === 'unsubscribed' ? 'unsubscribed' : 'suppressed';
  if (failures.isEscalated && !isOperator) return 'escalated';
  // Accepted, and nothing says that it came back: told.
  return sentAt !== null && failures.ending === null ? 'already_sent' : undefined;
}

const isWaitingForSomebody = ({ hindrance }: Looked) =>
  hindrance !== 'already_sent' && hindrance !== 'in_progress';

function retriedOf({ recipient, hindrance, delivery }: Looked, recorded: Recorded | undefined): Retried {
  const isRequeued = recorded?.changed === true;
  const refused = recorded?.why === 'forgotten' ? 'forgotten' : 'mail_may_exist';
  const outcome = hindrance ?? (isRequeued ? 'requeued' : refused);
  const stage = recorded?.status ?? delivery.state.status;
  return { recipient, isRequeued, outcome, stage, sentence: sentences[outcome] };
}

function escalated({ row }: ReviewJob): Refusal {
  return new Refusal(
    'escalated',
    'These were tried again and ended in the same way. An operator must decide, with an operator key or `tidings reviews retry`.',
    { job_id: row.job_id },
  );
}
