import type { Tx } from '../db/database.ts';
import type { WorkEvent } from '../domain/lifecycle.ts';
import { bodyHash, type Mail } from '../domain/message.ts';
import type { DeliveryError } from '../domain/transition.ts';
import type { Claimed } from './claim.ts';
import { freezeMails } from './mails.ts';
import { applyReports, type Recorded, type RecordParts, type Report } from './record.ts';
import { type LockedDelivery, lockAsKnown, lockDeliveries } from './rows.ts';
import { dropWords } from './written.ts';

/** A claimed delivery with the mail that is to leave: the frozen one of this round, or a fresh one. */
export interface Composed {
  claimed: Claimed;
  mail: Mail;
  /** What a fresh mail was made with. */
  template?: { name: string; version: string };
}

/** Why a claimed delivery does not go out after all, decided in the last transaction before bytes leave. */
export interface Verdict {
  event: Extract<WorkEvent, 'unsubscribed' | 'address_suppressed' | 'ineligible' | 'expired' | 'deferred'>;
  dueAt?: number;
  error?: DeliveryError;
}

/** The last look at consent and at the source's own rules. Deliveries that are not in the answer go out. */
export type LastCheck = (composed: readonly Composed[], tx: Tx) => Promise<ReadonlyMap<number, Verdict>>;

export interface BeginOrder {
  worker: string;
  /** The provider and credentials that will hold the mails. */
  account: string;
  /** How long that account recognises a key, less a margin; null if it has no keys. */
  keyWindowMs: number | null;
  lastCheck: LastCheck;
}

export interface Begun {
  /** Now `sending`: these may leave, and no others. */
  sending: Composed[];
  /** What became of the others: stopped by the last check, or no longer ours. */
  stopped: Recorded[];
}

/**
 * The write-ahead: one transaction just before bytes leave, in which the last check is made, the mail frozen and the
 * row marked as possibly accepted from now on. After a crash the row says that a mail may exist, and under which key.
 */
export async function beginDeliveries(
  tx: Tx,
  batch: readonly Composed[],
  order: BeginOrder,
  now: number,
  parts: RecordParts,
): Promise<Begun> {
  if (batch.length === 0) return { sending: [], stopped: [] };
  const rows = await lockAsKnown(
    tx,
    parts.dialect,
    batch.map(({ claimed: { seq, known } }) => ({ seq, known })),
  );
  const held = new Map(rows.map(({ seq, id, state }) => [seq, { id, ...state }]));
  const ours = batch.filter(({ claimed }) => {
    const row = held.get(claimed.seq);
    return row?.id === claimed.id && row.status === 'claimed' && row.lease === claimed.lease;
  });
  const verdicts = await order.lastCheck(ours, tx);
  const resubmitUntil = order.keyWindowMs === null ? null : now + order.keyWindowMs;
  // Only of what is frozen here; the others' bodies were hashed when they were.
  const hashes = new Map(
    batch.filter(({ claimed }) => !claimed.frozen).map(({ claimed, mail }) => [claimed.seq, bodyHash(mail)]),
  );
  const reports = batch.map(({ claimed, mail, template }): Report => {
    const base = { seq: claimed.seq, id: claimed.id, lease: claimed.lease, actor: order.worker };
    const verdict = verdicts.get(claimed.seq);
    if (verdict) return { ...base, ...verdict, ...(isObjection(verdict) && addressed(claimed, mail)) };
    const begun = { ...base, event: 'begun', account: order.account, resubmitUntil } as const;
    const contentHash = hashes.get(claimed.seq);
    if (contentHash === undefined) return begun;
    const { name: templateName, version: templateVersion } = template ?? {
      name: claimed.templateName,
      version: claimed.templateVersion,
    };
    return { ...begun, frozen: { toEmail: mail.to, contentHash, templateName, templateVersion } };
  });
  const answers = await applyReports(tx, rows, reports, now, parts);
  const begun = new Set(
    answers.filter(({ changed, status }) => changed && status === 'sending').map(({ seq }) => seq),
  );
  const rowOf = new Map(rows.map((row) => [row.seq, row]));
  const sending = batch.filter(({ claimed }) => begun.has(claimed.seq)).map((one) => withRow(one, rowOf));
  const fresh = sending.flatMap(({ claimed: { seq, round }, mail }) => {
    const hash = hashes.get(seq);
    return hash === undefined ? [] : [{ seq, round, mail, hash }];
  });
  await freezeMails(tx, parts.dialect, fresh, now);
  const aheads = sending.filter(({ claimed }) => !claimed.frozen && claimed.written);
  await dropWords(
    tx,
    parts.dialect,
    aheads.map(({ claimed }) => claimed.seq),
  );
  return { sending, stopped: answers.filter(({ seq }) => !begun.has(seq)) };
}

/** With the row as it is now, for whoever records what came of it. Not of a later round: of the one before facts may still come unseen. */
function withRow(composed: Composed, rows: ReadonlyMap<number, LockedDelivery>): Composed {
  const { claimed, mail } = composed;
  const row = rows.get(claimed.seq);
  if (!row || row.state.round > 1) return composed;
  return { ...composed, claimed: { ...claimed, known: { ...row, toEmail: mail.to } } };
}

const isObjection = ({ event }: Verdict) => event === 'unsubscribed' || event === 'address_suppressed';

/** Whose no it was, where only the source knew the address: who takes it back is to find what it stopped. */
function addressed({ toEmail, templateName, templateVersion }: Claimed, { to }: Mail) {
  return toEmail === null
    ? { frozen: { toEmail: to, contentHash: null, templateName, templateVersion } }
    : {};
}

/**
 * The same bytes under the same key once more, for deliveries that are in doubt: only where the key is still known when the
 * lease ends, to the account that holds the round, and while consent and the source would still send. A verdict against it
 * moves nothing, because a mail may exist; it only bars the way. Answers those that may leave.
 */
export async function resubmitDeliveries(
  tx: Tx,
  batch: readonly Composed[],
  order: Omit<BeginOrder, 'keyWindowMs'>,
  now: number,
  parts: RecordParts,
): Promise<Composed[]> {
  if (batch.length === 0) return [];
  const rows = await lockDeliveries(
    tx,
    parts.dialect,
    batch.map(({ claimed }) => claimed.seq),
  );
  const verdicts = await order.lastCheck(batch, tx);
  const allowed = batch.filter(({ claimed }) => !verdicts.has(claimed.seq));
  const reports = allowed.map(
    ({ claimed: { seq, id, lease } }): Report => ({
      seq,
      id,
      lease,
      event: 'resubmitted',
      account: order.account,
      actor: order.worker,
    }),
  );
  const answers = await applyReports(tx, rows, reports, now, parts);
  const moved = new Set(answers.filter(({ changed }) => changed).map(({ seq }) => seq));
  return allowed.filter(({ claimed }) => moved.has(claimed.seq));
}
