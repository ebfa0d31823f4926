import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf } from '../db/dialect.ts';
import { everySource } from '../domain/suppression.ts';
import { wantAgain } from './own-line.ts';
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

/** The lines that were made through these links, by stopping everything, hold no longer. */
export async function liftLinesOf(
  tx: Tx,
  dialect: DialectName,
  owners: readonly Owner[],
  now: number,
): Promise<void> {
  const { lifted_by, lifted_because } = wantAgain;
  await sql`
    UPDATE suppressions SET lifted_at = ${now}, lifted_by = ${lifted_by}, lifted_because = ${lifted_because}
    WHERE lifted_at IS NULL AND scope = ${everySource} AND reason = 'unsubscribed' AND suppression_seq IN (
      SELECT unsubscribe_tokens.suppression_seq FROM ${ownerRows(dialect, owners)} JOIN unsubscribe_tokens
      ON unsubscribe_tokens.recipient = input.recipient AND unsubscribe_tokens.source = input.source
    )
  `.execute(tx);
}
