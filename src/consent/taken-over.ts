import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, namesOf, rowsOf } from '../db/dialect.ts';
import type { Schema } from '../db/schema.ts';
import type { Owner } from './tell-source.ts';

/**
 * Links of another system, in mails that are still about: they go on to work, because a way out that has stopped working is none. Kept
 * is only what they can be recognised by, so that who steals the database can use none of them.
 */
export interface TakenOverLink extends Owner {
  token: string;
}

const columns = { token_hash: 'text', source: 'text', recipient: 'text', created_at: 'number' } as const;

/** As others make them: signs that need no escape, and enough of them that nobody guesses one. */
export const takenOverShape = /^[A-Za-z0-9._~-]{16,200}$/;

const hashOf = (token: string) => createHash('sha256').update(token, 'utf8').digest('hex');

/** Answers how many are new here. What could not be such a link is left out. */
export async function takeOverLinks(
  tx: Tx,
  dialect: DialectName,
  links: readonly TakenOverLink[],
  now: number,
): Promise<number> {
  const rows = links
    .filter(({ token }) => takenOverShape.test(token))
    .map(({ token, source, recipient }) => ({
      token_hash: hashOf(token),
      source,
      recipient,
      created_at: now,
    }));
  const names = namesOf(columns);
  const { numAffectedRows } = await sql`
    INSERT INTO unsubscribe_links_taken_over (${names})
    SELECT ${names} FROM ${rowsOf(dialect, columns, rows)} WHERE true ON CONFLICT DO NOTHING
  `.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Whose it is. One look, whatever was given: how long it takes says nothing. */
export async function findTakenOver(db: Kysely<Schema>, token: string): Promise<Owner | undefined> {
  const wanted = takenOverShape.test(token) ? hashOf(token) : '';
  return db
    .selectFrom('unsubscribe_links_taken_over')
    .select(['source', 'recipient'])
    .where('token_hash', '=', wanted)
    .executeTakeFirst();
}
