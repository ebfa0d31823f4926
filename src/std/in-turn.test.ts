import { expect, test } from 'vitest';
import { createTurns } from './in-turn.ts';

test('one after the other under one name, at once under different ones, whatever becomes of them', async () => {
  const inTurn = createTurns();
  const seen: string[] = [];
  const doors = new Map<string, () => void>();
  const work = (name: string, label: string, fails = false) =>
    inTurn(name, async () => {
      seen.push(`${label} begins`);
      await new Promise<void>((resolve) => doors.set(label, resolve));
      seen.push(`${label} ends`);
      if (fails) throw new Error(label);
      return label;
    });
  const open = async (label: string) => {
    doors.get(label)?.();
    await new Promise(setImmediate);
  };
  const first = work('a', 'first', true);
  const failed = expect(first).rejects.toThrow('first');
  const second = work('a', 'second');
  const other = work('b', 'other');
  const third = work('a', 'third');
  await open('nobody');
  expect(seen).toEqual(['first begins', 'other begins']);
  await open('other');
  await open('first');
  await failed;
  expect(seen.slice(2)).toEqual(['other ends', 'first ends', 'second begins']);
  await open('second');
  await open('third');
  expect(await Promise.all([second, other, third])).toEqual(['second', 'other', 'third']);
  expect(seen.slice(5)).toEqual(['second ends', 'third begins', 'third ends']);
});
