import type { ReviewJobRow } from '../../src/db/reviews-schema.ts';
import { Refusal } from '../../src/std/refusal.ts';
import type { SimulatedProcess } from '../process.ts';
import { nameOf } from './reading.ts';
import type { ReviewScene } from './run-reviews.ts';

/** Callers and operators who want those told who were not: through any process, and nobody waits for the answer. */

/** So many second tries there were: each has a name and a reason of its own. */
const counts = new WeakMap<object, number>();

function tryOne(
  { world }: ReviewScene,
  process: SimulatedProcess,
  job: ReviewJobRow,
  more: { isOperator: boolean; recipients?: readonly string[]; isMistaken?: boolean },
): void {
  const { beside, story } = world;
  const count = (counts.get(world) ?? 0) + 1;
  counts.set(world, count);
  const { isOperator, recipients, isMistaken = false } = more;
  const order = {
    ...{ jobId: job.job_id, isOperator, recipients },
    ...{ by: `${isOperator ? 'operator' : 'caller'}-${count}`, reason: isMistaken ? ' ' : `reason ${count}` },
  };
  const whom = recipients ? recipients.join(', ') : 'all';
  story.tell(`${order.by} wants ${nameOf(job)} tried again by ${process.name}, for ${whom}`);
  const one = beside.reviews?.tried(order);
  const { failures } = process.faults;
  void process.reviews?.codeReviews.retry(job.job_id, order).then(
    ({ recipients: told }) => {
      if (one) beside.reviews?.triedAnswered(one, { kind: 'answer', recipients: told });
      const words = told.map(({ recipient, outcome }) => `${recipient} ${outcome}`);
      story.tell(`  ${order.by} is answered: ${words.join(', ') || 'nobody'}`);
    },
    (error: Error) => {
      if (error instanceof Refusal) {
        story.tell(`  ${order.by} is refused: ${error.code}`);
        if (one) beside.reviews?.triedAnswered(one, { kind: 'refusal', code: error.code });
      } else if (one && !process.faults.isDead && process.faults.failures === failures) {
        beside.reviews?.triedAnswered(one, { kind: 'error', message: error.message });
      }
    },
  );
}

const linesOf = ({ world: { beside } }: ReviewScene, { job_id }: ReviewJobRow) =>
  beside.reviews?.tables.lines.get(job_id) ?? [];

/** Of a job with something that is over, if there is one: otherwise nothing can come of it. */
function chooseJob(scene: ReviewScene, statuses: readonly string[]): ReviewJobRow | undefined {
  const { chance, beside, watch } = scene.world;
  const jobs = [...(beside.reviews?.tables.jobs.values() ?? [])];
  const seqs = new Set(watch.rows.filter(({ status }) => statuses.includes(status)).map(({ seq }) => seq));
  const hopeful = jobs.filter((job) => linesOf(scene, job).some((line) => seqs.has(line.delivery_seq)));
  if (jobs.length === 0) return undefined;
  return chance.one(hopeful.length > 0 ? hopeful : jobs);
}

const over = ['failed_permanent', 'suppressed', 'skipped_unsubscribed', 'needs_review'];
const flying = ['claimed', 'sending', 'reconciling', 'failed_transient'];

/** Some of them, spelt as somebody types them. */
function some(scene: ReviewScene, job: ReviewJobRow): { recipients?: string[] } {
  const { chance } = scene.world;
  if (chance.isTrue(0.6)) return {};
  const all = linesOf(scene, job).map(({ recipient }) => recipient);
  const named = all.filter(() => chance.isTrue(0.6));
  const chosen = named.length > 0 ? named : [chance.one(all)];
  return { recipients: chosen.map((each) => (chance.isTrue(0.3) ? each.toUpperCase() : each)) };
}

export function tryAgain(scene: ReviewScene, process: SimulatedProcess): void {
  const { world } = scene;
  const { chance, mayStrike, beside, tally } = world;
  const job = chooseJob(scene, over);
  const isOperator = chance.isTrue(0.4);
  if (!job || !mayStrike(isOperator ? 'an operator tries a review again' : 'a caller tries again')) return;
  const isTwice = linesOf(scene, job).some(
    ({ delivery_seq }) => beside.reviews?.endings.isEscalated(delivery_seq) === 'yes',
  );
  if (isTwice) tally.fault('what is tried again ends in the same way');
  tryOne(scene, process, job, { isOperator, ...some(scene, job) });
}

/** Who may be mailed again is to hear of all that they were not told. */
export function tryAgainAt(scene: ReviewScene, process: SimulatedProcess, address: string | undefined): void {
  const { beside, watch } = scene.world;
  const ended = watch.rows.filter(({ status }) => over.includes(status)).map(({ seq }) => seq);
  for (const job of beside.reviews?.tables.jobs.values() ?? []) {
    const line = linesOf(scene, job).find(({ recipient }) => recipient === address);
    if (!line || !ended.includes(line.delivery_seq)) continue;
    if (!scene.world.mayStrike('an operator tries a review again')) continue;
    tryOne(scene, process, job, { isOperator: true, recipients: [line.recipient] });
  }
}

export function tryInFlight(scene: ReviewScene, process: SimulatedProcess): void {
  const job = chooseJob(scene, flying);
  if (!job || !scene.world.mayStrike('somebody tries a review again in mid-flight')) return;
  const recipients = linesOf(scene, job).map(({ recipient }) => recipient);
  tryOne(scene, process, job, { isOperator: scene.world.chance.isTrue(0.5), recipients });
}

export function tryTwice(scene: ReviewScene): void {
  const { world, processes } = scene;
  const job = chooseJob(scene, over);
  if (!job || !world.mayStrike('two try a review again at once')) return;
  tryOne(scene, world.chance.one(processes), job, { isOperator: false });
  tryOne(scene, world.chance.one(processes), job, { isOperator: true, ...some(scene, job) });
}

export function tryWrongly(scene: ReviewScene, process: SimulatedProcess): void {
  const job = chooseJob(scene, over);
  if (!job || !scene.world.mayStrike('somebody tries again for no reason, or for a stranger')) return;
  const isStranger = scene.world.chance.isTrue(0.5);
  const mistake = isStranger ? { recipients: ['stranger@example.org'] } : { isMistaken: true };
  tryOne(scene, process, job, { isOperator: true, ...mistake });
}

/** For the end: all that can still be told is. */
export function tryAllAgain(scene: ReviewScene): void {
  const { world, processes } = scene;
  for (const job of world.beside.reviews?.tables.jobs.values() ?? []) {
    tryOne(scene, world.chance.one(processes), job, { isOperator: true });
  }
}
