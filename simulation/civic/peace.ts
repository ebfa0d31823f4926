import type { RunRow } from '../../src/db/newsletters-schema.ts';
import { minuteMs, secondMs } from '../chance.ts';
import { drain } from '../drain.ts';
import type { SimulatedProcess } from '../process.ts';
import { runsOf, stoppable, trigger } from './operators.ts';
import { isHeld, isWaiting, short } from './reading.ts';
import { type CivicScene, startAnew, work } from './run-civic.ts';

/** Far more than any run needs: figures that could not be had are asked for again within ten minutes. */
const turnsMax = 400;

/** No more troubles: all figures are there, every run comes to its end, those who were left out are told by a last one, and everything is settled. */
export async function endCivic(scene: CivicScene): Promise<void> {
  const { world, processes, hall, everybody } = scene;
  const { watch, chance, beside } = world;
  world.endTroubles();
  hall.endTroubles();
  // Whoever stands still would keep everybody waiting for as long.
  for (const { faults } of everybody) if (!faults.isDead) faults.die('and is started anew');
  for (const index of processes.keys()) startAnew(scene, index);
  // Some wait for no run to end, and begin anew in the same breath.
  const isAtOnce = chance.isTrue(0.4);
  if (!isAtOnce) await bringToRest(scene);
  const kinds = new Map(runsOf(scene).map((run) => [`${run.notification_type} ${run.period_key}`, run]));
  for (const { notification_type: notificationType, period_key: periodKey } of kinds.values()) {
    if (watch.violation !== null) return;
    const runs = () =>
      runsOf(scene).filter(
        (run) => run.notification_type === notificationType && run.period_key === periodKey,
      );
    if (isAtOnce) await cancelAll(scene, runs);
    // Where the key is free, a click is enough.
    const force = !isAtOnce || runs().some(({ dedupe_key }) => dedupe_key !== null);
    await trigger(scene, chance.one(processes), { notificationType, periodKey, force }, 'the last');
  }
  await bringToRest(scene);
  const held = watch.rows.find((row) => isWaiting(row) && isHeld(row));
  if (held) watch.violate('nobody is left over', `#${held.seq} is held back, and no run will let it go`);
  if (watch.violation === null) await drain(scene);
  if (watch.violation === null) beside.civic?.atTheEnd();
}

/** All that can be, and nobody waits until it is done. */
async function cancelAll(scene: CivicScene, runs: () => RunRow[]): Promise<void> {
  const { world, processes } = scene;
  const open = new Set(stoppable(scene).map(({ run_id }) => run_id));
  for (const { run_id: runId, status } of runs()) {
    if (!open.has(runId) && status !== 'planned') continue;
    world.story.tell(`somebody cancels run ${short(runId)}`);
    const { newsletters } = world.chance.one(processes as SimulatedProcess[]).civic ?? {};
    void newsletters?.runs.cancel(runId, { by: 'somebody', because: 'peace' }).catch(() => {});
    await world.clock.advance(0);
  }
}

/** Whatever is paused goes on, or ends. */
async function bringToRest(scene: CivicScene): Promise<void> {
  const { world, processes } = scene;
  const { watch, clock, chance } = world;
  const seen = new Set<string>();
  const open = () =>
    runsOf(scene).filter(
      ({ status, pass_after }) =>
        ['planned', 'running', 'paused', 'halted'].includes(status) || pass_after !== null,
    );
  for (let turn = 0; turn < turnsMax && watch.violation === null && open().length > 0; turn++) {
    const why = { by: 'somebody', because: 'peace' };
    for (const { run_id: runId, status, canary_size, canary_passed_at } of open()) {
      const runs = chance.one(processes as SimulatedProcess[]).civic?.newsletters.runs;
      // What its first mails came to may be in doubt for a day.
      const isStuck = turn > 40 && canary_size !== null && canary_passed_at === null;
      if (status !== 'planned' && status !== 'paused' && status !== 'halted' && !isStuck) continue;
      // Who halts again has met too many bounces, and is ended.
      const isToGoOn = status !== 'planned' && !isStuck && !seen.has(runId) && chance.isTrue(0.7);
      seen.add(runId);
      world.story.tell(`somebody ${isToGoOn ? 'resumes' : 'cancels'} run ${short(runId)}`);
      void (isToGoOn ? runs?.resume(runId, why) : runs?.cancel(runId, why))?.catch(() => {});
    }
    await clock.advance(0);
    await work(scene, 1);
    // What bounced for now keeps a line waiting for hours, until the run that it was of lets it go.
    if (turn > 20) await clock.advance(chance.between(secondMs, (turn > 100 ? 5 : 1) * minuteMs));
  }
  const [run] = open();
  if (run)
    watch.violate(
      'nobody is left over',
      `run ${short(run.run_id)} is ${run.status}, long after the troubles`,
    );
}
