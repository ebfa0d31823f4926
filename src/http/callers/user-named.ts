import type { IncomingHttpHeaders } from 'node:http';
import { userIdPattern } from '../../sources/newsletters/users/user-directory.ts';
import { Refusal } from '../../std/refusal.ts';

/** Whom a service speaks for, by the header that names them. */
export function userNamed({ 'x-user-id': userId }: IncomingHttpHeaders): string {
  if (userId === undefined)
    throw new Refusal('user_required', "Say for whom it is: send the user's id as X-User-Id.");
  if (typeof userId === 'string' && userIdPattern.test(userId)) return userId;
  throw new Refusal(
    'invalid_user',
    'X-User-Id must be one user id: 1 to 128 letters, digits and the signs _ . @ | and -.',
  );
}
