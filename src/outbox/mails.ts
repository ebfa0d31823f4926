import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { insertRows, portions, rowsOf } from '../db/dialect.ts';
import type { DeliveryMailRow } from '../db/schema.ts';
import type { Address } from '../domain/address.ts';
import type { Mail, Sender } from '../domain/message.ts';
import type { Words } from './written.ts';

/** The frozen mails: what leaves under a round's key is written here first, and never changes afterwards. */

export function mailOf(row: DeliveryMailRow): Mail {
  return {
    from: (row.sender ?? '') as Sender,
    to: (row.to_email ?? '') as Address,
    ...(row.reply_to !== null && { replyTo: row.reply_to as Sender }),
    subject: row.subject ?? '',
    html: row.html ?? '',
    text: row.text ?? '',
    headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
    tags: JSON.parse(row.tags ?? '{}') as Record<string, string>,
  };
}

export function wordsOf({ subject, html, text }: DeliveryMailRow): Words {
  return { subject: subject ?? '', html: html ?? '', text: text ?? '' };
}

const columns = {
  delivery_seq: 'number',
  round: 'number',
  sender: 'text',
  to_email: 'text',
  reply_to: 'text',
  subject: 'text',
  html: 'text',
  text: 'text',
  headers: 'text',
  tags: 'text',
  body_hash: 'text',
  frozen_at: 'number',
} as const;

/** The caller freezes only rounds that have no mail yet; a second mail for a round is a bug and refused by the key. */
export async function freezeMails(
  tx: Tx,
  dialect: DialectName,
  mails: readonly { seq: number; round: number; mail: Mail; hash: string }[],
  now: number,
): Promise<void> {
  const rows = mails.map(({ seq, round, mail, hash }) => ({
    delivery_seq: seq,
    round,
    sender: mail.from,
    to_email: mail.to,
    reply_to: mail.replyTo ?? null,
    subject: mail.subject,
    html: mail.html,
    text: mail.text,
    headers: JSON.stringify(mail.headers),
    tags: JSON.stringify(mail.tags),
    body_hash: hash,
    frozen_at: now,
  }));
  for (const portion of portions(rows, ({ html, text }) => html.length + text.length))
    await insertRows(tx, dialect, { head: 'INSERT INTO delivery_mails', columns }, portion);
}

/**
 * The delivery's row carries the provider's id of its latest round; an earlier round's id is kept with that round's
 * mail, so that a late webhook without tags still finds it. Set once.
 */
export async function keepMessageIds(
  tx: Tx,
  dialect: DialectName,
  ids: readonly { seq: number; round: number; messageId: string }[],
): Promise<void> {
  if (ids.length === 0) return;
  const rows = ids.map(({ seq, round, messageId }) => ({ seq, round, message_id: messageId }));
  const input = rowsOf(dialect, { seq: 'number', round: 'number', message_id: 'text' }, rows);
  await sql`
    UPDATE delivery_mails SET provider_message_id = input.message_id FROM ${input}
    WHERE delivery_seq = input.seq AND delivery_mails.round = input.round AND provider_message_id IS NULL
  `.execute(tx);
}
