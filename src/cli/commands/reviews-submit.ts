import type { Command } from 'commander';
import type { SubmitRequest } from '../../sources/code-reviews/jobs/submission.ts';
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
      const submitted = options.server
        ? await overHttp(options.server, request)
        : await intoDatabase(context, request);
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
  const given: unknown = parseReview(await readWhole(file, complain));
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

function parseReview(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    throw new Refusal('malformed_json', 'The file is not JSON; check its quotes, commas and brackets.');
  }
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
