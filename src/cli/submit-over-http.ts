import type { submitJson } from '../http/routes/review-shapes.ts';
import type { SubmitRequest } from '../sources/code-reviews/jobs/submission.ts';
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
  const response = await fetch(new URL('api/v1/reviews/jobs', `${base.href.replace(/\/*$/, '')}/`), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== '' && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(request),
    signal: AbortSignal.timeout(answerWithinMs),
  });
  const body = parseAnswer(await response.text());
  if (response.ok) return body as unknown as Submitted;
  if (response.status < 500 && typeof body.error === 'string')
    throw new Refusal(String(body.code), body.error, body.details);
  throw new Error(`the server answered with status ${response.status}`);
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
