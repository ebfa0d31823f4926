import { type Consent, createConsent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { Clock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { type Log, silentLog } from '../../src/std/log.ts';

export const tokenSecret = 'a secret that is only good for tests and long enough';
export const baseUrl = 'https://mail.example.org';

/** What real mail needs beside its provider. */
export const linkSettings = { PLATFORM_BASE_URL: baseUrl, TOKEN_SECRET: tokenSecret.replaceAll(' ', '-') };

export function consentOf({
  db,
  clock,
  log = silentLog,
}: {
  db: Database;
  clock: Clock;
  log?: Log;
}): Consent {
  return createConsent({ db, clock, ids: systemIds, log, secrets: [tokenSecret], baseUrl: () => baseUrl });
}

/** A line of the list as another process would have written it. */
export function suppressionOf(addressKey: string) {
  const line = { address_key: addressKey, scope: '*', reason: 'operator' } as const;
  return { ...line, created_by: 'a test', created_at: 1 };
}
