import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { SectionStatus, SubscriptionRow, SubscriptionStatus } from '../../../db/seats-schema.ts';

/** One subscription's, as it was and as it becomes. */
export interface Book {
  id: number;
  status: SubscriptionStatus;
  notificationsSent: number;
  known: SectionStatus | null;
  lines: Line[];
  tell(news: News): void;
  suppress(at: number): void;
}

/** A mail about an opening was accepted. */
export interface News {
  openEventId: number;
  at: number;
  /** Somebody has written this down before. */
  isWritten: boolean;
  /** The number of a closing that was recorded after the opening. */
  closedAfter: number | null;
  /** 000-49: what is known of the section at this moment. */
  sectionStatus: SectionStatus;
}

interface Line {
  event_type: string;
  section_status: SectionStatus | null;
  open_event_id: number | null;
  detail: string | null;
  created_at: string;
}

export function createBook(row: SubscriptionRow): Book {
  const line = (event_type: string, at: number, more: Partial<Line> = {}) => {
    const created_at = new Date(at).toISOString();
    book.lines.push({
      event_type,
      section_status: null,
      open_event_id: null,
      detail: null,
      ...more,
      created_at,
    });
  };
  const book: Book = {
    id: row.subscription_id,
    status: row.status,
    notificationsSent: row.notifications_sent,
    known: row.last_known_section_status,
    lines: [],
    tell({ openEventId, at, isWritten, closedAfter, sectionStatus }) {
      const isHere = book.lines.some((one) => one.open_event_id === openEventId);
      if (isWritten || isHere) return;
      line('notify_sent', at, { section_status: sectionStatus, open_event_id: openEventId });
      book.notificationsSent += 1;
      // 8.6; not where it has closed meanwhile: that would keep them from hearing of the next opening.
      if (closedAfter === null) book.known = 'Open';
      const hasEnough = row.max_notifications !== null && book.notificationsSent >= row.max_notifications;
      if (!hasEnough || (book.status !== 'active' && book.status !== 'pending')) return;
      book.status = 'paused';
      line('paused', at, { detail: JSON.stringify(pauseByCount) });
    },
    suppress(at) {
      if (book.status === 'unsubscribed' || book.status === 'suppressed') return;
      book.status = 'suppressed';
      line('suppressed', at);
    },
  };
  return book;
}

/** Beside a pause that the number of mails has made: of anybody else's there is no reason. */
export const pauseByCount = { reason: 'max_notifications' } as const;
export const isPauseByCount = (detail: string | null) =>
  detail !== null && (JSON.parse(detail) as { reason?: string }).reason === pauseByCount.reason;

/** What was changed, with a line for each change. */
export async function writeBooks(
  tx: Tx,
  dialect: DialectName,
  books: Iterable<Book>,
  now: number,
): Promise<void> {
  const changed = [...books].filter(({ lines }) => lines.length > 0);
  if (changed.length === 0) return;
  await writeWatches(tx, dialect, changed, now);
  await writeLines(tx, dialect, changed);
}

async function writeWatches(
  tx: Tx,
  dialect: DialectName,
  books: readonly Book[],
  now: number,
): Promise<void> {
  const columns = { id: 'number', status: 'text', sent: 'number', known: 'text' } as const;
  const rows = books.map(({ id, status, notificationsSent: sent, known }) => ({ id, status, sent, known }));
  await sql`
    UPDATE subscriptions SET status = input.status, notifications_sent = input.sent,
      last_known_section_status = input.known, updated_at = ${now}
    FROM ${rowsOf(dialect, columns, rows)} WHERE subscriptions.subscription_id = input.id
  `.execute(tx);
}

async function writeLines(tx: Tx, dialect: DialectName, books: readonly Book[]): Promise<void> {
  const rows = books.flatMap(({ id, lines }) => lines.map((line) => ({ subscription_id: id, ...line })));
  const columns = {
    subscription_id: 'number',
    event_type: 'text',
    section_status: 'text',
    open_event_id: 'number',
    detail: 'text',
    created_at: 'text',
  } as const;
  await sql`
    INSERT INTO subscription_events (subscription_id, event_type, section_status, open_event_id, detail, created_at)
    SELECT subscription_id, event_type, section_status, open_event_id, detail, created_at
    FROM ${rowsOf(dialect, columns, rows)}
  `.execute(tx);
}
