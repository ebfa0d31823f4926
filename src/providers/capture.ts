import type { Database } from '../db/database.ts';
import { bodyHash, type Mail } from '../domain/message.ts';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import type { Provider } from './provider.ts';

/**
 * The built-in inbox: accepts every mail into our own database and shows it, so that everything works before a real
 * provider is configured. It keeps the promises of a good one: keys are honoured for as long as the mail is kept, and
 * a look-up is complete. It is the one provider whose wire is the database.
 */
export interface CaptureParts {
  db: Database;
  clock: Clock;
  ids: Ids;
}

const dayMs = 24 * 60 * 60 * 1000;

export function createCapture({ db, clock, ids }: CaptureParts): Provider {
  return {
    name: 'capture',
    account: 'capture',
    guarantees: {
      // Kept as long as the mail; the same window as Resend's, so that nothing comes to rely on more.
      idempotencyWindowMs: dayMs,
      indexingDelayMs: 0,
      longestCallMs: 10_000,
      concurrency: 8,
      ratePerSecond: null,
    },
    async send({ key, mail }) {
      const hash = bodyHash(mail);
      try {
        const fresh = await db.write
          .insertInto('captured_mails')
          .values({
            message_id: ids.uuid(),
            idempotency_key: key,
            body_hash: hash,
            mail: JSON.stringify(mail),
            received_at: clock.now(),
          })
          .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
          .returning('message_id')
          .executeTakeFirst();
        if (fresh) return { kind: 'accepted', messageId: fresh.message_id };
        const known = await byKey(db, key);
        if (known?.body_hash === hash) return { kind: 'accepted', messageId: known.message_id };
        return {
          kind: 'key_conflict',
          error: {
            code: 'invalid_idempotent_request',
            provider: 'capture',
            message: 'key used with another body',
          },
        };
      } catch (error) {
        // A commit whose answer was lost may have happened.
        return {
          kind: 'unknown',
          error: { code: 'capture_failed', provider: 'capture', message: String(error) },
        };
      }
    },
    async lookUp({ key }) {
      const known = await byKey(db, key);
      return known
        ? { kind: 'found', messageId: known.message_id, at: known.received_at }
        : { kind: 'absent' };
    },
    async probe() {
      return { isUp: true };
    },
    async forget(before) {
      await db.write.deleteFrom('captured_mails').where('received_at', '<', before).execute();
    },
  };
}

function byKey(db: Database, key: string) {
  return db.read
    .selectFrom('captured_mails')
    .select(['message_id', 'body_hash', 'received_at'])
    .where('idempotency_key', '=', key)
    .executeTakeFirst();
}

export interface CapturedMail {
  /** In the order of arrival; the next page is below the last one of this. */
  number: number;
  messageId: string;
  receivedAt: number;
  mail: Mail;
}

/** The inbox, newest first. */
export async function readInbox(
  db: Database,
  limit: number,
  below = Number.MAX_SAFE_INTEGER,
): Promise<CapturedMail[]> {
  const rows = await db.read
    .selectFrom('captured_mails')
    .selectAll()
    .where('captured_seq', '<', below)
    .orderBy('captured_seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map(capturedOf);
}

/** Mails whose id begins like this; the caller has checked that it is part of a UUID. */
export async function findCaptured(
  db: Database,
  idBeginning: string,
  limit: number,
): Promise<CapturedMail[]> {
  const rows = await db.read
    .selectFrom('captured_mails')
    .selectAll()
    .where('message_id', 'like', `${idBeginning}%`)
    .limit(limit)
    .execute();
  return rows.map(capturedOf);
}

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
