import type { Command } from 'commander';
import type { SubmitRequest } from '../../sources/code-reviews/jobs/submission.ts';
import { jsonBreak } from '../../std/json-break.ts';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { operatorName } from '../operator.ts';
import { tellSubmitted } from '../review-words.ts';

interface SubmitOptions {
  file?: string;
  rerun?: true;
  server?: string;
  json?: true;
}

export function addSubmit(reviews: Command, context: Context): void {
  const { terminal } = context;
  reviews
    .command('submit')
    .description('Submit a review: every reviewer hears of this version of the change list, once')
    .option('--file <file>', 'the review as JSON (required); - reads standard input')
    .option('--rerun', 'tell of a newer version although the last one has been told to all')
    .option('--server <url>', 'to a server, with the key of TIDINGS_API_KEY, instead of into the database')
    .option(...jsonOption)
    .addHelpText(
      'after',
      [
        '',
        'The file holds what POST /api/v1/reviews/jobs takes: idempotency_key, changelist_id, review_version, recipients',
        '[{ email, required }], title, and if you like url, summary, findings [{ severity, message, file, line }], locale.',
        example(
          'reviews submit --file result.json',
          'reviews submit --file - --rerun --server https://mail.example.org < result.json',
        ),
      ].join('\n'),
    )
    .action(async (options: SubmitOptions) => {
      const request = await readRequest(options, terminal.complain);
      const submitting = options.server ? overHttp(options.server, request) : intoDatabase(context, request);
      const submitted = await submitting.catch(inWordsOfOptions);
      if (options.json) return terminal.json(submitted);
      terminal.print(...tellSubmitted(submitted, terminal.paint));
    });
}

/** As much as the server takes. */
const octetsMax = 4 * 1_048_576;

async function readRequest(
  { file, rerun }: SubmitOptions,
  complain: (...lines: string[]) => void,
): Promise<SubmitRequest> {
  if (!file)
    throw new Refusal('file_required', 'Name the file with --file; - reads the review from standard input.');
  const given: unknown = parseReview(await readWhole(file, complain), file);
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const [{ createValidator }, { submitBody }] = await Promise.all([
    import('../../http/validate.ts'),
    import('../../http/routes/review-shapes.ts'),
  ]);
  const asked = isObject && rerun ? { ...given, rerun } : given;
  return createValidator(submitBody, 'body')(asked) as SubmitRequest;
}

async function readWhole(file: string, complain: (...lines: string[]) => void): Promise<string> {
  const { openTextFile } = await import('../text-file.ts');
  if (file === '-' && process.stdin.isTTY) complain('The review as JSON; Ctrl-D ends it.');
  const source =
    file === '-'
      ? { chunks: process.stdin.setEncoding('utf8') as AsyncIterable<string>, close: async () => {} }
      : await openTextFile(file);
  let text = '';
  let octets = 0;
  try {
    for await (const chunk of source.chunks) {
      text += chunk;
      octets += Buffer.byteLength(chunk);
      if (octets > octetsMax)
        throw new Refusal('file_too_large', 'The review is larger than 4 MiB; leave some findings out.');
    }
  } finally {
    await source.close();
  }
  return text;
}

function parseReview(given: string, file: string): unknown {
  const text = given.replace(/^\ufeff/, '');
  const place = jsonBreak(text);
  if (place === undefined) return JSON.parse(text);
  const name = file === '-' ? 'What came by standard input' : file;
  throw new Refusal(
    'malformed_json',
    `${name} is not JSON: ${place}; check its quotes, commas and brackets.`,
  );
}

/** What a field asks for in a body, an option asks for here. */
function inWordsOfOptions(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'rerun_required') throw error;
  throw new Refusal(error.code, error.message.replace('say "rerun": true', 'give --rerun'), error.details);
}

/** What is submitted before the first start waits for it. */
async function intoDatabase(context: Context, request: SubmitRequest) {
  const [{ systemIds }, { submitJson }] = await Promise.all([
    import('../../std/ids.ts'),
    import('../../http/routes/review-shapes.ts'),
  ]);
  const who = { by: operatorName(), traceId: systemIds.uuid() };
  return withEngine(context, async ({ reviews }) => submitJson(await reviews.submit(request, who)), {
    mayMakeDatabase: true,
  });
}

async function overHttp(server: string, request: SubmitRequest) {
  const [{ readConfig }, { submitOverHttp }] = await Promise.all([
    import('../../config.ts'),
    import('../submit-over-http.ts'),
  ]);
  return submitOverHttp({ server, key: readConfig().apiKey, request });
}
