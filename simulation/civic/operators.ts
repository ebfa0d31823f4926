import type { RunRow } from '../../src/db/newsletters-schema.ts';
import type { TriggerRequest } from '../../src/sources/newsletters/runs/run-order.ts';
import { secondMs } from '../chance.ts';
import type { SimulatedProcess } from '../process.ts';
import type { WatchedRow } from '../promises.ts';
import { isTakenUp, isWaiting, short } from './reading.ts';
import type { CivicScene } from './run-civic.ts';
import { periods } from './town.ts';

/** Those who start runs, and think better of it: through any process, and nobody waits for the answer. */

const types = {
  ...{ newsletter_entity_monthly: 8, newsletter_entity_quarterly: 1.5 },
  ...{ alert_series_analytics: 2, alert_series_static: 1.5 },
};

function requestOf({ world: { chance } }: CivicScene): TriggerRequest {
  const notificationType = chance.weighted(types);
  const isQuarterly = notificationType === 'newsletter_entity_quarterly';
  const periodKey = isQuarterly ? '2025-Q4' : chance.isTrue(0.75) ? periods.monthly[0] : periods.monthly[1];
  return {
    ...{ notificationType, periodKey },
    ...(chance.isTrue(0.25) && { force: true }),
    ...(chance.isTrue(0.15) && { limit: chance.between(1, 4) }),
    ...(chance.isTrue(0.04) && { dryRun: true }),
  };
}

const canaryOf = ({ world: { chance } }: CivicScene) =>
  chance.isTrue(0.45)
    ? {
        canary: {
          size: chance.between(1, 3),
          bouncesMax: chance.one([0, 0, 1]),
          waitMs: chance.one([0, 5, 60]) * secondMs,
        },
      }
    : {};

export async function trigger(
  scene: CivicScene,
  process: SimulatedProcess,
  request = requestOf(scene),
  by = 'somebody',
): Promise<void> {
  const { clock, story, beside, mayStrike } = scene.world;
  const { notificationType: type, periodKey = '', force: isForced = false, dryRun = false } = request;
  if (isForced && by === 'somebody' && !mayStrike('a run is forced')) return;
  const askedAt = clock.now();
  story.tell(
    `${process.name} is asked for ${isForced ? 'a forced' : 'a'} run of ${type} ${periodKey}${dryRun ? ', dry' : ''}`,
  );
  const who = { by, ...(by === 'somebody' && canaryOf(scene)) };
  void process.civic?.newsletters.runs.trigger(request, who).then(
    ({ runId, collectJobEnqueued: isEnqueued }) => {
      if (!dryRun) beside.civic?.answered({ runId, type, periodKey, isForced, isEnqueued, askedAt });
    },
    () => {},
  );
  await clock.advance(0);
}

/** The same button, by two who do not know of each other. */
export async function triggerTwice(scene: CivicScene): Promise<void> {
  const { world, processes } = scene;
  if (!world.mayStrike('a run is asked for twice at once')) return;
  const { limit: _, dryRun: __, ...request } = requestOf(scene);
  const order = { ...request, force: world.chance.isTrue(0.25) };
  const [first, second] = [world.chance.one(processes), world.chance.one(processes)];
  // Not awaited between the two: both are under way.
  const both = [
    trigger(scene, first, order),
    trigger(scene, second, { ...order, force: order.force && world.chance.isTrue(0.5) }),
  ];
  await Promise.all(both);
}

export async function plan(scene: CivicScene, process: SimulatedProcess): Promise<void> {
  const { dryRun: _, ...request } = requestOf(scene);
  scene.world.story.tell(
    `${process.name} is asked for a plan of ${request.notificationType} ${request.periodKey}`,
  );
  void process.civic?.newsletters.runs.plan(request, { by: 'somebody', ...canaryOf(scene) }).catch(() => {});
  await scene.world.clock.advance(0);
}

export async function apply(scene: CivicScene, process: SimulatedProcess): Promise<void> {
  const { chance, clock, mayStrike } = scene.world;
  const plans = runsOf(scene).filter((run) => run.plan_expires_at !== null);
  if (plans.length === 0) return plan(scene, process);
  const fresh = plans.filter(({ status }) => status === 'planned');
  const run = chance.one(fresh.length > 0 && chance.isTrue(0.8) ? fresh : plans);
  // It was read yesterday.
  if (run.status === 'planned' && chance.isTrue(0.15))
    await clock.advance(Math.max(0, (run.plan_expires_at ?? 0) - clock.now() + 5_000));
  if (run.status !== 'planned' && !mayStrike('a plan is applied twice')) return;
  if (
    run.status === 'planned' &&
    (run.plan_expires_at ?? 0) <= clock.now() &&
    !mayStrike('a plan is applied late')
  )
    return;
  applyOne(scene, process, run);
  if (chance.isTrue(0.3) && mayStrike('a plan is applied twice'))
    applyOne(scene, chance.one(scene.processes), run);
  await clock.advance(0);
}

function applyOne(
  { world: { story, beside } }: CivicScene,
  process: SimulatedProcess,
  { run_id: runId }: RunRow,
): void {
  story.tell(`${process.name} is asked to apply run ${short(runId)}`);
  void process.civic?.newsletters.runs.apply(runId, { by: 'somebody' }).then(
    () => beside.civic?.applied(runId),
    () => {},
  );
}

const minds = { pause: 5, resume: 5, cancel: 2 };

/** A change of mind, most often while something of the run is on its way. */
export async function changeMind(
  scene: CivicScene,
  process: SimulatedProcess,
  only?: keyof typeof minds,
): Promise<void> {
  const { world } = scene;
  const { chance, clock, story, mayStrike, beside } = world;
  const open = stoppable(scene);
  if (open.length === 0) return trigger(scene, process);
  const run = failingRuns(scene)[0] ?? chance.one(open);
  const isPaused = run.status === 'paused' || run.status === 'halted';
  const verb = only ?? (isPaused && chance.isTrue(0.5) ? 'resume' : chance.weighted(minds));
  const isFlying = flyingOf(scene, run).length > 0;
  if (isFlying && verb === 'pause' && !mayStrike('a run is paused in mid-flight')) return;
  if (isFlying && verb === 'cancel' && !mayStrike('a run is cancelled in mid-flight')) return;
  if (verb === 'resume' && isPaused && !mayStrike('a run goes on again')) return;
  if (run.status === 'finished' && !mayStrike('a run is stopped while its mails leave')) return;
  story.tell(`${process.name} is asked to ${verb} run ${short(run.run_id)}`);
  const waiting = flyingOf(scene, run).filter(isWaiting);
  void process.civic?.newsletters.runs[verb](run.run_id, { by: 'somebody', because: 'simulation' }).catch(
    ({ code }) => code === 'run_not_changed' && beside.civic?.refused({ runId: run.run_id, verb, waiting }),
  );
  await clock.advance(0);
  const { notification_type: notificationType, period_key: periodKey } = run;
  if (verb === 'cancel' && chance.isTrue(0.6) && mayStrike('a run begins as another is cancelled'))
    await trigger(scene, process, { notificationType, periodKey, force: chance.isTrue(0.3) });
}

/** Those of which something may still be held back. */
export const stoppable = (scene: CivicScene): RunRow[] =>
  runsOf(scene).filter(
    (run) =>
      ['running', 'paused', 'halted'].includes(run.status) ||
      (run.status === 'finished' && flyingOf(scene, run).length > 0),
  );

function flyingOf({ world: { watch, beside } }: CivicScene, { run_id: runId }: RunRow): WatchedRow[] {
  const lines = [...(beside.civic?.tables.items.get(runId)?.values() ?? [])];
  const own = new Set(lines.filter(({ state }) => isTakenUp(state)).map(({ delivery_seq }) => delivery_seq));
  return watch.rows.filter((row) => own.has(row.seq) && (isWaiting(row) || row.status === 'claimed'));
}

/** At work, with a mail that was refused for now. */
export function failingRuns(scene: CivicScene): RunRow[] {
  const { watch, beside } = scene.world;
  const failing = watch.rows.filter(({ status }) => status === 'failed_transient');
  const owners = new Set(failing.map(({ seq }) => beside.civic?.ownerOf(seq)));
  return stoppable(scene).filter(
    ({ run_id, status }) => (status === 'running' || status === 'finished') && owners.has(run_id),
  );
}

export const runsOf = ({ world }: CivicScene): RunRow[] => [
  ...(world.beside.civic?.tables.runs.values() ?? []),
];
