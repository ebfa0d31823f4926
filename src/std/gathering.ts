import type { Clock } from './clock.ts';

/**
 * Calls that come while one is under way, done together when it has ended: for work that costs the same for one as for many, such as a commit.
 * Whoever comes alone waits for nothing, nobody waits long for one that hangs, and nobody pays for what a neighbour has brought.
 */
export type Gathering<Item, Answer> = (items: readonly Item[]) => Promise<Answer[]>;

export interface GatheringParts<Item, Answer> {
  /** An answer for each item, in their order. */
  work: (items: readonly Item[], going: Going) => Promise<readonly Answer[]>;
  /** At a time. Who brings as many goes by itself, at once. */
  itemsMax: number;
  /** How large one is, and how large all of those at a time may be; one call is never too large. */
  sizeOf: (item: Item) => number;
  sizeMax: number;
  /** Failures that all who wait would meet, one after the other: after the second in a row they are told at once. */
  isOutage: (error: unknown) => boolean;
  clock: Pick<Clock, 'sleep' | 'nextTurn'>;
}

export interface Going {
  /** Several calls are in it: it should rather fail than wait for something that only one of them needs. */
  isShared: boolean;
  /** To be called before the step after which something may have come of it, even if that fails. */
  onEnding: () => void;
}

interface Call<Item, Answer> {
  items: readonly Item[];
  size: number;
  resolve: (answers: Answer[]) => void;
  reject: (error: unknown) => void;
}

/** Who has waited so long for others that they seem to hang begins beside them. */
const patienceMs = 50;
const underWayMax = 8;

export function createGathering<Item, Answer>(parts: GatheringParts<Item, Answer>): Gathering<Item, Answer> {
  const { work, itemsMax, sizeOf, sizeMax, isOutage, clock } = parts;
  let waiting: Call<Item, Answer>[] = [];
  let underWay = 0;
  /** One may be a connection that was cut; whoever only waited has not tried yet. */
  let outagesInARow = 0;
  let lastOutage = 0;
  let begun = 0;
  /** Ends when nobody waits any more. */
  let watching: AbortController | undefined;

  function next(): Call<Item, Answer>[] {
    let count = 0;
    let sum = 0;
    const end = waiting.findIndex(({ items, size }, place) => {
      count += items.length;
      sum += size;
      return count > itemsMax || (sum > sizeMax && place > 0);
    });
    return takeOut(end < 0 ? waiting.length : end);
  }

  function takeOut(count: number): Call<Item, Answer>[] {
    const calls = waiting.slice(0, count);
    waiting = waiting.slice(count);
    if (waiting.length === 0) watching?.abort();
    return calls;
  }

  function begin(): void {
    const calls = next();
    if (calls.length === 0) return;
    underWay += 1;
    const goOn = () => {
      underWay -= 1;
      begin();
    };
    // A turn later: whoever was just answered may ask again, and is to be in the next.
    void answer(calls).then(clock.nextTurn).then(goOn, goOn);
  }

  async function answer(calls: readonly Call<Item, Answer>[]): Promise<void> {
    let hasTrace = false;
    begun += 1;
    const turn = begun;
    const onEnding = () => {
      hasTrace = true;
    };
    try {
      const items = calls.flatMap((call) => call.items);
      const answers = await work(items, { isShared: calls.length > 1, onEnding });
      let at = 0;
      for (const call of calls) {
        call.resolve(answers.slice(at, at + call.items.length));
        at += call.items.length;
      }
      outagesInARow = 0;
    } catch (error) {
      const isAway = isOutage(error);
      // Of those that were under way together one outage is one, however many of them it met.
      if (!isAway) outagesInARow = 0;
      else if (outagesInARow === 0 || turn > lastOutage) {
        outagesInARow += 1;
        lastOutage = begun;
      }
      const told = outagesInARow > 1 ? [...calls, ...takeOut(waiting.length)] : calls;
      if (isAway || hasTrace || calls.length === 1) for (const { reject } of told) reject(error);
      // Nothing has come of it: each by itself, so that it is found out whose fault it was, and none waits for another.
      else for (const call of calls) void answer([call]);
    }
  }

  async function watch(own: AbortController): Promise<void> {
    const { signal } = own;
    while (!signal.aborted) {
      const [oldest] = waiting;
      await clock.sleep(patienceMs, signal);
      if (oldest && waiting[0] === oldest && underWay < underWayMax) begin();
    }
    if (watching === own) watching = undefined;
  }

  return (items) => {
    if (items.length >= itemsMax)
      return work(items, { isShared: false, onEnding() {} }).then((all) => [...all]);
    return new Promise((resolve, reject) => {
      const size = items.reduce((sum, item) => sum + sizeOf(item), 0);
      waiting.push({ items, size, resolve, reject });
      if (underWay === 0) begin();
      else if (!watching || watching.signal.aborted) {
        watching = new AbortController();
        void watch(watching);
      }
    });
  };
}
