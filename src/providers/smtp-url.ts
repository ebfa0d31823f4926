import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { Refusal } from '../std/refusal.ts';
import { parseUrl } from '../std/url.ts';

/** The mail server that a URL names: where it is, who we are there, and how much is encrypted on the way. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte (`smtps://`). */
  isSecure: boolean;
  credentials: { user: string; pass: string } | undefined;
  startTls: StartTls;
  tls: { ca?: string | Buffer; rejectUnauthorized?: boolean };
}

type StartTls = 'required' | 'if_offered' | 'never';

export interface TlsChoice {
  /** A certificate to trust instead of the usual ones. */
  ca?: string | Buffer;
  /** False takes any certificate. */
  rejectUnauthorized?: boolean;
  startTls?: StartTls;
}

export function readSmtpUrl(text: string, { startTls, ...tls }: TlsChoice = {}): SmtpServer {
  const url = parseUrl(text);
  const isPlain = !url?.search && !url?.hash && (url?.pathname === '' || url?.pathname === '/');
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !isPlain) throw notAUrl();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const credentials = readCredentials(url);
  const isSecure = url.protocol === 'smtps:';
  return {
    host,
    // RFC 8314 and 6409: where mail is submitted, with TLS from the first byte or not.
    port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
    isSecure,
    credentials,
    startTls: startTls ?? usualStartTls(host, credentials !== undefined),
    tls,
  };
}

/**
 * A password never leaves this machine in the clear, and whoever strips the offer of STARTTLS gets none. On the machine
 * itself nobody listens, and the certificates of local servers are seldom good.
 */
function usualStartTls(host: string, hasPassword: boolean): StartTls {
  const isThisMachine =
    host.toLowerCase() === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  if (isThisMachine) return 'never';
  return hasPassword ? 'required' : 'if_offered';
}

function readCredentials({ username, password }: URL): SmtpServer['credentials'] {
  if (username === '' && password === '') return undefined;
  try {
    const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
    if (user === '' || pass === '') throw notAUrl();
    return { user, pass };
  } catch {
    throw notAUrl();
  }
}

/** Without the URL in it: it may hold a password. */
function notAUrl(): Refusal {
  return new Refusal(
    'invalid_smtp_url',
    'SMTP_URL is not a URL like smtps://user:password@mail.example.com:465; write it so, with signs such as @ and / in user or password as %40 and %2F.',
  );
}

/** For people: where it is, and nothing of who we are there. */
export const placeOf = ({ host, port }: SmtpServer): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Tells accounts apart without telling the password: the same account with a new password holds the same mails. */
export function fingerprint({ host, credentials }: SmtpServer): string {
  return createHash('sha256')
    .update(JSON.stringify([host.toLowerCase(), credentials?.user ?? null]))
    .digest('hex')
    .slice(0, 12);
}
