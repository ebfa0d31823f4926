import { createHash, timingSafeEqual } from 'node:crypto';
import type { Verdict, WebhookRequest } from './informant.ts';
import { utf8 } from './utf8.ts';

/**
 * Did this come from the provider? One that signs nothing shows the password that stands in the URL it was given
 * (`https://tidings:password@host/…`). Whoever has that may tell us anything, so it is long, and compared in a time that
 * tells nothing of it. The user name is for people, and not looked at.
 */
export function verifyPassword({ headers, body }: WebhookRequest, passwords: readonly string[]): Verdict {
  const given = headers.authorization;
  if (given === undefined) return { ok: false, problem: 'missing credentials' };
  const encoded = /^basic +([A-Za-z0-9+/=]{1,1000}) *$/i.exec(given)?.[1];
  const pair = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const password = digest(pair.slice(pair.indexOf(':') + 1));
  // All are tried, so that it cannot be seen which one, or that one, came near.
  const isOurs = passwords.map((one) => timingSafeEqual(digest(one), password)).includes(true);
  if (!isOurs || !pair.includes(':')) return { ok: false, problem: 'wrong credentials' };
  const text = utf8(body);
  // It has no name of its own: the same bytes are the same event. Others that say the same are harmless, evidence has a rank.
  return text === undefined
    ? { ok: false, problem: 'not text' }
    : { ok: true, id: `sha256:${digest(body).toString('hex')}`, text };
}

const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest();
