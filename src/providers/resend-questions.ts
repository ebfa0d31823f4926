import type { Clock } from '../std/clock.ts';
import { parseJson, throttleMs } from './resend-answer.ts';
import type { Exchanged } from './resend-exchange.ts';

/**
 * What Resend is asked besides mails, at a pace of its own: all questions together take half of the account's rate at most,
 * because asking about old mail must not hold up new mail. They need a key with full access.
 */
export interface Questions {
  /** Undefined when there was no answer in time; `until` is by the monotonic clock. */
  ask(path: string, until: number): Promise<Answered | undefined>;
  /** The body of a 200, if it is JSON. */
  askForObject(path: string, until: number): Promise<object | undefined>;
}

type Answered = Extract<Exchanged, { kind: 'answered' }>;

export interface QuestionsParts {
  get: (path: string) => Promise<Exchanged>;
  clock: Clock;
  ratePerSecond: number;
}

export function createQuestions({ get, clock, ratePerSecond }: QuestionsParts): Questions {
  const spacingMs = 2000 / ratePerSecond;
  let nextAt = Number.NEGATIVE_INFINITY;

  async function ask(path: string, until: number): Promise<Answered | undefined> {
    for (;;) {
      const startAt = Math.max(nextAt, clock.monotonic());
      if (startAt >= until) return undefined;
      nextAt = startAt + spacingMs;
      if (startAt > clock.monotonic()) await clock.sleep(startAt - clock.monotonic());
      const answer = await get(path);
      if (answer.kind !== 'answered') return undefined;
      if (answer.status !== 429) return answer;
      nextAt = Math.max(nextAt, clock.monotonic() + throttleMs(answer.headers, clock.now()));
    }
  }

  return {
    ask,
    async askForObject(path, until) {
      const answer = await ask(path, until);
      return answer?.status === 200 ? parseJson(answer.bodyText) : undefined;
    },
  };
}
