import { expect, it } from 'vitest';
import { createManualClock } from './clock.ts';
import { createCompany } from './company.ts';

/** Something that begins when it may, and ends when it is told to. */
function works() {
  const said: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      said.push(`${name} begins`);
      ends.set(name, () => {
        said.push(`${name} ends`);
        resolve(name);
      });
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await turns();
  };
  return { said, work, end };
}
const turns = () => new Promise((resolve) => setImmediate(resolve));

it('many go side by side', async () => {
  const { beside } = createCompany(createManualClock());
  const { said, work, end } = works();
  const both = Promise.all([beside(work('a')), beside(work('b'))]);
  await turns();
  expect(said).toEqual(['a begins', 'b begins']);
  await end('b');
  await end('a');
  expect(await both).toEqual(['a', 'b']);
});

it('who must be alone waits for those who are there, and the others wait for it', async () => {
  const { beside, alone } = createCompany(createManualClock());
  const { said, work, end } = works();
  const all = [beside(work('a')), beside(work('b'))];
  await turns();
  all.push(alone(work('suspect')), beside(work('c')), alone(work('another')), beside(work('d')));
  await turns();
  await end('a');
  expect(said).toEqual(['a begins', 'b begins', 'a ends']);
  await end('b');
  expect(said.slice(3)).toEqual(['b ends', 'suspect begins']);
  await end('suspect');
  // In the order in which they came: nobody who must be alone goes before somebody who has waited for longer.
  expect(said.slice(5)).toEqual(['suspect ends', 'c begins']);
  await end('c');
  expect(said.slice(7)).toEqual(['c ends', 'another begins']);
  await end('another');
  await end('d');
  expect(said.slice(9)).toEqual(['another ends', 'd begins', 'd ends']);
  expect(await Promise.all(all)).toEqual(['a', 'b', 'suspect', 'c', 'another', 'd']);
});

it('nobody waits for ever for somebody who hangs', async () => {
  const clock = createManualClock();
  const { beside, alone } = createCompany(clock);
  void beside(() => new Promise(() => {}));
  const suspect = alone(async () => 'goes on');
  await clock.advance(10 * 60_000);
  expect(await suspect).toBe('goes on');
});

it('what fails, alone or beside others, is its own matter', async () => {
  const { beside, alone } = createCompany(createManualClock());
  const fails = () => Promise.reject(new Error('no'));
  await expect(beside(fails)).rejects.toThrow('no');
  await expect(alone(fails)).rejects.toThrow('no');
  expect(await beside(async () => 'goes on')).toBe('goes on');
  expect(await alone(async () => 'so does this')).toBe('so does this');
});
