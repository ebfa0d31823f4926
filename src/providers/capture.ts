import type { Database } from '../db/database.ts';
import { bodyHash, type Mail } from '../domain/message.ts';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import { answerLost, refusalUnder, reportsUnder, type SwitchesOn, timeOutAfterMs } from './chaos.ts';
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
  /** Half of it before the mail is taken, half of it before that is said. */
  delayMs?: number;
  /** How it is to behave at present. Left out, it is at its best, and plans no report of what became of a mail. */
  switchesOn?: (() => Promise<SwitchesOn>) | undefined;
}

const dayMs = 24 * 60 * 60 * 1000;
/** A mail server on the other side takes about as long. */
const reportAfterMs = 1_000;

export function createCapture({ db, clock, ids, delayMs = 0, switchesOn }: CaptureParts): Provider {
  /** A key that is known was answered before: whoever asks again hears of that mail, and not of the switch. */
  async function refusal(on: SwitchesOn, key: string) {
    const answer = refusalUnder(on);
    if (answer?.kind === 'unknown') await clock.sleep(timeOutAfterMs);
    return answer?.kind === 'refused_for_good' && (await byKey(db, key)) ? undefined : answer;
  }

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
      if (delayMs > 0) await clock.sleep(delayMs / 2);
      try {
        const on = await switchesOn?.();
        const refused = on && (await refusal(on, key));
        if (refused) return refused;
        const now = clock.now();
        const fresh = await db.write
          .insertInto('captured_mails')
          .values({
            message_id: ids.uuid(),
            idempotency_key: key,
            body_hash: hash,
            mail: JSON.stringify(mail),
            received_at: now,
            ...searched(mail),
            ...(on && planned(reportsUnder(on), now)),
          })
          .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
          .returning('message_id')
          .executeTakeFirst();
        if (delayMs > 0) await clock.sleep(delayMs / 2);
        if (on?.has('accept-then-drop')) return answerLost;
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

/** By what people look for it: lower case, and the beginning of a long subject. */
function searched({ to, subject }: Mail) {
  return { to_key: searchKey(to), subject_key: searchKey(subject) };
}

/** Both what is kept and what is asked for. PostgreSQL stores no NUL and no half of a character. */
export function searchKey(text: string): string {
  return text.toLowerCase().replaceAll('\0', '').slice(0, searchKeyLength).toWellFormed();
}

const searchKeyLength = 200;

/** With the mail itself: a crash loses both or neither. */
function planned(reports: readonly string[], now: number) {
  if (reports.length === 0) return {};
  return { reports: JSON.stringify(reports), report_due_at: now + reportAfterMs };
}
