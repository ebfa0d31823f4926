/**
 * Hands of one process that send at once. A delivery during which workers died is tried alone in it: if it ends this one too, nobody else's mail
 * shares the blame.
 */
export interface Company {
  beside<T>(work: () => Promise<T>): Promise<T>;
  /** When all that is under way has ended; until it has, nobody begins anything. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function createCompany(): Company {
  const underWay = new Set<Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();

  async function settled(works: Iterable<Promise<unknown>>): Promise<void> {
    await Promise.allSettled(works);
  }

  return {
    async beside(work) {
      for (let before: unknown; before !== last; ) {
        before = last;
        await settled([last]);
      }
      const mine = work();
      underWay.add(mine);
      try {
        return await mine;
      } finally {
        underWay.delete(mine);
      }
    },
    alone(work) {
      const before = last;
      const mine = (async () => {
        await settled([before]);
        await settled(underWay);
        return work();
      })();
      last = mine;
      return mine;
    },
  };
}
