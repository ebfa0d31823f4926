import { expect, it } from 'vitest';
import { createLead } from './lead.ts';

const after = (...tookMs: number[]) => {
  const lead = createLead();
  for (const ms of tookMs) lead.learn(ms);
  return lead.ms;
};

it('is nothing where nothing takes any time, or nothing is known', () => {
  expect(after()).toBe(0);
  expect(after(0, 0, 0)).toBe(0);
});

it('comes near to what it always takes', () => {
  const ms = after(...Array<number>(60).fill(40));
  expect(ms).toBeGreaterThanOrEqual(40);
  expect(ms).toBeLessThan(42);
});

it('is longer than the average where it takes now this and now that', () => {
  const ms = after(...Array.from({ length: 100 }, (_, number) => (number % 2 ? 20 : 60)));
  expect(ms).toBeGreaterThan(60);
  expect(ms).toBeLessThan(100);
});

it('leaves half of what is given away to be given away', () => {
  expect(after(...Array<number>(50).fill(3_000))).toBe(500);
});
