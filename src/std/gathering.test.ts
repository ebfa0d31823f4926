import { describe, expect, it } from 'vitest';
import { createManualClock } from './clock.ts';
import { createGathering, type Going } from './gathering.ts';

/** Work that is held until it is let go; each piece of it is kept as it was asked for. */
function heldWork() {
  const batches: number[][] = [];
  const gates = new Map<string, () => void>();
  const clock = createManualClock();
  const gather = createGathering<number, number>({
    async work(items: readonly number[], { onEnding }: Going) {
      batches.push([...items]);
      await new Promise<void>((resolve) => gates.set(items.join(), resolve));
      if (items.includes(13)) throw new Error('13 cannot be written');
      if (items.includes(99)) throw new Error('the database is away');
      onEnding();
      if (items.includes(66)) throw new Error('the answer to the commit was lost');
      return items.map((item) => item * 10);
    },
    itemsMax: 5,
    sizeOf: (item) => item,
    sizeMax: 200,
    isOutage: (error) => (error as Error).message.includes('away'),
    clock,
  });
  /** What is under way with these items ends, and whatever follows from that begins. */
  async function letGo(...items: number[]): Promise<void> {
    gates.get(items.join())?.();
    gates.delete(items.join());
    await clock.advance(0);
  }
  return { batches, clock, gather, letGo };
}

describe('gathering', () => {
  it('begins at once with who comes alone, and does together who comes meanwhile, each with its own answers', async () => {
    const { batches, gather, letGo } = heldWork();
    const first = gather([1]);
    const others = [gather([2, 3]), gather([]), gather([4])];
    expect(batches).toEqual([[1]]);
    await letGo(1);
    expect(await first).toEqual([10]);
    expect(batches).toEqual([[1], [2, 3, 4]]);
    await letGo(2, 3, 4);
    expect(await Promise.all(others)).toEqual([[20, 30], [], [40]]);
  });

  it('who was just answered and asks again is in the next one', async () => {
    const { batches, gather, letGo } = heldWork();
    const first = gather([1]);
    const second = gather([2]);
    const again = first.then(() => gather([3]));
    await letGo(1);
    expect(batches).toEqual([[1], [2, 3]]);
    await letGo(2, 3);
    expect([await second, await again]).toEqual([[20], [30]]);
  });

  it('takes no more at a time than it may; who brings as many goes by itself', async () => {
    const { batches, gather, letGo } = heldWork();
    const calls = [gather([1]), gather([2, 3, 4]), gather([5, 6, 7]), gather([10, 11, 12, 14, 15, 16])];
    expect(batches).toEqual([[1], [10, 11, 12, 14, 15, 16]]);
    for (const items of batches) await letGo(...items);
    expect(batches.slice(2)).toEqual([
      [2, 3, 4],
      [5, 6, 7],
    ]);
    expect((await Promise.all(calls)).flat()).toHaveLength(13);
  });

  it('a neighbour does not pay for what cannot be written, nor wait for it', async () => {
    const { batches, gather, letGo } = heldWork();
    const first = gather([1]);
    const [good, bad] = [gather([2]), gather([13])];
    const failed = expect(bad).rejects.toThrow('13 cannot be written');
    await letGo(1);
    await letGo(2, 13);
    expect(batches).toEqual([[1], [2, 13], [2], [13]]);
    await letGo(2);
    expect([await first, await good]).toEqual([[10], [20]]);
    await letGo(13);
    await failed;
  });

  it('what may have happened is not done again: all who were in it are told', async () => {
    const { batches, gather, letGo } = heldWork();
    const first = gather([1]);
    const told = [gather([2]), gather([66])].map((call) => expect(call).rejects.toThrow('was lost'));
    await letGo(1);
    await first;
    await letGo(2, 66);
    await Promise.all(told);
    expect(batches).toEqual([[1], [2, 66]]);
  });

  it('takes no more at a time than is as large as it may be; who brings one that is larger goes alone', async () => {
    const { batches, gather, letGo } = heldWork();
    const calls = [1, 150, 40, 20, 300, 5].map((item) => gather([item]));
    for (const items of [[1], [150, 40], [20], [300], [5]]) {
      expect(batches.at(-1)).toEqual(items);
      await letGo(...items);
    }
    expect((await Promise.all(calls)).flat()).toEqual([10, 1500, 400, 200, 3000, 50]);
  });

  it('a connection that is cut is the trouble of whoever used it: who waited is tried', async () => {
    const { batches, gather, letGo } = heldWork();
    const cut = expect(gather([99])).rejects.toThrow('away');
    const others = [gather([2]), gather([3])];
    await letGo(99);
    await cut;
    await letGo(2, 3);
    expect(await Promise.all(others)).toEqual([[20], [30]]);
    expect(batches).toEqual([[99], [2, 3]]);
  });

  it('two that were under way together and were cut by one thing are one outage', async () => {
    const { clock, gather, letGo } = heldWork();
    const first = expect(gather([99])).rejects.toThrow('away');
    const beside = expect(gather([98, 99])).rejects.toThrow('away');
    await clock.advance(50);
    const next = gather([5]);
    await letGo(99);
    await first;
    const waiting = gather([6]);
    await letGo(98, 99);
    await beside;
    await letGo(5);
    await letGo(6);
    expect([await next, await waiting]).toEqual([[50], [60]]);
  });

  it('an outage is told after the second try to all who wait, and who comes later is tried anew', async () => {
    const { batches, gather, letGo } = heldWork();
    const calls = [[99], [2, 3, 4, 99], [5, 6], [7]].map((items) => gather(items));
    const told = calls.map((call) => expect(call).rejects.toThrow('away'));
    await letGo(99);
    await letGo(2, 3, 4, 99);
    await Promise.all(told);
    const later = gather([8]);
    await letGo(8);
    expect(await later).toEqual([80]);
    expect(batches).toEqual([[99], [2, 3, 4, 99], [8]]);
  });

  it('one that hangs holds up the others for a moment, and not for as long as it hangs', async () => {
    const { batches, clock, gather, letGo } = heldWork();
    const hanging = gather([1]);
    const others = [gather([2]), gather([3])];
    await clock.advance(49);
    expect(batches).toEqual([[1]]);
    await clock.advance(1);
    expect(batches).toEqual([[1], [2, 3]]);
    await letGo(2, 3);
    expect(await Promise.all(others)).toEqual([[20], [30]]);
    await letGo(1);
    expect(await hanging).toEqual([10]);
  });
});
