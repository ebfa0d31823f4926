import type { Clock } from '../std/clock.ts';
import type { AcceptedMail, Progress, ProgressReport } from './provider.ts';
import { parseJson } from './resend-answer.ts';
import type { Questions } from './resend-questions.ts';

/**
 * What became of mails, for when webhooks do not come. Each mail has a last event; a mail can be asked for by its id, and a
 * page of a hundred is listed from any id backwards. So the newest is asked for alone, the page behind it shows those that
 * left about then, and so on: two hundred that left together take three questions. Where pages show mails of others only,
 * the rest is asked for one by one.
 */
export interface ResendProgressParts {
  questions: Questions;
  clock: Clock;
  timeoutMs: number;
}

export function createResendProgress({ questions, clock, timeoutMs }: ResendProgressParts) {
  return async function progress(
    mails: readonly AcceptedMail[],
    signal: AbortSignal,
  ): Promise<ProgressReport> {
    const until = clock.monotonic() + timeoutMs;
    const answers = new Map<string, Progress | null>();
    // A message id of anybody's making would be a path of anybody's making.
    const waiting = mails
      .filter(({ messageId }) => /^[\w-]{1,100}$/.test(messageId))
      .sort((a, b) => b.leftAt - a.leftAt)
      .map(({ messageId }) => messageId);
    const wanted = new Set(waiting);
    let doPagesPay = true;

    /** Answers the last id of the page, if one of the mails was on it and more follow. */
    async function readPage(after: string): Promise<string | undefined> {
      const body = await questions.askForObject(`/emails?limit=100&after=${after}`, until);
      const { data, has_more: hasMore } = (body ?? {}) as { data?: unknown; has_more?: unknown };
      if (!Array.isArray(data)) return undefined;
      const hits = data.filter((mail) => note(mail)).length;
      const { id } = (data.at(-1) ?? {}) as { id?: unknown };
      return hits > 0 && hasMore === true && typeof id === 'string' && /^[\w-]+$/.test(id) ? id : undefined;
    }

    /** Whether it is one that we asked about. */
    function note(mail: unknown): boolean {
      const { id, last_event: word } = (mail ?? {}) as { id?: unknown; last_event?: unknown };
      if (typeof id !== 'string' || !wanted.has(id)) return false;
      answers.set(id, progressOf(word, clock.now()));
      return true;
    }

    for (const id of waiting) {
      if (signal.aborted) break;
      if (answers.has(id)) continue;
      const answer = await questions.ask(`/emails/${id}`, until);
      // Not now; those that are left are asked about the next time.
      if (!answer || answer.status >= 500) break;
      if (answer.status === 401 || answer.status === 403) return { answers, isRefused: true };
      if (answer.status !== 200 || !note(parseJson(answer.bodyText))) {
        answers.set(id, null);
        continue;
      }
      let last: string | undefined = id;
      const before = answers.size;
      while (last !== undefined && doPagesPay && answers.size < wanted.size) last = await readPage(last);
      doPagesPay &&= answers.size > before;
    }
    return { answers, isRefused: false };
  };
}

const notWhy = (word: string) => ({
  code: word,
  provider: 'resend',
  message: `Resend was asked and says ${word}, not why`,
});

/** Null for what says no more than that it was accepted, and for words that we do not know. */
function progressOf(word: unknown, now: number): Progress | null {
  switch (word) {
    case 'delivered':
    case 'opened':
    case 'clicked':
      return { event: 'confirmed', at: now };
    case 'bounced':
      // Of which kind is not told, and only a bounce for good may stop an address.
      return { event: 'bounced_for_now', at: now, error: notWhy(word) };
    case 'complained':
      return { event: 'complained', at: now };
    case 'failed':
      return { event: 'provider_failed', at: now, error: notWhy(word) };
    case 'suppressed':
      return { event: 'provider_suppressed', at: now, error: notWhy(word) };
    default:
      return null;
  }
}
