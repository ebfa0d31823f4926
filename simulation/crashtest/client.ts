import { systemClock as clock } from '../../src/std/clock.ts';

/** A client as it should be: it asks again, with the same words, until somebody has said that it is taken. */
export interface Client {
  /** The addresses of all intents that were asked for; one intent each. */
  readonly asked: readonly string[];
  /** Those that somebody has said are taken. */
  readonly answered: ReadonlySet<string>;
  /** Questions that were cut off; each was asked again. */
  readonly cutOff: number;
  /** Asks while there is `room`, and ends when `isOver` and all was answered; or in the middle, when it is `aborted`. */
  run(parts: { room: () => Promise<boolean>; isOver: () => boolean; aborted: AbortSignal }): Promise<void>;
}

export interface ClientOrder {
  /** Where somebody may listen at present. */
  urls: () => readonly string[];
  onAnswer?: () => void;
  intentsAtOnce?: number;
  /** When so many were asked for, it is over. */
  intentsMax?: number;
}

const pauseMs = 20;
const patienceMs = 10_000;

export function createClient(order: ClientOrder): Client {
  const { urls, onAnswer, intentsAtOnce = 10, intentsMax = Number.POSITIVE_INFINITY } = order;
  const asked: string[] = [];
  const answered = new Set<string>();
  let cutOff = 0;
  let turn = 0;

  /** Whether it was taken. */
  async function ask(batch: readonly string[]): Promise<boolean> {
    const listening = urls();
    const url = listening[turn++ % Math.max(1, listening.length)];
    if (url === undefined) return false;
    try {
      const answer = await fetch(`${url}/api/v1/intents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ intents: batch.map(intentTo) }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await answer.text();
      if (answer.ok) return true;
      if (answer.status < 500 && answer.status !== 429) throw new Refused(text);
    } catch (error) {
      if (error instanceof Refused) throw error;
      cutOff += 1;
    }
    return false;
  }

  return {
    asked,
    answered,
    get cutOff() {
      return cutOff;
    },
    async run({ room, isOver, aborted }) {
      while (!isOver() && !aborted.aborted && asked.length < intentsMax) {
        if (!(await room())) {
          await clock.sleep(pauseMs);
          continue;
        }
        const length = Math.max(0, Math.min(intentsAtOnce, intentsMax - asked.length));
        const batch = Array.from({ length }, (_, index) => `person-${asked.length + index}@example.org`);
        asked.push(...batch);
        while (!(await ask(batch))) {
          if (aborted.aborted) return;
          await clock.sleep(pauseMs);
        }
        onAnswer?.();
        for (const address of batch) answered.add(address);
      }
    },
  };
}

class Refused extends Error {}

const intentTo = (to: string) => ({
  ...{ occasion: 'crash', to },
  variables: { subject: `For ${to}`, text: 'Something has happened, and this is said once.' },
});
