import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type Address, addressKey } from '../../../domain/address.ts';
import { everySource } from '../../../domain/suppression.ts';
import { seatSourceName } from '../mail/seat-source.ts';
import { verificationSourceName } from '../mail/verification-source.ts';

const scopes = [everySource, seatSourceName, verificationSourceName];

/**
 * Whether consent's list has a line against this address that would keep a mail about seats from it. The list is the truth: a
 * watch is `suppressed` because of a line, and stays so until its owner does something, but not for longer than they want.
 */
export async function isListed(tx: Tx, address: string | null): Promise<boolean> {
  if (address === null) return false;
  const { rows } = await sql`
    SELECT 1 FROM suppressions WHERE address_key = ${addressKey(address as Address)} AND lifted_at IS NULL
      AND scope IN (${sql.join(scopes)}) LIMIT 1
  `.execute(tx);
  return rows.length > 0;
}
