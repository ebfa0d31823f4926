import type { Exchanged } from './exchange.ts';
import { parseJson, parseTimestamp } from './http-answer.ts';

/**
 * Resend's log of API requests, read with suspicion: undefined for everything that does not have the documented shape,
 * because a search that skips what it does not understand would call a mail absent that is there.
 */
export interface LogPage {
  /** Entries that may have made a mail. */
  submissions: { id: string; at: number }[];
  oldestAt: number;
  lastId: string;
  hasMore: boolean;
}

/** `newerThan` is the oldest moment of the page before: pages that do not go back in time cannot be read backwards. */
export function readLogPage(
  body: object | undefined,
  newerThan: number | undefined,
  toleranceMs: number,
): LogPage | undefined {
  const { data, has_more: hasMore } = (body ?? {}) as Record<string, unknown>;
  if (!Array.isArray(data) || typeof hasMore !== 'boolean' || (hasMore && data.length === 0))
    return undefined;
  const submissions: LogPage['submissions'] = [];
  let oldestAt = newerThan ?? Number.POSITIVE_INFINITY;
  let lastId = '';
  for (const entry of data as unknown[]) {
    const { id, created_at, endpoint, method, response_status: status } = (entry ?? {}) as Fields;
    const at = parseTimestamp(created_at);
    if (at === undefined || typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id)) return undefined;
    if (at > oldestAt + toleranceMs || typeof status !== 'number') return undefined;
    oldestAt = Math.min(oldestAt, at);
    lastId = id;
    const isSubmission = method === 'POST' && /^\/emails\/?(\?|$)/.test(String(endpoint));
    // A 4xx made no mail. Every other answer, an error of theirs among them, may have.
    if (isSubmission && !(status >= 400 && status <= 499)) submissions.push({ id, at });
  }
  return { submissions, oldestAt, lastId, hasMore };
}

export interface LoggedMail {
  deliveryId: string | null;
  round: number | null;
  messageId: string | null;
}

/** Nulls for a mail of somebody else; undefined when nobody can tell whose it is. */
export function readLoggedMail(body: object | undefined): LoggedMail | undefined {
  const { request_body, response_body, response_status: status } = (body ?? {}) as Fields;
  const request = asObject(request_body);
  if (!request || typeof status !== 'number') return undefined;
  const tags = readTags((request as Fields).tags);
  const { id } = (asObject(response_body) ?? {}) as Fields;
  const isAccepted = status >= 200 && status <= 299 && typeof id === 'string' && id !== '';
  return {
    deliveryId: tags.get('delivery_id') ?? null,
    round: tags.has('round') ? Number(tags.get('round')) : null,
    messageId: isAccepted ? id : null,
  };
}

/** When the mail that was asked for by its id was made; undefined if this is not it. */
export function readFoundMail(answer: Exchanged | undefined, messageId: string): number | undefined {
  if (answer?.kind !== 'answered' || answer.status !== 200) return undefined;
  const { id, created_at } = (parseJson(answer.bodyText) ?? {}) as Fields;
  return id === messageId ? parseTimestamp(created_at) : undefined;
}

type Fields = Record<string, unknown>;

function asObject(value: unknown): object | undefined {
  if (typeof value === 'string') return parseJson(value);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** An array of name and value as it was submitted, or an object as in webhooks. */
function readTags(tags: unknown): Map<string, string> {
  const pairs: unknown[][] = Array.isArray(tags)
    ? tags.map((tag: Fields | null) => [tag?.name, tag?.value])
    : Object.entries(asObject(tags) ?? {});
  const isText = (pair: unknown[]): pair is [string, string] => pair.every((one) => typeof one === 'string');
  return new Map(pairs.filter(isText));
}
