import { createHash } from 'node:crypto';

/**
 * By which a command and a server find out whether they work with the same database. It is told to anybody, so it says nothing of
 * where that is or what is in it; a copy of a database has the same.
 */
export function databaseIdOf(namespace: string): string {
  return createHash('sha256').update(`database:${namespace}`).digest('hex').slice(0, 16);
}
