import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { dialectOf, sqlitePathOf } from '../db/dialect.ts';
import type { ServerThere } from '../http/server-there.ts';
import { Refusal } from '../std/refusal.ts';
import { otherDatabase } from './other-database.ts';

/**
 * A SQLite file that is not there is made by whoever opens it. For a question asked in the wrong folder that would be an
 * answer too, "nothing", and a false one about the service: so most commands look here before they open anything.
 */
export async function requireDatabase(
  databaseUrl: string,
  server?: Promise<ServerThere | undefined>,
): Promise<void> {
  const path = missingFileOf(databaseUrl);
  if (path === null) return;
  const running = await server;
  const isRelative = !isAbsolute(sqlitePathOf(databaseUrl));
  const lines = [
    `There is no database at ${path}, so there is nothing that this command could tell or change.`,
    ...(isRelative ? [`DATABASE_URL is ${databaseUrl}: from the folder you are in, ${process.cwd()}.`] : []),
    ...(running
      ? [otherDatabase(running)]
      : [
          isRelative
            ? 'Go to the folder in which the server runs (npm start), or set DATABASE_URL to its database.'
            : 'Set DATABASE_URL to the database of the server.',
          'If it was never started, start it first: npm start',
        ]),
  ];
  throw new Refusal('no_database', lines.join('\n'), { path });
}

/** Its absolute path, or null if it is there, cannot be looked at by this user, or is no file at all. */
export function missingFileOf(databaseUrl: string): string | null {
  if (dialectOf(databaseUrl) !== 'sqlite') return null;
  const path = sqlitePathOf(databaseUrl);
  // SQLite reads `file:` as a URI, which is no path.
  if (path === ':memory:' || path.startsWith('file:')) return null;
  try {
    return statSync(path, { throwIfNoEntry: false }) ? null : resolve(path);
  } catch {
    // A folder that is closed to this user may hold it. Opening it says so.
    return null;
  }
}
