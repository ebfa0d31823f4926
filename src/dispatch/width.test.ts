import { expect, it } from 'vitest';
import { createWidth } from './width.ts';

/** A provider that serves `lanes` calls at a time, each in `serviceMs`; more of them wait for their turn. */
function meanMsOf(width: number, lanes: number, serviceMs: number): number {
  return serviceMs * Math.max(1, width / lanes);
}

function after(batches: number, lanes: number, serviceMs: number, max: number) {
  const width = createWidth(max);
  for (let batch = 0; batch < batches; batch++) {
    width.learn({ calls: 1_000, meanMs: meanMsOf(width.current, lanes, serviceMs) });
  }
  return width;
}

it('grows to what the provider takes while answers are as fast as ever', () => {
  expect(after(25, 1_000, 100, 256).current).toBe(256);
});

it('settles near what the provider serves at once, not at what it would accept', () => {
  const { current } = after(5_000, 20, 100, 1_000);
  expect(current).toBeGreaterThanOrEqual(10);
  expect(current).toBeLessThanOrEqual(60);
});

it('says how much a second of work is', () => {
  const width = createWidth(4);
  expect(width.inASecond).toBe(40);
  width.learn({ calls: 4, meanMs: 500 });
  expect(width.inASecond).toBe(8);
  width.learn({ calls: 4, meanMs: 60_000 });
  expect(width.inASecond).toBe(4);
  width.learn({ calls: 4, meanMs: 0 });
  expect(width.inASecond).toBe(4_000);
});

it('says how many can leave in step with their slots before one has to wait for an answer', () => {
  const width = createWidth(4);
  width.learn({ calls: 4, meanMs: 100 });
  // Four at once, an answer takes half as long again as most: one is free every 37.5 ms.
  expect(width.inStep(40)).toBe(Infinity);
  expect(width.inStep(37.5)).toBe(Infinity);
  expect(width.inStep(20)).toBe(8);
  expect(width.inStep(1)).toBe(4);
});

it('a few calls that were quick by chance are no news', () => {
  const width = createWidth(64);
  for (let batch = 0; batch < 10; batch++) width.learn({ calls: 64, meanMs: 100 });
  const before = width.current;
  width.learn({ calls: 1, meanMs: 1 });
  for (let batch = 0; batch < 5; batch++) width.learn({ calls: 64, meanMs: 100 });
  expect(width.current).toBeGreaterThanOrEqual(before);
});

it('never leaves the bounds', () => {
  expect(after(10, 1_000, 100, 3).current).toBe(3);
  expect(after(10, 1_000, 100, 1).current).toBe(1);
  const width = createWidth(64);
  for (const meanMs of [1, ...Array.from({ length: 50 }, (_, n) => 10 ** n)]) {
    width.learn({ calls: 64, meanMs });
    expect(width.current).toBeGreaterThanOrEqual(4);
  }
});

it('learns nothing from a batch that left places free', () => {
  const width = createWidth(64);
  width.learn({ calls: 3, meanMs: 1 });
  expect(width.current).toBe(4);
});

it('grows again when a provider has become slower for good', () => {
  const width = after(25, 1_000, 10, 64);
  for (let batch = 0; batch < 20; batch++) width.learn({ calls: 64, meanMs: 100 });
  expect(width.current).toBe(4);
  for (let batch = 0; batch < 600; batch++) width.learn({ calls: 64, meanMs: 100 });
  expect(width.current).toBe(64);
});

it('what may be this process itself, at some milliseconds, is not held against a provider', () => {
  const width = createWidth(64);
  width.learn({ calls: 64, meanMs: 1 });
  for (let batch = 0; batch < 20; batch++) width.learn({ calls: 64, meanMs: 15 });
  expect(width.current).toBe(64);
  for (let batch = 0; batch < 20; batch++) width.learn({ calls: 64, meanMs: 40 });
  expect(width.current).toBeLessThan(16);
});
