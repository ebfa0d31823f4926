import type { Database } from '../db/database.ts';
import type { AuditRow } from '../db/schema.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { withoutAddresses } from '../std/without-addresses.ts';

/**
 * Who had what changed, and why. It is written down before it is done: a crash in between leaves a line without an answer, and never a change
 * without a line. The line says what was asked for, without anybody's address; what became of a delivery is in its story.
 */
export interface Audit {
  /** Writes the line, does it, and adds what came of it. */
  changing<T>(asked: Asked, change: () => Promise<T>, answerOf: (result: T) => string): Promise<T>;
  /** The newest first. */
  list(page: { below?: number | undefined; limit: number }): Promise<AuditRow[]>;
}

interface Asked {
  who: string;
  /** Such as `POST /api/v1/pauses`, or `tidings pause`. */
  verb: string;
  details: unknown;
  reason: string | null;
  traceId: string;
}

const lengthMax = 2_000;

export function createAudit({ db, clock, log }: { db: Database; clock: Clock; log: Log }): Audit {
  /** It is done by now, or it is not: whether this is written does not change that. */
  const answer = async (seq: number, said: string) => {
    const line = db.write.updateTable('audit_log').set({ answer: said }).where('audit_seq', '=', seq);
    await line.execute().catch((error) => log.warn('audit.not_answered', { error }));
  };

  return {
    async changing({ who, verb, details, reason, traceId }, change, answerOf) {
      const { audit_seq: seq } = await db.write
        .insertInto('audit_log')
        .values({
          asked_at: clock.now(),
          ...{ who, verb, trace_id: traceId },
          details: cleaned(JSON.stringify(details) ?? ''),
          reason: reason === null ? null : cleaned(reason),
        })
        .returning('audit_seq')
        .executeTakeFirstOrThrow();
      try {
        const result = await change();
        await answer(seq, answerOf(result));
        return result;
      } catch (error) {
        const { code } = error as { code?: unknown };
        await answer(seq, typeof code === 'string' ? code : 'failed');
        throw error;
      }
    },
    list({ below, limit }) {
      const rows = db.read.selectFrom('audit_log').selectAll().orderBy('audit_seq', 'desc').limit(limit);
      return (below === undefined ? rows : rows.where('audit_seq', '<', below)).execute();
    },
  };
}

const cleaned = (text: string) => withoutAddresses(text).replaceAll('\0', '').slice(0, lengthMax);
