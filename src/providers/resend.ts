import { createHash } from 'node:crypto';
import { checkMail, type Mail } from '../domain/message.ts';
import type { Clock } from '../std/clock.ts';
import { Refusal } from '../std/refusal.ts';
import { createExchange, type Exchanged, type ExchangeRequest } from './exchange.ts';
import { parseJson } from './http-answer.ts';
import type { Provider } from './provider.ts';
import { createQuestions } from './questions.ts';
import { outcomeOf, printable, readRatePerSecond } from './resend-answer.ts';
import { createResendLookUp } from './resend-look-up.ts';
import { createResendProgress } from './resend-progress.ts';
import { isTooLate } from './too-late.ts';

/**
 * Resend, by its REST API. It keys every mail, so that a second submission within a day is answered with the first one's
 * id; it never says "not sent" unless Resend has said so or nothing has left. Looking up needs a key with full access:
 * with one that may only send, every look-up ends in `unknown`, and mails in doubt, or without word of their fate, wait for webhooks.
 */
export interface ResendParts {
  apiKey: string;
  baseUrl?: string;
  clock: Clock;
  /** Mails in flight at once. */
  connections?: number;
  /** Requests a second that Resend allows the team; mails and look-ups share them. */
  ratePerSecond?: number;
  connectTimeoutMs?: number;
  answerTimeoutMs?: number;
  /** A look-up that takes longer has not found out. */
  lookUpTimeoutMs?: number;
  /** For all mails of one question about their progress; the rest is asked the next time. */
  progressTimeoutMs?: number;
}

export function createResend({
  apiKey,
  baseUrl = 'https://api.resend.com',
  clock,
  connections = 64, // At half a second an answer that is 128 a second; only as many are opened as are needed.
  ratePerSecond = 2, // The smallest default that Resend has had.
  connectTimeoutMs = 5_000,
  answerTimeoutMs = 30_000, // Resend answers within a second; what takes longer than this is lost.
  lookUpTimeoutMs = 20_000,
  progressTimeoutMs = 60_000,
}: ResendParts): Provider {
  // It would be refused by the HTTP client at every mail, with an error that repeats it.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new Refusal('resend_api_key', 'The API key of Resend is empty or holds a space or a line break.');
  }
  const url = new URL(baseUrl);
  const longestCallMs = connectTimeoutMs + answerTimeoutMs + slackMs;
  const bounds = { baseUrl: url, clock, connectTimeoutMs, answerTimeoutMs };
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json', 'user-agent': 'tidings' };
  const mails = createExchange({ ...bounds, headers, connections });
  // A connection of their own: a mail never waits behind a question.
  const questions = createExchange({ ...bounds, headers, connections: 1 });

  let seenRatePerSecond: number | null = null;

  async function ask(exchange: typeof mails, request: ExchangeRequest): Promise<Exchanged> {
    const exchanged = await exchange.ask(request);
    if (exchanged.kind !== 'answered') return exchanged;
    seenRatePerSecond = readRatePerSecond(exchanged.headers) ?? seenRatePerSecond;
    // An answer that repeats the key must not carry it into rows and logs.
    return { ...exchanged, bodyText: exchanged.bodyText?.replaceAll(apiKey, '[key]') ?? null };
  }
  const get = (path: string) => ask(questions, { method: 'GET', path, answerOctetsMax: logOctetsMax });
  const asking = createQuestions({
    ...{ get, clock },
    ratePerSecond: () => Math.min(ratePerSecond, seenRatePerSecond ?? Infinity),
  });

  return {
    name: 'resend',
    account: `resend:${fingerprint(apiKey, url)}`,
    guarantees: {
      idempotencyWindowMs: 24 * 3_600_000,
      // Not documented. Logs and mails appear in the dashboard within seconds; a minute is that with room to spare, and
      // short beside the lease, which is waited for in any case.
      indexingDelayMs: 60_000,
      longestCallMs,
      concurrency: connections,
      ratePerSecond,
    },
    async send(parcel) {
      const { key, mail } = parcel;
      const problem = problemOf(key, mail);
      if (problem) return { kind: 'refused_for_good', error: { ...problem, provider: 'resend' } };
      const exchanged = await ask(mails, {
        method: 'POST',
        path: '/emails',
        headers: { 'idempotency-key': key, 'content-type': 'application/json' },
        body: bodyOf(mail),
        mayStart: () => !isTooLate(parcel, clock, longestCallMs),
        answerOctetsMax,
      });
      return outcomeOf(exchanged, clock.now());
    },
    lookUp: createResendLookUp({ questions: asking, clock, timeoutMs: lookUpTimeoutMs }),
    progress: createResendProgress({ questions: asking, clock, timeoutMs: progressTimeoutMs }),
    seenRatePerSecond: () => seenRatePerSecond,
    probe: async () => verdictOnProbe(await get('/domains?limit=1')),
    async close() {
      await Promise.all([mails.close(), questions.close()]);
    },
  };
}

// An answer is an id or an error, a few hundred octets.
const answerOctetsMax = 65_536;
// A log entry repeats a whole mail, of at most 1.2 MB before JSON escapes what it has to.
const logOctetsMax = 4 * 1_048_576;
// Between the bounds of the call and its outcome: timers that fire late on a loaded machine.
const slackMs = 1_000;

function fingerprint(apiKey: string, { origin }: URL): string {
  return createHash('sha256').update(`${origin}\n${apiKey}`).digest('hex').slice(0, 12);
}

/** Checked when it was composed; here is the last door before the wire, and a header must not pass it by any way. */
function problemOf(key: string, mail: Mail): { code: string; message: string } | undefined {
  if (!/^[\x21-\x7e]{1,256}$/.test(key)) {
    return { code: 'invalid_idempotency_key', message: 'The key is not 1 to 256 printable signs.' };
  }
  const checked = checkMail(mail);
  return checked.ok ? undefined : { code: checked.code, message: checked.sentence };
}

/** The same mail is the same bytes, however its headers and tags were put together: one key, one body. */
function bodyOf({ from, to, replyTo, subject, html, text, headers, tags }: Mail): string {
  return JSON.stringify({
    from,
    to: [to],
    subject,
    html,
    text,
    ...(replyTo !== undefined && { reply_to: replyTo }),
    headers: Object.fromEntries(sorted(headers)),
    tags: sorted(tags).map(([name, value]) => ({ name, value })),
  });
}

function sorted(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/**
 * Quotas are not seen by a question that sends nothing: who is over one waits for as long as the answer said, and does
 * not take this for the end of it.
 */
function verdictOnProbe(exchanged: Exchanged): { isUp: true } | { isUp: false; reason: string } {
  if (exchanged.kind === 'not_started') return { isUp: false, reason: 'not asked: it is being closed' };
  if (exchanged.kind === 'broken') return { isUp: false, reason: printable(exchanged.code) };
  const { status, bodyText } = exchanged;
  const { name } = (parseJson(bodyText) ?? {}) as { name?: unknown };
  // A key that may only send is refused here, by a Resend that is up and knows it.
  if ((status >= 200 && status <= 299) || name === 'restricted_api_key') return { isUp: true };
  return { isUp: false, reason: printable(`status ${status} ${typeof name === 'string' ? name : ''}`) };
}
