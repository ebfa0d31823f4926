import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { portions, rowsOf, seqsOf } from '../db/dialect.ts';
import { heldFrom } from '../domain/delivery.ts';
import { wordsHash } from '../domain/message.ts';
import type { DeliveryState } from '../domain/transition.ts';
import { applyReports, type RecordParts, type Report } from './record.ts';
import { lockDeliveries } from './rows.ts';

/**
 * Words that are written before anybody sends: a source that composes ahead puts them here, and its deliveries, held back until
 * then, become due. What leaves later is these words and no others, whatever has changed since. The address is not in them.
 */
export interface Words {
  subject: string;
  html: string;
  text: string;
}

export interface Writing extends Words {
  seq: number;
  id: string;
  template: { name: string; version: string };
  /** When it may leave. */
  dueAt: number;
}

/** Answers which it was written for: those that are still held back. Others keep what they have. */
export async function writeWords(
  tx: Tx,
  writings: readonly Writing[],
  actor: string,
  now: number,
  parts: RecordParts,
): Promise<ReadonlySet<number>> {
  if (writings.length === 0) return new Set();
  const { dialect } = parts;
  const rows = await lockDeliveries(
    tx,
    dialect,
    writings.map(({ seq }) => seq),
  );
  const waiting = new Map(rows.filter(({ state }) => isHeld(state)).map((row) => [row.seq, row] as const));
  const open = writings.filter(({ seq, id }) => waiting.get(seq)?.id === id);
  await keepWords(tx, dialect, open);
  const reports = open.map(({ seq, id, template, dueAt, ...words }): Report => {
    const { toEmail = null } = waiting.get(seq) ?? {};
    const frozen = {
      ...{ toEmail, contentHash: wordsHash(words) },
      ...{ templateName: template.name, templateVersion: template.version },
    };
    return { seq, id, event: 'deferred', dueAt, actor, detail: { reason: 'composed' }, frozen };
  });
  await applyReports(tx, rows, reports, now, parts);
  return new Set(open.map(({ seq }) => seq));
}

function isHeld({ status, dueAt }: DeliveryState): boolean {
  return (status === 'pending' || status === 'failed_transient') && dueAt !== null && dueAt >= heldFrom;
}

/** What was composed for a run that came to nothing is composed anew. */
async function keepWords(
  tx: Tx,
  dialect: RecordParts['dialect'],
  writings: readonly Writing[],
): Promise<void> {
  const columns = { seq: 'number', subject: 'text', html: 'text', text: 'text' } as const;
  const rows = writings.map(({ seq, subject, html, text }) => ({ seq, subject, html, text }));
  for (const portion of portions(rows, ({ html, text }) => html.length + text.length)) {
    await sql`
      INSERT INTO delivery_mails (delivery_seq, round, subject, html, text)
      SELECT seq, 0, subject, html, text FROM ${rowsOf(dialect, columns, portion)} WHERE true
      ON CONFLICT (delivery_seq, round) DO UPDATE
        SET subject = excluded.subject, html = excluded.html, text = excluded.text
    `.execute(tx);
  }
}

/** What was written ahead has become the mail of its round: it need not be kept twice. */
export async function dropWords(
  tx: Tx,
  dialect: RecordParts['dialect'],
  seqs: readonly number[],
): Promise<void> {
  if (seqs.length === 0) return;
  const input = seqsOf(dialect, seqs);
  await sql`
    UPDATE delivery_mails SET subject = NULL, html = NULL, text = NULL
    WHERE round = 0 AND delivery_seq IN (SELECT seq FROM ${input})
  `.execute(tx);
}
