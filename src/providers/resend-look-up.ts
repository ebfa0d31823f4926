import { readIdempotencyKey } from '../domain/message.ts';
import type { LookUp } from '../domain/outcome.ts';
import type { Clock } from '../std/clock.ts';
import type { MailReference } from './provider.ts';
import type { Questions } from './questions.ts';
import { type LoggedMail, type LogPage, readFoundMail, readLoggedMail, readLogPage } from './resend-logs.ts';

/**
 * Whether Resend has a mail. It cannot be asked by key or tag, so the log of its API is read backwards, each submission in
 * it, until before the mail can have been sent. A hit is a hit; `absent` is said only when the whole stretch was read and
 * every entry of it understood. Everything else, a refusal, a strange page or too little time, is `unknown`.
 */
export interface ResendLookUpParts {
  questions: Questions;
  clock: Clock;
  timeoutMs: number;
}

const skewMs = 5 * 60_000; // Between our clock and theirs.
const pagesMax = 50; // 5,000 requests; past that it is the operator's or the webhooks' turn.
// The log is kept for a day at least, on the smallest plan there was: an older mail may have left it.
const retentionMs = 24 * 3_600_000;
const rememberedMax = 10_000;

export function createResendLookUp({ questions, clock, timeoutMs }: ResendLookUpParts) {
  const { ask, askForObject } = questions;
  // An entry never changes: a batch of look-ups reads each once, and one that ran out of time goes on from there.
  const remembered = new Map<string, LoggedMail>();

  async function readLog(id: string, until: number): Promise<LoggedMail | undefined> {
    const known = remembered.get(id);
    if (known) return known;
    const read = readLoggedMail(await askForObject(`/logs/${id}`, until));
    if (read) remembered.set(id, read);
    const oldest = remembered.size > rememberedMax ? remembered.keys().next().value : undefined;
    if (oldest !== undefined) remembered.delete(oldest);
    return read;
  }

  /** Adds what it finds to `hits`; answers whether nothing can have been overlooked. */
  async function search(
    { key, sentAfter }: MailReference,
    hits: Found[],
    until: number,
  ): Promise<'complete' | 'incomplete'> {
    const wanted = readIdempotencyKey(key);
    if (!wanted) return 'incomplete';
    const since = sentAfter - skewMs;
    let isComplete = true;
    let page: LogPage | undefined;
    for (let pages = 0; pages < pagesMax; pages++) {
      page = readLogPage(await askForObject(pathAfter(page), until), page?.oldestAt, skewMs);
      if (!page) return 'incomplete';
      for (const entry of page.submissions.filter(({ at }) => at >= since)) {
        const mail = await readLog(entry.id, until);
        if (!mail) return 'incomplete';
        if (mail.deliveryId !== wanted.deliveryId || mail.round !== wanted.round) continue;
        // Ours, and answered without an id, as after an error on their side: it may have been accepted.
        if (mail.messageId === null) isComplete = false;
        else hits.push({ kind: 'found', messageId: mail.messageId, at: entry.at });
      }
      const isPast = page.oldestAt < since;
      const isEnd = !page.hasMore && since >= clock.now() - retentionMs;
      if (isPast || isEnd) return isComplete ? 'complete' : 'incomplete';
      if (!page.hasMore) return 'incomplete';
    }
    return 'incomplete';
  }

  return async function lookUp(reference: MailReference): Promise<LookUp> {
    const until = clock.monotonic() + timeoutMs;
    if (reference.messageId !== null && /^[\w-]+$/.test(reference.messageId)) {
      const answer = await ask(`/emails/${reference.messageId}`, until);
      if (answer?.status !== 404) {
        const at = readFoundMail(answer, reference.messageId);
        return at === undefined ? { kind: 'unknown' } : { kind: 'found', messageId: reference.messageId, at };
      }
    }
    const hits: Found[] = [];
    const extent = await search(reference, hits, until);
    const earliest = hits.sort((a, b) => a.at - b.at)[0];
    return earliest ?? { kind: extent === 'complete' ? 'absent' : 'unknown' };
  };
}

type Found = Extract<LookUp, { kind: 'found' }>;

function pathAfter(page: LogPage | undefined): string {
  return page ? `/logs?limit=100&after=${page.lastId}` : '/logs?limit=100';
}
