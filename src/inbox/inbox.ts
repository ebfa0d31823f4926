import type { Database } from '../db/database.ts';
import type { Mail } from '../domain/message.ts';
import { newestMails } from './find-mails.ts';

/** What the built-in inbox has taken, for whoever reads it. Nothing here changes a mail: the provider looks them up by their keys. */
export interface CapturedMail {
  /** In the order of arrival; the next page is below the last one of this. */
  number: number;
  messageId: string;
  receivedAt: number;
  mail: Mail;
}

export interface InboxFilter {
  limit: number;
  below?: number | undefined;
  /** How the recipient's address begins. */
  to?: string | undefined;
  /** How the subject begins. */
  subject?: string | undefined;
  /** Also what was cleared away. */
  withCleared?: true;
}

export interface InboxPage {
  mails: CapturedMail[];
  /** The next page is below this; null at the end. A page may be short, or empty, before the end is reached. */
  next: number | null;
}

/** Newest first, and those that were cleared away only for who asks for them. */
export async function readInbox(db: Database, filter: InboxFilter): Promise<InboxPage> {
  const { below = Number.MAX_SAFE_INTEGER, withCleared = false, ...wanted } = filter;
  const above = withCleared ? 0 : await clearedUpTo(db);
  const { seqs, next } = await newestMails(db, { ...wanted, below, above });
  if (seqs.length === 0) return { mails: [], next };
  const rows = await db.read
    .selectFrom('captured_mails')
    .select(columns)
    .where('captured_seq', 'in', seqs)
    .orderBy('captured_seq', 'desc')
    .execute();
  return { mails: rows.map(capturedOf), next };
}

const columns = ['captured_seq', 'message_id', 'received_at', 'mail'] as const;

/** Mails whose id begins like this, cleared away or not; the caller has checked that it is part of a UUID. */
export async function findCaptured(
  db: Database,
  idBeginning: string,
  limit: number,
): Promise<CapturedMail[]> {
  const rows = await db.read
    .selectFrom('captured_mails')
    .select(columns)
    // As whole ids, which are in the same order everywhere: a beginning alone is found by no index of PostgreSQL's.
    .where('message_id', '>=', idBeginning + lowestId.slice(idBeginning.length))
    .where('message_id', '<=', idBeginning + lowestId.replaceAll('0', 'f').slice(idBeginning.length))
    .where('message_id', 'like', `${idBeginning}%`)
    .limit(limit)
    .execute();
  return rows.map(capturedOf);
}

const lowestId = '00000000-0000-0000-0000-000000000000';

function capturedOf(row: {
  captured_seq: number;
  message_id: string;
  received_at: number;
  mail: string;
}): CapturedMail {
  return {
    number: row.captured_seq,
    messageId: row.message_id,
    receivedAt: row.received_at,
    mail: JSON.parse(row.mail) as Mail,
  };
}

async function clearedUpTo({ read }: Database): Promise<number> {
  const last = await read
    .selectFrom('inbox_clearings')
    .select((eb) => eb.fn.max('up_to').as('up_to'))
    .executeTakeFirst();
  return Number(last?.up_to ?? 0);
}

/**
 * An empty list, from now on. The mails stay where the provider finds them: one whose answer was lost is looked up by its key, and one
 * that were deleted would be sent again.
 */
export async function clearInbox(
  db: Database,
  { by: clearedBy, now }: { by: string; now: number },
): Promise<void> {
  const last = await db.read
    .selectFrom('captured_mails')
    .select((eb) => eb.fn.max('captured_seq').as('seq'))
    .executeTakeFirst();
  if (last?.seq == null) return;
  await db.write
    .insertInto('inbox_clearings')
    .values({ up_to: Number(last.seq), cleared_by: clearedBy, cleared_at: now })
    .onConflict((conflict) => conflict.column('up_to').doNothing())
    .execute();
}
