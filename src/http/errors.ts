import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { systemIds } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';

/** The one shape of every error. */
interface ErrorBody {
  error: string;
  code: string;
  traceId: string;
  details?: Readonly<Record<string, unknown>>;
}

/** A refusal is a 400 unless it is here. `tests/http/refusals.test.ts` has the list of those that are one. */
export const statusesByRefusal: Readonly<Record<string, number>> = {
  key_required: 401,
  role_required: 403,
  foreign_host: 403,
  foreign_request: 403,
  cross_site: 403,
  delivery_not_found: 404,
  mail_not_found: 404,
  message_not_found: 404,
  inbox_not_here: 404,
  preview_not_found: 404,
  not_paused: 404,
  not_suppressed: 404,
  section_not_found: 404,
  subscription_not_found: 404,
  notification_not_found: 404,
  run_not_found: 404,
  job_not_found: 404,
  console_file_not_found: 404,
  samples_not_here: 404,
  all_seats_opened: 409,
  all_months_told: 409,
  killing_already: 409,
  worker_not_sending: 409,
  console_not_built: 503,
  method_not_allowed: 405,
  chaos_not_here: 409,
  notification_conflict: 409,
  too_many_notifications: 409,
  plan_expired: 409,
  plan_used: 409,
  run_not_changed: 409,
  stale_review_version: 409,
  rerun_required: 409,
  escalated: 409,
  invalid_review: 422,
  recipient_unknown: 422,
  too_many_requests: 429,
};

export function addErrors(server: FastifyInstance, log: Log): void {
  server.setNotFoundHandler((request, reply) => {
    // A worker has no pages.
    const sentence = `There is nothing at this address.${server.hasRoute({ method: 'GET', url: '/docs' }) ? ' What there is: see /docs.' : ''}`;
    return reply
      .code(404)
      .send({ error: sentence, code: 'not_found', traceId: request.id } satisfies ErrorBody);
  });
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    const traceId = request.id;
    if (error instanceof Refusal) {
      const { message, code, details } = error;
      const status = statusesByRefusal[code] ?? 400;
      if (status === 401) reply.header('www-authenticate', 'Bearer'); // Which one must have, whoever asks.
      return reply
        .code(status)
        .send({ error: message, code, traceId, ...(details && { details }) } satisfies ErrorBody);
    }
    const status = error.statusCode ?? 500;
    if (status < 500) {
      return reply.code(status).send({ ...mistakeIn(error, request), traceId } satisfies ErrorBody);
    }
    log.error('http.failed', {
      traceId,
      method: request.method,
      route: request.routeOptions.url ?? null,
      error,
    });
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

const badRequest = {
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
