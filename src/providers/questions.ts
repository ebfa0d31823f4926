import type { Clock } from '../std/clock.ts';
import type { Exchanged } from './exchange.ts';
import { parseJson, throttleMs } from './http-answer.ts';
import type { MayAsk } from './provider.ts';

/**
 * What a provider is asked besides mails, at a pace of its own: all questions of a process together take a quarter of the
 * account's rate at most, because asking about old mail must not hold up new mail.
 */
export interface Questions {
  /** Undefined when there was no answer in time, or `mayAsk` said no; `until` is by the monotonic clock. */
  ask(path: string, until: number, mayAsk?: MayAsk): Promise<Answered | undefined>;
  /** The body of a 200, if it is JSON. */
  askForObject(path: string, until: number, mayAsk?: MayAsk): Promise<object | undefined>;
}

type Answered = Extract<Exchanged, { kind: 'answered' }>;

export interface QuestionsParts {
  get: (path: string) => Promise<Exchanged>;
  clock: Clock;
  /** What the account may do at this moment, as far as is known. */
  ratePerSecond: () => number;
}

const rateShare = 1 / 4;

export function createQuestions({ get, clock, ratePerSecond }: QuestionsParts): Questions {
  let nextAt = Number.NEGATIVE_INFINITY;

  async function ask(path: string, until: number, mayAsk?: MayAsk): Promise<Answered | undefined> {
    for (;;) {
      const startAt = Math.max(nextAt, clock.monotonic());
      if (startAt >= until) return undefined;
      nextAt = startAt + 1000 / (ratePerSecond() * rateShare);
      if (startAt > clock.monotonic()) await clock.sleep(startAt - clock.monotonic());
      if (mayAsk && !(await mayAsk())) return undefined;
      const answer = await get(path);
      if (answer.kind !== 'answered') return undefined;
      if (answer.status !== 429) return answer;
      nextAt = Math.max(nextAt, clock.monotonic() + throttleMs(answer.headers, clock.now()));
    }
  }

  return {
    ask,
    async askForObject(path, until, mayAsk) {
      const answer = await ask(path, until, mayAsk);
      return answer?.status === 200 ? parseJson(answer.bodyText) : undefined;
    },
  };
}
