import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import type { Problem } from './informant.ts';

/** What this process was told, since it started: for the metrics, and so that a stranger who knocks all day fills no log. */
export interface WebhookCounts {
  /** Events by type and what became of them; a type that we do not know is `other`. */
  readonly events: readonly { type: string; outcome: string; count: number }[];
  readonly repeats: number;
  readonly refusals: number;
}

export interface WebhookTally extends WebhookCounts {
  addEvent(type: string, outcome: string): void;
  addRepeat(): void;
  addRefusal(problem: Problem): void;
}

const refusalsToldEveryMs = 60_000;

export function createWebhookTally(knownTypes: readonly string[], clock: Clock, log: Log): WebhookTally {
  // From the first question on each is there with 0: of a series that begins with 1, Prometheus sees no increase.
  const events = new Map(
    [...knownTypes, 'other'].map((type) => [keyOf(type, 'applied'), { type, outcome: 'applied', count: 0 }]),
  );
  let repeats = 0;
  let refusals = 0;
  let untold = 0;
  let tellAt = clock.monotonic();
  return {
    get events() {
      return [...events.values()];
    },
    get repeats() {
      return repeats;
    },
    get refusals() {
      return refusals;
    },
    addEvent(given, outcome) {
      const type = knownTypes.includes(given) ? given : 'other';
      const { count = 0 } = events.get(keyOf(type, outcome)) ?? {};
      events.set(keyOf(type, outcome), { type, outcome, count: count + 1 });
    },
    addRepeat() {
      repeats += 1;
    },
    addRefusal(problem) {
      refusals += 1;
      untold += 1;
      if (clock.monotonic() < tellAt) return;
      log.warn('webhook.refused', { problem, count: untold });
      untold = 0;
      tellAt = clock.monotonic() + refusalsToldEveryMs;
    },
  };
}

const keyOf = (type: string, outcome: string) => `${type}\n${outcome}`;
