import type { Clock } from '../../../src/std/clock.ts';
import type { Ids } from '../../../src/std/ids.ts';
import { isAcceptedDespite, type Lie, type Rule, type SeenRequest } from '../lies.ts';
import { createLyingServer, type Said } from '../lying-server.ts';
import { type Answer, errorAnswer } from './answers.ts';
import type { ApiKey } from './fake-resend.ts';
import type { Ledger } from './ledger.ts';
import { createGauge, type Limits } from './limits.ts';
import { createReads } from './reads.ts';
import { createSubmissions } from './submissions.ts';

export interface HandlerParts {
  clock: Clock;
  ids: Ids;
  ledger: Ledger;
  rules: readonly Rule[];
  limits: Limits;
  keys: readonly ApiKey[];
  idempotencyWindowMs: number;
  indexingDelayMs: number;
  closing: AbortSignal;
}

/** One request: seen → lied about or not → authorised → paced → answered → logged. */
export function createHandler(parts: HandlerParts) {
  const { clock, ledger, rules, keys, closing } = parts;
  const gauge = createGauge(parts.limits, clock, ledger);
  const submissions = createSubmissions({ ...parts, gauge });
  const reads = createReads(parts);

  async function answerTo(request: SeenRequest, lie: Lie | undefined, gone: Promise<void>): Promise<Said> {
    const lieTold = lie?.kind === 'answer' ? told(lie) : undefined;
    const admitted = admit(keys, request);
    if ('refusal' in admitted) return lieTold ?? admitted.refusal;
    const { account } = admitted;
    const { refusal, headers } = gauge.pass(account);
    const work = async () => {
      if (lie?.kind === 'slow' && lie.at === 'before_accepting') await clock.sleep(lie.ms, closing);
      if (lie?.kind === 'hang' && !lie.isAccepted) await gone;
      return isAcceptedDespite(lie);
    };
    const answer = refusal ?? (await process(account, request, lie, work));
    // An error that is told is in the log, too; a 200 is spoilt on its way. What was never answered is in no log.
    const logged = lieTold && lieTold.status > 299 ? lieTold : answer;
    if (isAcceptedDespite(lie) || lieTold) reads.log(account, request, logged);
    return lieTold ?? { ...answer, headers: { ...answer.headers, ...headers } };
  }

  async function process(
    account: string,
    request: SeenRequest,
    lie: Lie | undefined,
    work: () => Promise<boolean>,
  ): Promise<Answer> {
    if (request.method !== 'POST') return reads.read(account, request);
    const isTouched = isAcceptedDespite(lie) || lie?.kind === 'hang';
    if (!isTouched) return errorAnswer(500, 'application_error', 'Nothing was done.');
    return submissions.submit(account, request.key, request.bodyText, work);
  }

  return createLyingServer({ clock, rules, ledger, closing, answerTo });
}

function admit(keys: readonly ApiKey[], request: SeenRequest): { account: string } | { refusal: Answer } {
  const apiKey = /^Bearer (.+)$/.exec(String(request.headers.authorization ?? ''))?.[1];
  if (!apiKey) return { refusal: errorAnswer(401, 'missing_api_key', 'Missing API key.') };
  const known = keys.find((one) => one.apiKey === apiKey);
  if (!known) return { refusal: errorAnswer(403, 'invalid_api_key', 'API key is invalid.') };
  const isSubmission = request.method === 'POST' && request.path === '/emails';
  if (known.access === 'sending' && !isSubmission) {
    return { refusal: errorAnswer(401, 'restricted_api_key', 'This API key may only send emails.') };
  }
  if (request.method !== 'GET' && !isSubmission) {
    return { refusal: errorAnswer(405, 'method_not_allowed', 'This method is not allowed here.') };
  }
  return { account: known.account };
}

function told({ status, name, message, body, headers = {} }: Extract<Lie, { kind: 'answer' }>): Said {
  const error = errorAnswer(status, name ?? 'application_error', message ?? `told to say ${status}`);
  return { ...error, headers: { ...headers }, ...(body !== undefined && { text: body }) };
}
