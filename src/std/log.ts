import { pino } from 'pino';
import { withoutAddresses } from './without-addresses.ts';

/**
 * One event name per thing that happened and fields beside it: `log.info('delivery.sent', { deliveryId })`.
 * Addresses, tokens and bodies never go in; a delivery is named by its id.
 */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

interface Sink {
  write(text: string): void;
}

export function createLog(options: { level: LogLevel; isForPeople?: boolean; sink?: Sink }): Log {
  const sink = options.sink ?? process.stderr;
  const logger = pino(
    {
      level: options.level,
      base: null,
      timestamp: () => `,"at":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      messageKey: 'event',
      serializers: { error: errorFields },
    },
    {
      write: (line: string) => {
        const safe = withoutSecrets(line);
        sink.write(options.isForPeople ? forPeople(safe) : safe);
      },
    },
  );
  const writer = (level: 'debug' | 'info' | 'warn' | 'error') => (event: string, fields?: LogFields) =>
    logger[level](fields ?? {}, event);
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}

/**
 * The last line of defence: callers put no address and no token into a field, but the message of an error is a stranger's
 * text. What looks like an address, a bearer token, a provider's key or the token of a link is blanked, wherever it stands.
 */
export function withoutSecrets(line: string): string {
  const blanked = withoutAddresses(line);
  return /Bearer |re_|whsec_|sk_|eyJ|unsubscribe\//.test(blanked)
    ? blanked.replace(tokenLike, '(secret)')
    : blanked;
}

const tokenLike =
  /\b(?:Bearer [\w.~+/=-]+|(?:re|whsec|sk)_[\w+/=-]{8,}|eyJ[\w-]+\.[\w-]+\.[\w-]*|unsubscribe\/[\w-]{20,})/g;

/** Not whatever an error carries: a database's errors repeat the row, and the row holds addresses. */
function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name: type, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return { type, message, code, stack, ...(cause !== undefined && { cause: errorFields(cause) }) };
}

export const silentLog: Log = createLog({ level: 'silent' });

function forPeople(line: string): string {
  const { level, at, event, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? onOneLine(value) : shortened(value)}`)
    .join(' ');
  const mark = level === 'info' ? ' ' : level === 'warn' ? '!' : level === 'error' ? '✗' : '·';
  return `${String(at).slice(11, 19)} ${mark} ${String(event)} ${details}`.trimEnd().concat('\n');
}

function shortened(value: unknown): string {
  const error = value as { message?: unknown; stack?: unknown } | null;
  if (typeof error?.stack === 'string') return error.stack.split(/\r?\n/).map(harmless).join('\n');
  return harmless(JSON.stringify(value));
}

/** Some fields hold what a stranger wrote: it must not look like another line, nor steer the terminal. */
function onOneLine(text: string): string {
  return text.search(unsafe) === -1 ? text : harmless(JSON.stringify(text));
}

/** Controls of both ranges, line separators, and what turns the writing direction. */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function harmless(text: string): string {
  return text.replace(unsafe, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
