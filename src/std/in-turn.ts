/**
 * What has one name is done one after the other, in the order in which it was asked for; what has different names at once. For work
 * that would otherwise wait with something in its hands that others need, such as a connection. What fails holds nobody up.
 */
export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  /** The end of whoever came last, by name; nothing is kept of names for which nobody waits. */
  const ends = new Map<string, Promise<void>>();
  return async (name, work) => {
    const before = ends.get(name);
    let end = () => {};
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    ends.set(name, own);
    try {
      await before;
      return await work();
    } finally {
      if (ends.get(name) === own) ends.delete(name);
      end();
    }
  };
}
