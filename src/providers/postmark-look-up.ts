import { readIdempotencyKey } from '../domain/message.ts';
import type { LookUp } from '../domain/outcome.ts';
import type { Clock } from '../std/clock.ts';
import { parseJson, parseTimestamp } from './http-answer.ts';
import { isMessageId, readErrorCode } from './postmark-answer.ts';
import type { MailReference } from './provider.ts';
import type { Questions } from './questions.ts';

/**
 * Whether Postmark has a mail: it is searched for by the delivery's id in its metadata. A hit is a hit. That nothing is found
 * proves nothing by itself: the search may lag behind for as long as it likes, there is no key that would stop a second mail,
 * and a filter that is not understood finds nothing either. So `absent` is said only when the same search finds another mail of
 * ours that came in lately, after this one can have come. In a quiet hour there is none, and a person is asked.
 */
export interface PostmarkLookUpParts {
  questions: Questions;
  clock: Clock;
  timeoutMs: number;
  /** The search is of one stream. */
  stream: string;
  /** What came in longer ago than this proves nothing: the mail in question may have come later. */
  freshMs: number;
}

/** Between our clock and theirs. */
const skewMs = 60_000;
/** The shortest time for which a server may be told to keep mails: an older one may have left it. */
const retentionMs = 7 * 24 * 3_600_000;
/** Other senders may share the stream; one of ours is among so many, or nothing is proved. */
const newestCount = 50;

export function createPostmarkLookUp({ questions, clock, timeoutMs, stream, freshMs }: PostmarkLookUpParts) {
  async function search(count: number, filter: string, until: number): Promise<Found[] | undefined> {
    const path = `/messages/outbound?count=${count}&offset=0&messagestream=${stream}${filter}`;
    return readPage(await questions.askForObject(path, until));
  }

  const searchFor = (deliveryId: string, until: number) =>
    search(newestCount, `&metadata_delivery_id=${deliveryId}`, until);

  /** Does the search know of what came in a moment ago, and does it find that by the metadata, too? */
  async function isUpToDate(until: number): Promise<boolean> {
    const since = clock.now() - freshMs + skewMs;
    const newest = await search(newestCount, '', until);
    const ours = newest?.find(({ at, deliveryId }) => at >= since && deliveryId !== null);
    if (!ours || ours.deliveryId === null) return false;
    const again = await searchFor(ours.deliveryId, until);
    return again?.some(({ messageId }) => messageId === ours.messageId) ?? false;
  }

  async function byId(messageId: string, until: number): Promise<LookUp | undefined> {
    const answer = await questions.ask(`/messages/outbound/${messageId}/details`, until);
    if (answer?.status === 404 || readErrorCode(answer?.bodyText ?? null) === unknownMessage)
      return undefined;
    const { MessageID, ReceivedAt } = (parseJson(answer?.bodyText ?? null) ?? {}) as Fields;
    const at = answer?.status === 200 && MessageID === messageId ? parseTimestamp(ReceivedAt) : undefined;
    return at === undefined ? { kind: 'unknown' } : { kind: 'found', messageId, at };
  }

  return async function lookUp({ key, messageId, sentAfter }: MailReference): Promise<LookUp> {
    const until = clock.monotonic() + timeoutMs;
    const known = messageId !== null && isMessageId(messageId) ? await byId(messageId, until) : undefined;
    if (known) return known;
    const wanted = readIdempotencyKey(key);
    const found = wanted ? await searchFor(wanted.deliveryId, until) : undefined;
    if (!wanted || !found) return { kind: 'unknown' };
    const hit = found
      .filter(({ deliveryId, round }) => deliveryId === wanted.deliveryId && round === String(wanted.round))
      .sort((a, b) => a.at - b.at)[0];
    if (hit) return { kind: 'found', messageId: hit.messageId, at: hit.at };
    // Somebody else's mail among the answers: the filter was not applied, and the page is any page.
    const isFiltered = found.every(({ deliveryId }) => deliveryId === wanted.deliveryId);
    const isKept = sentAfter >= clock.now() - retentionMs;
    const isWhole = isFiltered && isKept && found.length < newestCount;
    return { kind: isWhole && (await isUpToDate(until)) ? 'absent' : 'unknown' };
  };
}

const unknownMessage = 701;

interface Found {
  messageId: string;
  at: number;
  deliveryId: string | null;
  round: string | null;
}

type Fields = Record<string, unknown>;

/** Undefined for everything that does not have the documented shape: what is skipped would be called absent. */
function readPage(body: object | undefined): Found[] | undefined {
  const { Messages } = (body ?? {}) as Fields;
  if (!Array.isArray(Messages)) return undefined;
  const found: Found[] = [];
  for (const message of Messages as unknown[]) {
    const { MessageID, ReceivedAt, Metadata } = (message ?? {}) as Fields;
    const at = parseTimestamp(ReceivedAt);
    if (!isMessageId(MessageID) || at === undefined) return undefined;
    const { delivery_id, round } = (Metadata ?? {}) as Fields;
    found.push({ messageId: MessageID, at, deliveryId: textOf(delivery_id), round: textOf(round) });
  }
  return found;
}

const textOf = (value: unknown) => (typeof value === 'string' && /^[\w-]{1,80}$/.test(value) ? value : null);
