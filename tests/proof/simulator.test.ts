import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cutOf, optionsOf } from '../../simulation/cut.ts';
import { root } from '../../simulation/many.ts';
import { runPlanted } from '../../simulation/planted/plant.ts';
import { plantedBugs } from '../../simulation/planted-bugs.ts';
import { runSeed } from '../../simulation/run.ts';
import type { Run } from '../../simulation/run-world.ts';
import { shrink } from '../../simulation/shrink.ts';
import { openStage, type Stage } from '../../simulation/stage.ts';

/** What is said about the simulator itself: a run depends on its seed alone, and one that broke a promise gets shorter. */
let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.db.close());

it.each([1, 2, 15, 20, 30, 77, 485, 4_096])(
  'seed %i is the same run twice, whatever ran between',
  async (seed) => {
    const first = await runSeed(seed, stage);
    await runSeed(seed + 1, stage);
    const again = await runSeed(seed, stage);
    expect(first.violation).toBeNull();
    expect([again.hash, again.lines]).toEqual([first.hash, first.lines]);
    expect((await runSeed(seed + 1, stage)).hash).not.toBe(first.hash);
  },
);

/** A rule taken out behind everybody's back: what is in doubt is called failed, though there may be a mail. */
const breakRule = (broken: Stage) =>
  sql`CREATE TRIGGER doubt_is_failure AFTER UPDATE OF status ON deliveries WHEN NEW.status = 'reconciling' BEGIN
    UPDATE deliveries SET status = 'failed_permanent', locked_by = NULL, locked_at = NULL, due_at = NULL WHERE seq = NEW.seq;
  END`.execute(broken.db.write);

async function firstBroken(): Promise<Run> {
  for (let seed = 1; seed <= 50; seed++) {
    const run = await runSeed(seed, stage);
    if (run.violation) return run;
  }
  throw new Error('no seed of fifty noticed');
}

it('a run that broke a promise is told with less happening, breaks the same one, and can be run again as it was told', async () => {
  await breakRule(stage);
  const broken = await firstBroken();
  const { run, cut } = await shrink(broken, stage);
  expect(run.violation?.promise).toBe(broken.violation?.promise);
  expect(run.lines.length).toBeLessThan(broken.lines.length);
  expect(cut.steps.size).toBeGreaterThan(0);

  const options = /--without-steps (\S+)(?: --without-faults (\S+))?/.exec(optionsOf(cut));
  const [, steps, faults] = options ?? [];
  const replayed = await runSeed(broken.seed, stage, cutOf({ steps, faults }) ?? undefined);
  expect([replayed.hash, replayed.violation]).toEqual([run.hash, run.violation]);
});

it('with no tries left a run stays as it is', async () => {
  await breakRule(stage);
  const broken = await firstBroken();
  const { run, cut } = await shrink(broken, stage, 0);
  expect([run, cut.steps.size, cut.faults.size]).toEqual([broken, 0, 0]);
});

it('a planted bug is caught in a copy of the source, and its run comes back shorter, with what to leave out', async () => {
  const bug = plantedBugs.find(({ name }) => name === 'window-not-checked') ?? plantedBugs[0];
  if (!bug) throw new Error('there is no planted bug');
  const { broken } = await runPlanted(bug, { first: 1, count: 400, workers: 1, isToShrink: true });
  expect(broken?.violation.promise).toBeTruthy();
  expect(broken?.shrunk?.lines.length).toBeLessThan(broken?.lines.length ?? 0);
  expect(broken?.shrunk?.options).toMatch(/^ --without-steps \d/);
  // The sentence is that of the run that is shown: a shorter one has other numbers and other times.
  const { violation, lines = [] } = broken?.shrunk ?? {};
  expect(lines.join('\n')).toContain(`BROKEN, ${violation?.promise}: ${violation?.sentence}`);

  // And whoever wants to see it can: the command that `npm run mutations -- --story` prints.
  const command = ['--import', 'tsx', 'simulation/simulate.ts', '--json', '--planted', bug.name];
  const replay = promisify(execFile)(process.execPath, [...command, '--seed', String(broken?.seed)], {
    cwd: root,
  });
  const failure = await replay.then(
    () => null,
    (error: { code: number; stdout: string }) => error,
  );
  expect(failure?.code).toBe(1);
  expect(JSON.parse(failure?.stdout ?? '')).toMatchObject({ violation: broken?.violation });
});

it('a run that was cut already gets shorter from there', async () => {
  await breakRule(stage);
  const broken = await firstBroken();
  const once = await shrink(broken, stage);
  const twice = await shrink(once.run, stage, 20, once.cut);
  expect([...once.cut.steps].filter((step) => !twice.cut.steps.has(step))).toEqual([]);
  expect(twice.run.lines.length).toBeLessThanOrEqual(once.run.lines.length);
});
