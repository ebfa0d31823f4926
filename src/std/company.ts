import type { Clock } from './clock.ts';

/**
 * Hands of one process that work at once, of which one must now and then be alone: a delivery during which workers died is tried so, and if it ends
 * this one too, nobody else's mail shares the blame. First come, first served.
 */
export interface Company {
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** When all that came before has ended. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Longer than any lease: who is not through by then hangs, and holds nothing any more. */
const patienceMs = 10 * 60_000;

export function createCompany(clock: Pick<Clock, 'sleep'>): Company {
  const underWay = new Set<Promise<unknown>>();
  /** Whoever came last of those; nobody else needs to be waited for by who goes beside others. */
  let lastAlone: Promise<unknown> | undefined;

  async function after(works: readonly Promise<unknown>[]): Promise<void> {
    if (works.length === 0) return;
    const patience = new AbortController();
    await Promise.race([Promise.allSettled(works), clock.sleep(patienceMs, patience.signal)]);
    patience.abort();
  }

  async function inOrder<T>(before: readonly Promise<unknown>[], work: () => Promise<T>): Promise<T> {
    await after(before);
    return work();
  }

  return {
    async beside(work) {
      const mine = inOrder(lastAlone ? [lastAlone] : [], work);
      underWay.add(mine);
      try {
        return await mine;
      } finally {
        underWay.delete(mine);
      }
    },
    async alone(work) {
      const mine = inOrder([...(lastAlone ? [lastAlone] : []), ...underWay], work);
      lastAlone = mine;
      try {
        return await mine;
      } finally {
        if (lastAlone === mine) lastAlone = undefined;
      }
    },
  };
}
