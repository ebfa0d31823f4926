import type { Clock } from '../std/clock.ts';
import { parseJson, parseTimestamp } from './http-answer.ts';
import { isMessageId } from './postmark-answer.ts';
import type { AcceptedMail, MayAsk, Progress, ProgressReport } from './provider.ts';
import type { Questions } from './questions.ts';

/** What became of mails, for when webhooks do not come. Each is asked for alone, by its id: a list does not tell their fate. */
export interface PostmarkProgressParts {
  questions: Questions;
  clock: Clock;
  timeoutMs: number;
}

/** One mail that it cannot tell of must not stand in front of the others; so many in a row are the provider's own trouble. */
const failuresMax = 3;

export function createPostmarkProgress({ questions, clock, timeoutMs }: PostmarkProgressParts) {
  return async function progress(mails: readonly AcceptedMail[], mayAsk: MayAsk): Promise<ProgressReport> {
    const until = clock.monotonic() + timeoutMs;
    const answers = new Map<string, Progress | null>();
    let failures = 0;
    let isOver = false;
    const turn = async () => {
      isOver ||= !(await mayAsk());
      return !isOver;
    };
    for (const { messageId } of mails) {
      // A message id of anybody's making would be a path of anybody's making: nothing can be learnt of it.
      if (!isMessageId(messageId)) {
        answers.set(messageId, null);
        continue;
      }
      const answer = await questions.ask(`/messages/outbound/${messageId}/details`, until, turn);
      if (isOver) break;
      if (!answer || answer.status >= 500) {
        failures += 1;
        if (failures === failuresMax) break;
        continue;
      }
      if (answer.status === 401 || answer.status === 403) return { answers, isRefused: true };
      failures = 0;
      const { MessageEvents: events } = (parseJson(answer.bodyText) ?? {}) as { MessageEvents?: unknown };
      answers.set(messageId, answer.status === 200 ? progressIn(events, clock.now()) : null);
    }
    return { answers, isRefused: false };
  };
}

type Fields = Record<string, unknown>;

/** Null for what says no more than that it was accepted: delayed, opened by whatever program opens mails. */
function progressIn(events: unknown, now: number): Progress | null {
  const list = (Array.isArray(events) ? events : []) as unknown[];
  const atOf = (type: string) => {
    const event = list.find((one) => (one as Fields | null)?.Type === type) as Fields | undefined;
    return event && (parseTimestamp(event.ReceivedAt) ?? now);
  };
  const deliveredAt = atOf('Delivered');
  if (deliveredAt !== undefined) return { event: 'confirmed', at: Math.min(deliveredAt, now) };
  const bouncedAt = atOf('Bounced');
  if (bouncedAt === undefined) return null;
  // Of which kind is not told: only a bounce for good may stop an address. If it was one, the next mail is refused as to an
  // inactive recipient, and stops it. A webhook that knows outranks this, whichever comes first.
  const error = {
    code: 'bounced',
    provider: 'postmark',
    message: 'Postmark was asked and says Bounced, not why',
  };
  return { event: 'bounced_for_now', at: Math.min(bouncedAt, now), error };
}
