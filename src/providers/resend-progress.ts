import { onlyAddressIn } from '../domain/address.ts';
import type { Clock } from '../std/clock.ts';
import { parseJson } from './http-answer.ts';
import type { AcceptedMail, MayAsk, Progress, ProgressReport } from './provider.ts';
import type { Questions } from './questions.ts';

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

/** One mail that it cannot tell of must not stand in front of the others; so many in a row are the provider's own trouble. */
const failuresMax = 3;

export function createResendProgress({ questions, clock, timeoutMs }: ResendProgressParts) {
  return async function progress(mails: readonly AcceptedMail[], mayAsk: MayAsk): Promise<ProgressReport> {
    const until = clock.monotonic() + timeoutMs;
    const answers = new Map<string, Progress | null>();
    // A message id of anybody's making would be a path of anybody's making: nothing can be learnt of it.
    for (const { messageId } of mails) if (!isId(messageId)) answers.set(messageId, null);
    const waiting = mails
      .filter(({ messageId }) => isId(messageId))
      .sort((a, b) => b.leftAt - a.leftAt)
      .map(({ messageId }) => messageId);
    const wanted = new Set(waiting);
    let doPagesPay = true;
    let isOver = false;
    const failed: string[] = [];

    const turn = async () => {
      isOver ||= !(await mayAsk());
      return !isOver;
    };
    const isSomeLeft = () => waiting.some((id) => !answers.has(id));

    /** Answers the last id of the page, if it told of mails that nothing was known of, and more follow. */
    async function readPage(after: string): Promise<string | undefined> {
      const body = await questions.askForObject(`/emails?limit=100&after=${after}`, until, turn);
      const { data, has_more: hasMore } = (body ?? {}) as { data?: unknown; has_more?: unknown };
      if (!Array.isArray(data)) return undefined;
      const hits = data.filter((mail) => note(mail)).length;
      const { id } = (data.at(-1) ?? {}) as { id?: unknown };
      return hits > 0 && hasMore === true && typeof id === 'string' && isId(id) ? id : undefined;
    }

    /** Whether it is news of one that we asked about. What is known stays: a page may be older than an answer. */
    function note(mail: unknown): boolean {
      const { id, last_event: word, to } = (mail ?? {}) as Record<'id' | 'last_event' | 'to', unknown>;
      if (typeof id !== 'string' || !wanted.has(id) || answers.has(id)) return false;
      const progress = progressOf(word, clock.now());
      const address = onlyAddressIn(to);
      answers.set(id, progress && address ? { ...progress, to: address } : progress);
      return true;
    }

    for (const id of waiting) {
      if (answers.has(id)) continue;
      const answer = await questions.ask(`/emails/${id}`, until, turn);
      if (isOver) break;
      if (!answer || answer.status >= 500) {
        failed.push(id);
        // Not now; those that are left are asked about the next time.
        if (failed.length === failuresMax) break;
        continue;
      }
      if (answer.status === 401 || answer.status === 403) return { answers, isRefused: true };
      // It does answer, only not about these.
      for (const one of failed.splice(0)) if (!answers.has(one)) answers.set(one, null);
      if (answer.status !== 200 || !note(parseJson(answer.bodyText))) {
        answers.set(id, null);
        continue;
      }
      let last: string | undefined = id;
      const before = answers.size;
      while (last !== undefined && doPagesPay && isSomeLeft()) last = await readPage(last);
      doPagesPay &&= answers.size > before;
    }
    return { answers, isRefused: false };
  };
}

const isId = (text: string) => /^[\w-]{1,100}$/.test(text);

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
    case 'failed':
      // Of which kind is not told: only a bounce for good may stop an address, and a failure by quota passes. A webhook that
      // knows the reason outranks this, whichever comes first.
      return { event: 'bounced_for_now', at: now, error: notWhy(word) };
    case 'complained':
      return { event: 'complained', at: now };
    case 'suppressed':
      return { event: 'provider_suppressed', at: now, error: notWhy(word) };
    default:
      return null;
  }
}
