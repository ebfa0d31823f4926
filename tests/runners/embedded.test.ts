import { beforeEach, expect, it } from 'vitest';
import type { Chore } from '../../src/sources/source.ts';
import { createEmbeddedWorld, type EmbeddedWorld } from './embedded-world.ts';

let world: EmbeddedWorld;
beforeEach(() => {
  world = createEmbeddedWorld();
});

it('looks every 250 ms, at once when woken, and again at once while there is work', async () => {
  const work = [2, 1, 0, 0, 0];
  const looksAt: number[] = [];
  const embedded = world.runner({
    dispatch: async () => {
      looksAt.push(world.clock.monotonic());
      return work.shift() ?? 0;
    },
  });
  embedded.start();
  await world.clock.advance(250);
  expect(looksAt).toEqual([0, 0, 0, 250]);
  await world.clock.advance(100);
  embedded.wake();
  await world.clock.advance(0);
  expect(looksAt.at(-1)).toBe(350);
  await embedded.stop();
});

it('a helper is woken while there is work, and asks for none while there is none', async () => {
  const [work, helped] = [
    [0, 0, 1, 1, 0],
    [0, 1, 0],
  ];
  const helpsAt: number[] = [];
  const embedded = world.runner({
    dispatch: async () => work.shift() ?? 0,
    helpers: [
      async () => {
        helpsAt.push(world.clock.monotonic());
        return helped.shift() ?? 0;
      },
    ],
  });
  embedded.start();
  await world.clock.advance(400);
  expect(helpsAt).toEqual([0]);
  await world.clock.advance(30_000);
  // Once more than there was anything: the other had found something meanwhile.
  expect(new Set(helpsAt)).toEqual(new Set([0, 500]));
  expect(helped).toEqual([]);
  await embedded.stop();
});

it('a helper is woken when the first has its hands full, and not only when it has ended', async () => {
  const helpsAt: number[] = [];
  let end = () => {};
  const embedded = world.runner({
    async dispatch(_signal, onFull) {
      if (world.clock.monotonic() < 500) return 0;
      onFull?.();
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      return 0;
    },
    helpers: [
      async () => {
        helpsAt.push(world.clock.monotonic());
        return 0;
      },
    ],
  });
  embedded.start();
  await world.clock.advance(1_000);
  expect(helpsAt).toEqual([0, 500]);
  end();
  await embedded.stop();
});

it('a chore runs at its own pace, and at once when it is woken, also by what it missed while it ran', async () => {
  const runsAt: number[] = [];
  let wake = () => {};
  const chore: Chore = {
    ...{ name: 'chore', pauseMs: 400 },
    async once() {
      runsAt.push(world.clock.monotonic());
      if (runsAt.length === 3) wake();
      return 'pause';
    },
    wokenBy(given) {
      wake = given;
    },
  };
  const embedded = world.runner({ chores: [chore] });
  embedded.start();
  await world.clock.advance(450);
  expect(runsAt).toEqual([0, 400]);
  wake();
  await world.clock.advance(0);
  expect(runsAt).toEqual([0, 400, 450, 450]);
  await world.clock.advance(400);
  expect(runsAt.slice(4)).toEqual([850]);
  await embedded.stop();
});

it('002-P10-05 A stop asks for nothing more and waits for what is in flight', async () => {
  let finish = () => {};
  let seen: AbortSignal | undefined;
  const embedded = world.runner({
    dispatch: (signal) => {
      seen = signal;
      return new Promise((resolve) => {
        finish = () => resolve(1);
      });
    },
  });
  embedded.start();
  await world.clock.advance(10);
  let isStopped = false;
  const stopping = embedded.stop().then(() => {
    isStopped = true;
  });
  await world.clock.advance(1000);
  expect(seen?.aborted).toBe(true);
  expect(isStopped).toBe(false);
  finish();
  await stopping;
  expect(world.lines.join()).not.toContain('stopped_in_flight');
});

it('a stop does not wait for ever, and says so', async () => {
  const embedded = world.runner({ dispatch: () => new Promise(() => {}) });
  embedded.start();
  await world.clock.advance(10);
  const stopping = embedded.stop();
  await world.clock.advance(15_000);
  await stopping;
  expect(world.lines.join()).toContain('runner.stopped_in_flight');
});

it('is unhealthy while a loop fails, and healthy again afterwards', async () => {
  let failures = 1;
  const embedded = world.runner({
    dispatch: async () => {
      if (failures-- > 0) throw new Error('database gone');
      return 0;
    },
  });
  embedded.start();
  await world.clock.advance(0);
  expect(embedded.isHealthy).toBe(false);
  expect(world.lines.join()).toContain('database gone');
  await world.clock.advance(1000);
  expect(embedded.isHealthy).toBe(true);
  await embedded.stop();
});

it('claims nothing while the clock is not to be trusted', async () => {
  let isSteady = false;
  let looks = 0;
  const embedded = world.runner({
    isSteady: () => isSteady,
    dispatch: async () => {
      looks += 1;
      return 0;
    },
  });
  embedded.start();
  await world.clock.advance(1000);
  expect([looks, embedded.isHealthy]).toEqual([0, false]);
  isSteady = true;
  await world.clock.advance(250);
  expect([looks, embedded.isHealthy]).toEqual([1, true]);
  await embedded.stop();
});
