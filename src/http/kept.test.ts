import { expect, it } from 'vitest';
import { createManualClock } from '../std/clock.ts';
import { keptByCost } from './kept.ts';

const clockAt = () => createManualClock();

it('what is cheap is found out once in the least time, for each name', async () => {
  const clock = clockAt();
  let asked = 0;
  const kept = keptByCost(1_000, clock, async (name) => `${name} ${++asked}`);
  expect([await kept('a'), await kept('a'), await kept('b')]).toEqual(['a 1', 'a 1', 'b 2']);
  await clock.advance(1_001);
  expect([await kept('a'), await kept('b')]).toEqual(['a 3', 'b 4']);
});

it('what takes long is kept for nineteen times as long, and half a minute at most', async () => {
  const clock = clockAt();
  let asked = 0;
  let takesMs = 200;
  const kept = keptByCost(1_000, clock, async () => {
    await clock.sleep(takesMs);
    return ++asked;
  });
  const look = async () => {
    const answer = Promise.all([kept('a'), kept('a')]);
    await clock.advance(takesMs);
    return answer;
  };
  expect(await look()).toEqual([1, 1]);
  await clock.advance(3_500);
  expect(await kept('a')).toBe(1);
  takesMs = 10_000;
  await clock.advance(301);
  expect(await look()).toEqual([2, 2]);
  await clock.advance(29_000);
  expect(await kept('a')).toBe(2);
  await clock.advance(1_001);
  expect(await look()).toEqual([3, 3]);
});

it('what failed is not kept, and of more than a hundred the oldest is found out anew', async () => {
  const asked: string[] = [];
  const kept = keptByCost(1_000, clockAt(), async (name) => {
    asked.push(name);
    if (asked.length === 1) throw new Error('no database');
    return name;
  });
  await expect(kept('0')).rejects.toThrow('no database');
  for (let number = 0; number <= 100; number++) expect(await kept(`${number}`)).toBe(`${number}`);
  await kept('100');
  expect(asked).toHaveLength(102);
  await kept('0');
  expect(asked.slice(101)).toEqual(['100', '0']);
});
