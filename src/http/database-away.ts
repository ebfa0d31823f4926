import { isLocked, isLockTimeout } from '../db/dialect.ts';
import { isDatabaseAway } from '../db/is-database-away.ts';
import type { LogFields } from '../std/log.ts';

/** Whether the database cannot be asked just now, because it is away or somebody else has locked it: no mistake of ours, and soon over. */
export function cannotBeAsked(error: unknown): error is Error & { code?: unknown } {
  return isDatabaseAway(error) || isLocked(error) || isLockTimeout(error);
}

/** What a line of the log says of a failure. The stack of a database that is away would lead to nothing that is wrong. */
export function failureFields(error: unknown): LogFields {
  return cannotBeAsked(error) ? { problem: error.message || String(error.code) } : { error };
}
