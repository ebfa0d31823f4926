import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '../std/refusal.ts';

/**
 * Somebody at a browser who has shown a key. The cookie says whose key it was and until when, signed with what only that key makes: so every
 * process can check it, nothing is stored, and it ends with the key. The key itself is in no cookie and in no page.
 */
export interface SignedIn {
  /** Which of the keys. */
  name: string;
  until: number;
}

const cookieName = 'tidings_session';
/** A working day; whoever looks away for longer shows the key again. */
export const signedInMs = 8 * 3_600_000;

export function cookieOf(signedIn: SignedIn, digest: Buffer): string {
  const said = Buffer.from(JSON.stringify([signedIn.name, signedIn.until]), 'utf8').toString('base64url');
  return `${said}.${signatureOf(said, digest).toString('base64url')}`;
}

/** What a cookie says, before anybody has checked that it is true. */
export function readCookie(cookie: string): (SignedIn & { isBy(digest: Buffer): boolean }) | undefined {
  const [, said = '', signature = ''] = /^([\w-]{1,200})\.([\w-]{43})$/.exec(cookie) ?? [];
  if (said === '') return undefined;
  try {
    const [name, until] = JSON.parse(Buffer.from(said, 'base64url').toString('utf8')) as unknown[];
    if (typeof name !== 'string' || typeof until !== 'number') return undefined;
    const given = Buffer.from(signature, 'base64url');
    return { name, until, isBy: (digest) => timingSafeEqual(given, signatureOf(said, digest)) };
  } catch {
    return undefined;
  }
}

const signatureOf = (said: string, digest: Buffer) =>
  createHmac('sha256', createHmac('sha256', digest).update('signed in').digest()).update(said).digest();

/** Undefined where there is none; of several the first. */
export function cookieIn({ cookie = '' }: IncomingHttpHeaders): string | undefined {
  for (const part of cookie.split(';')) {
    const [name, value] = part.trim().split('=', 2);
    if (name === cookieName) return value;
  }
  return undefined;
}

/** Never across sites, never for scripts; over TLS only where it came by TLS. */
export function cookieHeader(value: string, maxAgeMs: number, headers: IncomingHttpHeaders): string {
  const isByTls = [headers['x-forwarded-proto'] ?? []].flat().at(-1) === 'https';
  const secure = isByTls ? '; Secure' : '';
  return `${cookieName}=${value}; Path=/; Max-Age=${Math.floor(maxAgeMs / 1000)}; HttpOnly; SameSite=Strict${secure}`;
}

/**
 * A browser sends the cookie along with whatever a page asks it for. It says which page that was: what changes something is done for our
 * own alone.
 */
export function requireOwnPage(method: string, headers: IncomingHttpHeaders): void {
  if (method === 'GET' || method === 'HEAD') return;
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined ? origin !== undefined && hostOf(origin) === host : site === 'same-origin';
  if (!isOwn)
    throw new Refusal(
      'cross_site',
      'This was asked by another page, in the name of somebody who has signed in here, and was not done. Ask from the console, or send an API key.',
    );
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
