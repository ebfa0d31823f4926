import { createHash } from 'node:crypto';
import { checkMail } from '../domain/message.ts';
import type { Clock } from '../std/clock.ts';
import { Refusal } from '../std/refusal.ts';
import { createExchange, type Exchanged, type ExchangeRequest } from './exchange.ts';
import { parseJson, printable } from './http-answer.ts';
import { outcomeOf } from './postmark-answer.ts';
import { bodyOf } from './postmark-body.ts';
import { createPostmarkLookUp } from './postmark-look-up.ts';
import { createPostmarkProgress } from './postmark-progress.ts';
import type { Provider } from './provider.ts';
import { createQuestions } from './questions.ts';
import { isTooLate } from './too-late.ts';

/**
 * Postmark, by its REST API. It knows no keys: a mail whose answer was lost is never handed over again, it is searched for by its
 * metadata, and only a search that is proved to be up to date may say that it is not there. It never says "not sent" unless
 * Postmark has said so or nothing has left.
 */
export interface PostmarkParts {
  serverToken: string;
  /** The stream that mails go out by. With one for broadcasts, Postmark may want an unsubscribe link of its own. */
  messageStream?: string;
  baseUrl?: string;
  clock: Clock;
  /** Their limit is not documented; a quarter of this is used for questions. */
  requestsPerSecond?: number;
  /** Mails in flight at once, and so in doubt after a crash. */
  connections?: number;
  connectTimeoutMs?: number;
  answerTimeoutMs?: number;
  /** A look-up that takes longer has not found out. */
  lookUpTimeoutMs?: number;
  /** For all mails of one question about their progress; the rest is asked the next time. */
  progressTimeoutMs?: number;
}

export function createPostmark({
  serverToken,
  messageStream = 'outbound', // The one that every server has.
  baseUrl = 'https://api.postmarkapp.com',
  clock,
  requestsPerSecond = 8,
  connections = 8, // Without keys a crash leaves so many to be looked for; at a fifth of a second an answer that is 40 a second.
  connectTimeoutMs = 5_000,
  answerTimeoutMs = 30_000, // It answers within a second; what takes longer than this is lost.
  lookUpTimeoutMs = 20_000,
  progressTimeoutMs = 60_000,
}: PostmarkParts): Provider {
  // It would be refused by the HTTP client at every mail, with an error that repeats it.
  if (!/^[\x21-\x7e]+$/.test(serverToken)) {
    throw new Refusal('postmark_server_token', 'The server token of Postmark is empty or holds a space.');
  }
  if (!streamForm.test(messageStream)) {
    throw new Refusal('postmark_message_stream', 'The message stream of Postmark is no name of a stream.');
  }
  const url = new URL(baseUrl);
  const longestCallMs = connectTimeoutMs + answerTimeoutMs + slackMs;
  const bounds = { baseUrl: url, clock, connectTimeoutMs, answerTimeoutMs };
  const headers = {
    'x-postmark-server-token': serverToken,
    accept: 'application/json',
    'user-agent': 'tidings',
  };
  const mails = createExchange({ ...bounds, headers, connections });
  // A connection of their own: a mail never waits behind a question.
  const questions = createExchange({ ...bounds, headers, connections: 1 });

  async function ask(exchange: typeof mails, request: ExchangeRequest): Promise<Exchanged> {
    const exchanged = await exchange.ask(request);
    if (exchanged.kind !== 'answered') return exchanged;
    // An answer that repeats the token must not carry it into rows and logs.
    return { ...exchanged, bodyText: exchanged.bodyText?.replaceAll(serverToken, '[key]') ?? null };
  }
  const get = (path: string) => ask(questions, { method: 'GET', path, answerOctetsMax: pageOctetsMax });
  const asking = createQuestions({ get, clock, ratePerSecond: () => requestsPerSecond });

  return {
    name: 'postmark',
    account: `postmark:${fingerprint(serverToken, messageStream, url)}`,
    guarantees: {
      idempotencyWindowMs: null,
      indexingDelayMs,
      longestCallMs,
      concurrency: connections,
      ratePerSecond: null,
    },
    async send(parcel) {
      const checked = checkMail(parcel.mail);
      if (!checked.ok) {
        const error = { code: checked.code, provider: 'postmark', message: checked.sentence };
        return { kind: 'refused_for_good', error };
      }
      const exchanged = await ask(mails, {
        method: 'POST',
        path: '/email',
        headers: { 'content-type': 'application/json' },
        body: bodyOf(parcel.mail, messageStream),
        mayStart: () => !isTooLate(parcel, clock, longestCallMs),
        answerOctetsMax,
      });
      return outcomeOf(exchanged, clock.now());
    },
    lookUp: createPostmarkLookUp({
      ...{ questions: asking, clock, timeoutMs: lookUpTimeoutMs },
      ...{ stream: messageStream, freshMs: indexingDelayMs },
    }),
    progress: createPostmarkProgress({ questions: asking, clock, timeoutMs: progressTimeoutMs }),
    probe: async () => verdictOnProbe(await get(`/message-streams/${messageStream}`)),
    async close() {
      await Promise.all([mails.close(), questions.close()]);
    },
  };
}

const streamForm = /^[a-z0-9][a-z0-9_-]{0,99}$/i;
// An answer is an id or an error, a few hundred octets.
const answerOctetsMax = 65_536;
// A page of fifty mails without their content, or the details of one with all of it: 1.2 MB before JSON escapes what it has to.
const pageOctetsMax = 8 * 1_048_576;
// Between the bounds of the call and its outcome: timers that fire late on a loaded machine.
const slackMs = 1_000;
// Not documented: mails are seen within seconds, and in a bad hour of theirs much later. So a look-up wants proof besides.
const indexingDelayMs = 10 * 60_000;

/** The stream too: a search knows only the mails of one. */
function fingerprint(serverToken: string, stream: string, { origin }: URL): string {
  return createHash('sha256').update(`${origin}\n${stream}\n${serverToken}`).digest('hex').slice(0, 12);
}

/** Credits are not seen by a question that sends nothing; whether the token opens the stream is. */
function verdictOnProbe(exchanged: Exchanged): { isUp: true } | { isUp: false; reason: string } {
  if (exchanged.kind === 'not_started') return { isUp: false, reason: 'not asked: it is being closed' };
  if (exchanged.kind === 'broken') return { isUp: false, reason: printable(exchanged.code) };
  const { status, bodyText } = exchanged;
  const { ErrorCode, ArchivedAt, MessageStreamType } = (parseJson(bodyText) ?? {}) as Record<string, unknown>;
  if (status < 200 || status > 299) {
    const code = typeof ErrorCode === 'number' ? ` error ${ErrorCode}` : '';
    return { isUp: false, reason: `status ${status}${code}` };
  }
  if (MessageStreamType === 'Inbound')
    return { isUp: false, reason: 'the message stream is for incoming mail' };
  return typeof ArchivedAt === 'string' && ArchivedAt !== ''
    ? { isUp: false, reason: 'the message stream is archived' }
    : { isUp: true };
}
