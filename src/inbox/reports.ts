import type { Database, Tx } from '../db/database.ts';
import type { Mail } from '../domain/message.ts';
import type { ReportedEvent } from '../providers/chaos.ts';
import type { Chore } from '../sources/source.ts';
import type { Clock } from '../std/clock.ts';
import type { Webhooks } from '../webhooks/webhook.ts';

/**
 * Tells what became of the mails in the built-in inbox, as a real provider does: by webhooks, in Resend's words, on the same path. What is to be
 * told was written with the mail, and it is taken off that list in the transaction in which it is kept and applied: a crash tells it later, not
 * twice and not never.
 */
export interface ReportsParts {
  db: Database;
  clock: Clock;
  webhooks: Pick<Webhooks, 'hear'>;
}

const pauseMs = 500;
const batch = 50;
const betweenMs = 300;
/** What cannot be told now must not keep the others waiting. */
const putOffMs = 60_000;

interface DueMail {
  captured_seq: number;
  message_id: string;
  mail: string;
  received_at: number;
  reports: string | null;
  report_due_at: number | null;
}

export function createReports({ db, clock, webhooks }: ReportsParts): Chore {
  /** False where another process was faster. */
  async function take(tx: Tx, due: DueMail, left: readonly ReportedEvent[]): Promise<boolean> {
    const { numUpdatedRows } = await tx
      .updateTable('captured_mails')
      .set(
        left.length === 0
          ? { reports: null, report_due_at: null }
          : { reports: JSON.stringify(left), report_due_at: clock.now() + betweenMs },
      )
      .where('captured_seq', '=', due.captured_seq)
      .where('report_due_at', '=', due.report_due_at)
      .where('reports', '=', due.reports)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  async function tellFirst(due: DueMail): Promise<void> {
    const [event, ...left] = JSON.parse(due.reports ?? '[]') as ReportedEvent[];
    const heard = await db.transaction(async (tx) => {
      if (!(await take(tx, due, left)) || event === undefined) return undefined;
      // The same name each time it is told: that is how a repeat is known.
      return webhooks.hear(
        { provider: 'capture', id: `${due.message_id}:${event}`, text: bodyOf(due, event) },
        tx,
      );
    });
    heard?.tell();
  }

  async function putOff({ captured_seq }: DueMail): Promise<void> {
    await db.write
      .updateTable('captured_mails')
      .set({ report_due_at: clock.now() + putOffMs })
      .where('captured_seq', '=', captured_seq)
      .where('report_due_at', 'is not', null)
      .execute();
  }

  return {
    name: 'inbox',
    pauseMs,
    async once(signal) {
      const due = await db.read
        .selectFrom('captured_mails')
        .select(['captured_seq', 'message_id', 'mail', 'received_at', 'reports', 'report_due_at'])
        .where('report_due_at', '<=', clock.now())
        .orderBy('report_due_at')
        .orderBy('captured_seq')
        .limit(batch)
        .execute();
      const failures: unknown[] = [];
      for (const one of due) {
        if (signal.aborted) break;
        await tellFirst(one).catch(async (error: unknown) => {
          failures.push(error);
          await putOff(one);
        });
      }
      if (failures.length > 0) throw failures[0];
      return due.length === batch ? 'again' : 'pause';
    },
  };
}

/** After it was taken; whatever the order in which it is told. */
const happenedAfterMs: Readonly<Record<ReportedEvent, number>> = {
  sent: 0,
  delivered: 500,
  bounced: 500,
  complained: 900,
};

const details: Readonly<Partial<Record<ReportedEvent, object>>> = {
  bounced: { bounce: { type: 'Permanent', subType: 'General', message: 'The switch bounce was on.' } },
  complained: { reason: 'the switch complain was on' },
};

function bodyOf({ message_id, mail, received_at }: DueMail, event: ReportedEvent): string {
  const { to, tags } = JSON.parse(mail) as Mail;
  return JSON.stringify({
    type: `email.${event}`,
    created_at: new Date(received_at + happenedAfterMs[event]).toISOString(),
    data: { email_id: message_id, to: [to], tags, ...details[event] },
  });
}
