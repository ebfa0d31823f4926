import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf } from '../db/dialect.ts';
import type { SuppressionRow } from '../db/schema.ts';
import { everySource, exceptions } from '../domain/suppression.ts';
import type { Owner } from './tell-source.ts';

/** How people come back who had left, when the time in which a page takes it back is over. What was stopped stays so. */
const ownerColumns = { source: 'text', recipient: 'text' } as const;

const ownerRows = (dialect: DialectName, owners: readonly Owner[]) =>
  rowsOf(
    dialect,
    ownerColumns,
    owners.map(({ source, recipient }) => ({ source, recipient })),
  );

/** Their links have not been used any more. Answers for how many that is new. */
export async function reopenTokens(
  tx: Tx,
  dialect: DialectName,
  owners: readonly Owner[],
  { by, because }: { by: string; because: string },
  now: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE unsubscribe_tokens SET unsubscribed_at = NULL, unsubscribed_via = NULL,
      reopened_at = ${now}, reopened_by = ${by}, reopened_because = ${because}
    FROM ${ownerRows(dialect, owners)}
    WHERE unsubscribe_tokens.recipient = input.recipient AND unsubscribe_tokens.source = input.source
      AND unsubscribe_tokens.unsubscribed_at IS NOT NULL
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** The lines that were made through these links, by stopping everything, hold no longer for one source. For all others they do. Answers which. */
export async function exceptSource(
  tx: Tx,
  dialect: DialectName,
  owners: readonly Owner[],
  source: string,
): Promise<Line[]> {
  const { rows } = await sql<Line>`
    SELECT suppression_seq, except_for, created_at FROM suppressions
    WHERE lifted_at IS NULL AND scope = ${everySource} AND reason = 'unsubscribed' AND suppression_seq IN (
      SELECT unsubscribe_tokens.suppression_seq FROM ${ownerRows(dialect, owners)} JOIN unsubscribe_tokens
      ON unsubscribe_tokens.recipient = input.recipient AND unsubscribe_tokens.source = input.source
    ) ORDER BY suppression_seq ${dialect === 'postgres' ? sql`FOR UPDATE` : sql``}
  `.execute(tx);
  const held = rows.filter(({ except_for }) => !exceptions(except_for).includes(source));
  for (const { suppression_seq, except_for } of held) {
    const names = JSON.stringify([...exceptions(except_for), source]);
    await tx
      .updateTable('suppressions')
      .set({ except_for: names })
      .where('suppression_seq', '=', suppression_seq)
      .execute();
  }
  return held;
}

type Line = Pick<SuppressionRow, 'suppression_seq' | 'except_for' | 'created_at'>;
