import type { Clock } from '../../../src/std/clock.ts';
import type { Ids } from '../../../src/std/ids.ts';
import { isAcceptedDespite, type Lie, type Rule, type SeenRequest } from '../lies.ts';
import { createLyingServer, type Said } from '../lying-server.ts';
import type { Circumstances } from './fake-postmark.ts';
import { errorAnswer, type PostmarkAnswer } from './postmark-answers.ts';
import { easternTime, type PostmarkLedger } from './postmark-ledger.ts';
import { readMailBody } from './postmark-mail-body.ts';
import { createReads } from './postmark-reads.ts';

export interface HandlerParts {
  clock: Clock;
  ids: Ids;
  ledger: PostmarkLedger;
  rules: readonly Rule[];
  circumstances: Circumstances;
  tokens: readonly string[];
  closing: AbortSignal;
}

/** One request: seen → lied about or not → authorised → answered. There are no keys: a mail that comes twice is two mails. */
export function createHandler(parts: HandlerParts) {
  const { clock, ids, ledger, rules, circumstances, tokens, closing } = parts;
  const read = createReads(parts);

  async function submit(request: SeenRequest, lie: Lie | undefined): Promise<PostmarkAnswer> {
    const body = readMailBody(request.bodyText);
    if ('refusal' in body) return body.refusal;
    const { mail } = body;
    if (circumstances.isOutOfCredits) return errorAnswer(422, 405, 'You ran out of credits.');
    if (!circumstances.streams.some(({ ID }) => ID === (mail.MessageStream ?? 'outbound'))) {
      return errorAnswer(422, 1235, "The 'MessageStream' provided does not exist on this server.");
    }
    if (circumstances.inactive.has(mail.To)) {
      const message = `You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: ${mail.To}.`;
      return errorAnswer(422, 406, message);
    }
    if (lie?.kind === 'slow' && lie.at === 'before_accepting') await clock.sleep(lie.ms, closing);
    if (!isAcceptedDespite(lie)) return errorAnswer(500, 0, 'Nothing was done.');
    const id = ids.uuid();
    const at = clock.now();
    ledger.accepted.push({ id, at, body: mail, bodyText: request.bodyText, events: [] });
    const accepted = {
      To: mail.To,
      SubmittedAt: easternTime(at),
      MessageID: id,
      ErrorCode: 0,
      Message: 'OK',
    };
    return { status: 200, body: accepted };
  }

  async function answerTo(request: SeenRequest, lie: Lie | undefined): Promise<Said> {
    const token = request.headers['x-postmark-server-token'];
    const isKnown = typeof token === 'string' && tokens.includes(token);
    const answer = !isKnown
      ? errorAnswer(401, 10, 'The Server Token you provided in the X-Postmark-Server-Token was invalid.')
      : circumstances.isThrottling
        ? errorAnswer(429, 429, 'You have exceeded your rate limit.')
        : request.method === 'POST' && request.path === '/email'
          ? await submit(request, lie)
          : request.method === 'GET'
            ? read(request)
            : errorAnswer(405, 0, 'Not allowed here.');
    if (lie?.kind !== 'answer') return answer;
    const headers = { ...lie.headers };
    return {
      status: lie.status,
      body: {},
      headers,
      text: lie.body ?? JSON.stringify({ Message: lie.message }),
    };
  }

  return createLyingServer({ clock, rules, ledger, closing, answerTo });
}
