import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemIds } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import { httpStatusOf, type RefusalCode } from '../std/refusals.ts';
import { cannotBeAsked, failureFields } from './database-away.ts';
import { nothingHerePage } from './pages/nothing-here-page.ts';
import { wantsPage } from './wants-page.ts';

/** The one shape of every error; only who is lost with a browser gets a page. */
interface ErrorBody {
  error: string;
  code: RefusalCode;
  traceId: string;
  details?: Readonly<Record<string, unknown>>;
}

/** As soon as that a restart, or somebody else's lock, may be over. */
const awaySeconds = 5;

export function addErrors(server: FastifyInstance, log: Log): void {
  server.setNotFoundHandler((request, reply) => {
    // A worker has no pages.
    const hasPages = server.hasRoute({ method: 'GET', url: '/docs' });
    if (hasPages && wantsPage(request))
      return reply.code(404).type('text/html; charset=utf-8').send(nothingHerePage());
    const sentence = `There is nothing at this address.${hasPages ? ' What there is: see /docs.' : ''}`;
    return reply
      .code(404)
      .send({ error: sentence, code: 'not_found', traceId: request.id } satisfies ErrorBody);
  });
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const traceId = request.id;
    if (error instanceof Refusal) {
      const { message, code, details } = error;
      const status = httpStatusOf(code);
      if (status === 401) reply.header('www-authenticate', 'Bearer'); // Which one must have, whoever asks.
      return reply
        .code(status)
        .send({ error: message, code, traceId, ...(details && { details }) } satisfies ErrorBody);
    }
    const status = error.statusCode ?? 500;
    if (status < 500) {
      return reply.code(status).send({ ...mistakeIn(error, request), traceId } satisfies ErrorBody);
    }
    const which = { traceId, method: request.method, route: request.routeOptions.url ?? null };
    if (cannotBeAsked(error)) {
      log.warn('http.database_away', { ...which, ...failureFields(error) });
      const sentence = 'The database cannot be asked just now. Ask again in a few seconds.';
      return reply
        .code(503)
        .header('retry-after', awaySeconds)
        .send({ error: sentence, code: 'try_again', traceId } satisfies ErrorBody);
    }
    log.error('http.failed', { ...which, error });
    const sentence = 'Something broke on our side. The log tells more under this trace id.';
    return reply.code(500).send({ error: sentence, code: 'unexpected', traceId } satisfies ErrorBody);
  });
}

type Mistake = Omit<ErrorBody, 'traceId' | 'details'>;

/** Fastify's own refusals in our words: its messages quote what was sent. */
function mistakeIn({ code, statusCode = 400 }: FastifyError, request: FastifyRequest): Mistake {
  if (statusCode === 413) {
    const most = Math.floor((request.routeOptions.bodyLimit ?? 0) / 1024);
    return { ...mistakeOf(413), error: `The body is too large: at most ${most} KiB are taken here.` };
  }
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    const error = 'The body is empty, although its content type says JSON: send JSON, or leave the type out.';
    return { error, code: 'body_missing' };
  }
  return mistakeOf(statusCode);
}

function mistakeOf(status: number): Mistake {
  return mistakes[status] ?? badRequest;
}

const badRequest: Mistake = {
  error: 'The request cannot be understood; check its address and its body.',
  code: 'bad_request',
};
const mistakes: Readonly<Record<number, Mistake>> = {
  408: { error: 'The request took too long to arrive.', code: 'request_timeout' },
  413: { error: 'The body is too large.', code: 'body_too_large' },
  414: { error: 'The address is too long.', code: 'address_too_long' },
  415: {
    error:
      'The body has a content type that is not accepted here; send JSON, with content-type application/json.',
    code: 'unsupported_media_type',
  },
  431: { error: 'The headers are too large.', code: 'headers_too_large' },
};

/** An address that cannot be decoded is refused before there are routes to choose from, and before any hook. */
export function answerBadUrl(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const status = error.statusCode === 414 ? 414 : 400;
  reply
    .code(status)
    .headers({ 'cache-control': 'no-store', 'x-request-id': request.id })
    .send({ ...mistakeOf(status), traceId: request.id } satisfies ErrorBody);
}

const statusesByCode: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
};

/** What is no HTTP reaches no route; it is answered on the bare socket. */
export function answerBadRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusesByCode[error.code ?? ''] ?? '400 Bad Request';
  const answer: ErrorBody = { ...mistakeOf(Number.parseInt(status, 10)), traceId: systemIds.uuid() };
  const body = JSON.stringify(answer);
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
