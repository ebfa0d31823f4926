import type { Violate, WatchedRow } from './promises.ts';

/** A delivery's id is derived from what it is about: whoever asks again after a fail-over gets the same, and the provider knows the key. */
export function createIdentities(violate: Violate) {
  const ids = new Map<string, string>();
  const numbers = new Map<number, string>();
  return {
    /** Of a row that is new; answers whether its number was another's before. */
    check({ seq, id, source, occasion, recipient }: WatchedRow): boolean {
      const what = JSON.stringify([source, occasion, recipient]);
      const known = ids.get(what) ?? id;
      ids.set(what, id);
      if (known !== id) violate('told once', `#${seq} is a delivery that had another id, and so another key`);
      const isAnother = (numbers.get(seq) ?? id) !== id;
      numbers.set(seq, id);
      return isAnother;
    },
  };
}
