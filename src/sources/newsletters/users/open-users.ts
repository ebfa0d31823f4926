import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { createLocalUsers } from './local-users.ts';
import type { UserDirectory } from './user-directory.ts';

/** The directory that is configured: Clerk where there is a key for it, otherwise the table of our own. */
export async function openUsers(
  { clerkSecretKey, clerkApiUrl }: { clerkSecretKey: string; clerkApiUrl: string },
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
): Promise<UserDirectory> {
  if (clerkSecretKey === '') return createLocalUsers({ db, clock });
  const { createClerkUsers } = await import('./clerk-users.ts');
  return createClerkUsers({ apiUrl: clerkApiUrl, secretKey: clerkSecretKey, clock, log });
}
