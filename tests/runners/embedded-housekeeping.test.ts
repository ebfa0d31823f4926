import { beforeEach, expect, it } from 'vitest';
import type { SetBack } from '../../src/db/time-mark.ts';
import { createEmbeddedWorld, type EmbeddedWorld } from './embedded-world.ts';

/** What the runner does beside the sending: how often, and by which clock. */
let world: EmbeddedWorld;
beforeEach(() => {
  world = createEmbeddedWorld();
});

it('sweeps and reconciles every two seconds, asks for lost words every half minute, the latter two at once again while there is work, and measures every ten seconds', async () => {
  const at = {
    sweep: [] as number[],
    reconcile: [] as number[],
    measure: [] as number[],
    heal: [] as number[],
  };
  const note = (name: keyof typeof at) => () => at[name].push(world.clock.monotonic());
  const doubted = [1, 0, 0, 0];
  const silent = [200, 0];
  const embedded = world.runner({
    sweep: note('sweep'),
    measure: () => {
      note('measure')();
      return null;
    },
    reconcile: () => {
      note('reconcile')();
      return doubted.shift() ?? 0;
    },
    heal: () => {
      note('heal')();
      return silent.shift() ?? 0;
    },
  });
  embedded.start();
  await world.clock.advance(4_000);
  expect(at).toEqual({
    ...{ sweep: [0, 2_000, 4_000], reconcile: [0, 0, 2_000, 4_000], measure: [0] },
    heal: [0, 0],
  });
  await world.clock.advance(56_000);
  expect([at.measure, at.heal]).toEqual([
    [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000],
    [0, 0, 30_000, 60_000],
  ]);
  await embedded.stop();
});

it('moves no row by a clock that is not to be trusted, and goes on measuring it', async () => {
  let moved = 0;
  let measured = 0;
  const embedded = world.runner({
    isSteady: () => false,
    sweep: () => {
      moved += 1;
    },
    reconcile: () => ++moved,
    measure: () => {
      measured += 1;
      return null;
    },
  });
  embedded.start();
  await world.clock.advance(60_000);
  expect([moved, measured]).toEqual([0, 7]);
  await embedded.stop();
});

it('forgets webhooks at once while there are more, and also while one cannot be linked', async () => {
  const old = [500, 7, 0, 0];
  const looksAt: number[] = [];
  const embedded = world.runner({
    webhooks: () => {
      if (old.length < 2) throw new Error('one cannot be linked');
      return 0;
    },
    forget: () => {
      looksAt.push(world.clock.monotonic());
      return old.shift() ?? 0;
    },
  });
  const start = world.clock.monotonic();
  embedded.start();
  await world.clock.advance(60_000);
  const waits = looksAt.map((at) => at - start);
  expect(waits.slice(0, 5)).toEqual([0, 0, 0, 10_000, 20_000]);
  await embedded.stop();
});

it('links webhooks that wait and forgets old ones every five seconds, at once while there are more', async () => {
  const waiting = [2, 0, 0, 0];
  const looksAt: number[] = [];
  let isSteady = true;
  const embedded = world.runner({
    webhooks: () => {
      looksAt.push(world.clock.monotonic());
      return waiting.shift() ?? 0;
    },
    isSteady: () => isSteady,
  });
  embedded.start();
  await world.clock.advance(5_000);
  expect(looksAt).toEqual([0, 0, 5_000]);
  isSteady = false;
  await world.clock.advance(5_000);
  expect(looksAt).toEqual([0, 0, 5_000]);
  await embedded.stop();
});

it('a clock that was set back takes with it what waits, and is measured again at once', async () => {
  const measured: (SetBack | null)[] = [{ from: 5_000_000, to: 1_000 }, null];
  const seen: SetBack[] = [];
  const embedded = world.runner({
    measure: () => measured.shift() ?? null,
    setBack: (setBack) => void seen.push(setBack),
  });
  embedded.start();
  await world.clock.advance(0);
  expect(seen).toEqual([{ from: 5_000_000, to: 1_000 }]);
  expect(measured).toEqual([]);
  await embedded.stop();
});
