import { createTidingsClient, type ReviewResult, type Submitted, TidingsError } from '../client/client.ts';
import type { SubmitRequest } from '../sources/code-reviews/jobs/submission.ts';
import { Refusal } from '../std/refusal.ts';
import type { RefusalCode } from '../std/refusals.ts';

/** A review submitted to a server somewhere, by the typed client: tried again under its own key, where that helps. */
export async function submitOverHttp({
  server,
  key,
  request,
}: {
  server: string;
  key: string;
  request: SubmitRequest;
}): Promise<Submitted> {
  // Its shape was checked against the same schema that the server has.
  const result = request as ReviewResult;
  try {
    return await createTidingsClient({ baseUrl: server, apiKey: key }).reviews.submit(result);
  } catch (error) {
    if (!(error instanceof TidingsError)) throw error;
    const { status, code, sentence, details } = error;
    if (code === 'invalid_argument') throw new Refusal('invalid_server', ownWords(sentence));
    // What the server refuses is the caller's to mend; everything else is somebody's trouble.
    if (status === null || status >= 500 || code === 'unexpected_answer') throw new Error(ownWords(sentence));
    // A newer server may have codes that are not known here; they are handed on as they came.
    throw new Refusal(code as RefusalCode, sentence, { ...details });
  }
}

/** On a command line they have other names. */
const ownWords = (sentence: string) =>
  sentence.replaceAll('baseUrl', '--server').replaceAll('apiKey', 'TIDINGS_API_KEY');
