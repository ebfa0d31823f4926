import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import { type RecordParts, recordReports } from './record.ts';
import { statusList } from './rows.ts';

/**
 * What waits although its last moment has passed ends. Found and ended in one transaction: who looks first and writes later may
 * find, in a database that went back in time meanwhile, another delivery under the same number, or the same with more time.
 */
export async function expireDeliveries(
  tx: Tx,
  limit: number,
  now: number,
  parts: RecordParts,
): Promise<number> {
  // As the index `deliveries_expiring` has it, word for word.
  const late = await tx
    .selectFrom('deliveries')
    .select('seq')
    .where(sql<boolean>`expires_at IS NOT NULL AND status IN (${statusList(statusesBefore('claimed'))})`)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .orderBy('seq')
    .limit(limit)
    .execute();
  const reports = late.map(({ seq }) => ({ seq, actor: 'sweep', event: 'expired' }) as const);
  const answers = await recordReports(tx, reports, now, parts);
  return answers.filter(({ changed }) => changed).length;
}
