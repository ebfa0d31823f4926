import { sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { namesOf, rowsOf } from '../../../db/dialect.ts';
import { type Address, addressKey, parseAddress } from '../../../domain/address.ts';
import type { Clock } from '../../../std/clock.ts';
import { requireUserId } from '../notifications/notification.ts';
import type { FoundAddress, UserDirectory } from './user-directory.ts';

/** The users that an operator has put into the database, where no other directory is configured. */
export interface LocalUsers extends UserDirectory {
  /** New ones, and new words on those that there are; the last word on one user in a batch holds. Answers how many were not so before. */
  put(users: readonly LocalUser[]): Promise<{ added: number; changed: number }>;
  /** Answers whether there was such a user. */
  remove(userId: string): Promise<boolean>;
  /** By their ids, from behind this one on. */
  list(order: { after?: string; limit: number }): Promise<LocalUser[]>;
  find(userId: string): Promise<LocalUser | undefined>;
}

export interface LocalUser {
  userId: string;
  /** Null for one who is known and has none. */
  email: Address | null;
  isVerified: boolean;
}

const columns = { user_id: 'text', email: 'text', is_verified: 'number', updated_at: 'number' } as const;

export function createLocalUsers({ db, clock }: { db: Database; clock: Clock }): LocalUsers {
  const named = (userIds: readonly string[]) =>
    rowsOf(
      db.dialect,
      { user_id: 'text' },
      userIds.map((user_id) => ({ user_id })),
    );

  return {
    name: 'local',

    async addressesOf(userIds) {
      const { rows } = await sql<UserRow>`
        SELECT user_id, email, is_verified FROM users WHERE user_id IN (SELECT user_id FROM ${named(userIds)})
      `.execute(db.read);
      const byId = new Map(rows.map((row) => [row.user_id, row]));
      return new Map(userIds.map((userId) => [userId, foundOf(byId.get(userId))]));
    },

    async usersAt(address, limit) {
      const { rows } = await sql<{ user_id: string }>`
        SELECT user_id FROM users WHERE lower(email) = ${addressKey(address)} AND email IS NOT NULL
        ORDER BY user_id LIMIT ${limit}
      `.execute(db.read);
      return rows.map(({ user_id }) => user_id);
    },

    async put(users) {
      const now = clock.now();
      const last = new Map(
        users.map(({ userId, email, isVerified }) => [
          requireUserId(userId),
          { user_id: userId, email, is_verified: isVerified ? 1 : 0, updated_at: now },
        ]),
      );
      // In one order for everybody, so that two imports never wait for each other in a circle.
      const rows = [...last.values()].sort((a, b) => (a.user_id < b.user_id ? -1 : 1));
      const names = namesOf(columns);
      return db.transaction(async (tx) => {
        const { rows: before } = await sql<UserRow>`
          SELECT user_id, email, is_verified FROM users WHERE user_id IN (SELECT user_id FROM ${named([...last.keys()])})
        `.execute(tx);
        const known = new Map(before.map((row) => [row.user_id, row]));
        const isOther = ({ user_id, email, is_verified }: UserRow) =>
          known.get(user_id)?.email !== email || known.get(user_id)?.is_verified !== is_verified;
        const others = rows.filter(isOther);
        await sql`
          INSERT INTO users (${names}) SELECT ${names} FROM ${rowsOf(db.dialect, columns, others)} WHERE true
          ON CONFLICT (user_id) DO UPDATE
            SET email = excluded.email, is_verified = excluded.is_verified, updated_at = excluded.updated_at
        `.execute(tx);
        const added = others.filter(({ user_id }) => !known.has(user_id)).length;
        return { added, changed: others.length - added };
      });
    },

    async remove(userId) {
      const { numDeletedRows } = await db.write
        .deleteFrom('users')
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },

    async list({ after, limit }) {
      let rows = db.read.selectFrom('users').selectAll().orderBy('user_id').limit(limit);
      if (after !== undefined) rows = rows.where('user_id', '>', after);
      return (await rows.execute()).map(shownUser);
    },

    async find(userId) {
      const row = await db.read
        .selectFrom('users')
        .selectAll()
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row && shownUser(row);
    },
  };
}

interface UserRow {
  user_id: string;
  email: string | null;
  is_verified: number;
}

const shownUser = ({ user_id, email, is_verified }: UserRow): LocalUser => ({
  ...{ userId: user_id, email: email as Address | null, isVerified: is_verified === 1 },
});

function foundOf(row: UserRow | undefined): FoundAddress {
  if (!row) return { kind: 'none', code: 'no_such_user', message: 'Nobody knows this user.' };
  if (row.email === null || row.is_verified === 0) {
    return {
      kind: 'none',
      code: 'no_verified_address',
      message: 'This user has no address that is verified.',
    };
  }
  const parsed = parseAddress(row.email);
  // What is put in here is checked; a hand in the database is not.
  return parsed.ok
    ? { kind: 'address', address: parsed.address }
    : { kind: 'none', code: 'invalid_address', message: parsed.sentence };
}
