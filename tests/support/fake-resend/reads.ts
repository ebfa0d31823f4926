import type { Clock } from '../../../src/std/clock.ts';
import type { Ids } from '../../../src/std/ids.ts';
import type { SeenRequest } from '../lies.ts';
import { type Answer, errorAnswer } from './answers.ts';
import type { AcceptedMail, Ledger } from './ledger.ts';

/** Everything that can be asked: mails, the log of requests, domains. Newest first, at most 100 a page. */
export interface Reads {
  read(account: string, request: SeenRequest): Answer;
  log(account: string, request: SeenRequest, told: Answer): void;
}

interface LogEntry {
  id: string;
  account: string;
  at: number;
  entry: object;
  bodies: object;
}

export interface ReadsParts {
  clock: Clock;
  ids: Ids;
  ledger: Ledger;
  indexingDelayMs: number;
}

export function createReads({ clock, ids, ledger, indexingDelayMs }: ReadsParts): Reads {
  const logs: LogEntry[] = [];

  function visible<T extends { account: string; at: number }>(rows: readonly T[], account: string): T[] {
    const until = clock.now() - indexingDelayMs;
    return rows.filter((row) => row.account === account && row.at <= until).reverse();
  }

  return {
    read(account, { path, query }) {
      const [, collection = '', id, ...rest] = path.split('/');
      if (rest.length > 0) return notFound;
      if (collection === 'domains' && id === undefined) return pageOf([], query, () => ({}));
      if (collection === 'emails') {
        const mails = visible(ledger.accepted, account);
        return id === undefined
          ? pageOf(mails, query, listedMail)
          : oneOf(mails, id, (mail) => ({ object: 'email', ...listedMail(mail), ...wholeMail(mail) }));
      }
      if (collection === 'logs') {
        const entries = visible(logs, account);
        return id === undefined
          ? pageOf(entries, query, ({ entry }) => entry)
          : oneOf(entries, id, ({ entry, bodies }) => ({ object: 'log', ...entry, ...bodies }));
      }
      return notFound;
    },
    log(account, { method, path, headers, bodyText }, { status, body }) {
      const id = ids.uuid();
      const at = clock.now();
      const entry = {
        id,
        // 2026-03-30 13:43:54.622000+00, as the real one writes it.
        created_at: new Date(at).toISOString().replace('T', ' ').replace('Z', '000+00'),
        endpoint: path,
        method,
        response_status: status,
        user_agent: headers['user-agent'] ?? null,
      };
      const bodies = { request_body: bodyText === '' ? null : asLogged(bodyText), response_body: body };
      logs.push({ id, account, at, entry, bodies });
    },
  };
}

const notFound = errorAnswer(404, 'not_found', 'The requested endpoint does not exist.');

function oneOf<T extends { id: string }>(rows: readonly T[], id: string, show: (row: T) => object): Answer {
  const row = rows.find((one) => one.id === id);
  return row ? { status: 200, body: show(row) } : notFound;
}

function pageOf<T extends { id: string }>(
  rows: readonly T[],
  query: URLSearchParams,
  show: (row: T) => object,
): Answer {
  const limit = Number(query.get('limit') ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    return errorAnswer(422, 'validation_error', 'The `limit` must be between 1 and 100.');
  }
  const after = query.get('after');
  const start = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) {
    return errorAnswer(422, 'validation_error', 'The `after` id is not known.');
  }
  const page = rows.slice(start, start + limit);
  return {
    status: 200,
    body: { object: 'list', has_more: rows.length > start + limit, data: page.map(show) },
  };
}

function listedMail({ id, body, at, lastEvent }: AcceptedMail): object {
  const { from, to, subject, reply_to = null } = body;
  return {
    ...{ id, from, to: [to].flat(), subject, bcc: null, cc: null },
    reply_to: reply_to === null ? null : [reply_to].flat(),
    created_at: new Date(at).toISOString().replace('Z', '000+00:00'),
    last_event: lastEvent,
    scheduled_at: null,
  };
}

function wholeMail({ body: { html, text, tags } }: AcceptedMail): object {
  return { html: html ?? null, text: text ?? null, tags: tags ?? [] };
}

function asLogged(bodyText: string): unknown {
  try {
    return JSON.parse(bodyText);
  } catch {
    return bodyText;
  }
}
