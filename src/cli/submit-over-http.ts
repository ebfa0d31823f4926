import type { submitJson } from '../http/routes/review-shapes.ts';
import type { SubmitRequest } from '../sources/code-reviews/jobs/submission.ts';
import { systemClock } from '../std/clock.ts';
import { Refusal } from '../std/refusal.ts';
import { parseUrl } from '../std/url.ts';

/** A review submitted to a server somewhere. Asked again with the same key, it answers with the job that there is. */
export type Submitted = ReturnType<typeof submitJson>;

const answerWithinMs = 30_000;

export async function submitOverHttp({
  server,
  key,
  request,
}: {
  server: string;
  key: string;
  request: SubmitRequest;
}): Promise<Submitted> {
  const base = parseUrl(server);
  if (!base || !['http:', 'https:'].includes(base.protocol))
    throw new Refusal('invalid_server', '--server must be a URL that begins with https:// or http://.');
  const url = new URL('api/v1/reviews/jobs', `${base.href.replace(/\/*$/, '')}/`);
  const { status, text } = await post(url, key, JSON.stringify(request));
  const body = parseAnswer(text);
  if (status === 200 || status === 201) return body as unknown as Submitted;
  if (status < 500 && typeof body.error === 'string')
    throw new Refusal(String(body.code), body.error, body.details);
  throw new Error(`the server answered with status ${status}`);
}

async function post(url: URL, key: string, body: string): Promise<{ status: number; text: string }> {
  const impatient = new AbortController();
  const answered = new AbortController();
  void systemClock.sleep(answerWithinMs, answered.signal).then(() => impatient.abort());
  const authorization = key === '' ? {} : { authorization: `Bearer ${key}` };
  try {
    const response = await fetch(url, {
      ...{ method: 'POST', body, signal: impatient.signal },
      headers: { 'content-type': 'application/json', ...authorization },
    });
    return { status: response.status, text: await response.text() };
  } catch {
    throw new Error(`no answer from ${url.origin}; ask again, which makes no second job`);
  } finally {
    answered.abort();
  }
}

interface ErrorAnswer {
  error?: string;
  code?: string;
  details?: Record<string, unknown>;
}

function parseAnswer(text: string): ErrorAnswer {
  try {
    return JSON.parse(text) as ErrorAnswer;
  } catch {
    return {};
  }
}
