import type { SubmitRequest } from '../../src/sources/code-reviews/jobs/submission.ts';
import { Refusal } from '../../src/std/refusal.ts';
import type { SimulatedProcess } from '../process.ts';
import { changelists, type Request, spoilt } from './bots.ts';
import { peopleOf, standingOf, versionsOf } from './reading.ts';
import type { ReviewScene } from './run-reviews.ts';

/** Bots at work: through any process, several at once, again and again, and nobody waits for the answer. */

export function submit({ world }: ReviewScene, process: SimulatedProcess, request: Request): void {
  const { beside, story, chance, isTroubled, mayStrike } = world;
  const { idempotency_key, changelist_id, review_version, rerun = false, recipients } = request.body;
  const what = `${changelist_id} version ${review_version}${rerun ? ', a rerun' : ''}`;
  story.tell(`${request.by} submits ${what}, to ${process.name} as ${idempotency_key}`);
  if (peopleOf(request).length < recipients.length)
    world.tally.fault('a reviewer is named twice, and spelt in two ways');
  const ask = beside.reviews?.asked(request);
  const { failures } = process.faults;
  const who = { by: request.by, traceId: request.traceId };
  void process.reviews?.codeReviews.submit(request.body, who).then(
    (answer) => {
      if (ask) beside.reviews?.answered(ask, { kind: 'answer', answer });
      story.tell(`  ${idempotency_key} is answered: ${answer.answer}`);
      const isLost =
        isTroubled() && chance.isTrue(0.15) && mayStrike('a bot does not hear what came of its review');
      if (!isLost) request.isAnswered = true;
    },
    (error: Error) => {
      if (error instanceof Refusal) {
        const details = error.details ?? {};
        if (ask) beside.reviews?.answered(ask, { kind: 'refusal', code: error.code, details });
        story.tell(`  ${idempotency_key} is refused: ${error.code}`);
        request.isAnswered = true;
      } else if (ask && !process.faults.isDead && process.faults.failures === failures) {
        beside.reviews?.answered(ask, { kind: 'error', message: error.message });
      }
    },
  );
}

const latestOf = ({ world: { beside } }: ReviewScene, changelistId: string) =>
  beside.reviews && versionsOf(beside.reviews.tables, changelistId).at(-1);

/** A number that grows by a digit, mostly: as a text the next one would be smaller. */
const firstVersions = [1, 8, 9, 9, 98];

/** The next version of a change, as a rerun or not. */
function next(scene: ReviewScene, changelistId: string, more: Partial<SubmitRequest> = {}): Request {
  const { world, bots } = scene;
  const { chance, beside, watch, mayStrike, tally } = world;
  const latest = latestOf(scene, changelistId);
  if (!latest) return bots.write(changelistId, chance.one(firstVersions), more);
  const lines = beside.reviews?.tables.lines.get(latest.job_id) ?? [];
  const stands = standingOf(lines, (seq) => watch.rows.find((row) => row.seq === seq));
  const hasSucceeded = stands === 'succeeded';
  if (stands !== 'succeeded' && stands !== 'failed')
    tally.fault('a newer version comes while the last one is on its way');
  const isRerun = chance.isTrue(hasSucceeded ? 0.6 : 0.2);
  const isForgotten =
    hasSucceeded && !isRerun && mayStrike('a newer version comes after a success, and not as a rerun');
  if (hasSucceeded && isRerun) tally.fault('a rerun');
  const rerun = isRerun || (hasSucceeded && !isForgotten);
  const version = latest.review_version + chance.one([1, 1, 1, 2]);
  return bots.write(changelistId, version, { ...(rerun && { rerun }), ...more });
}

export function submitNext(scene: ReviewScene, process: SimulatedProcess): void {
  submit(scene, process, next(scene, scene.world.chance.one(changelists)));
}

/** Whatever was not answered, or was: word for word. */
export function submitAgain(scene: ReviewScene, process: SimulatedProcess): void {
  const { world, bots } = scene;
  const unheard = bots.requests.filter(({ isAnswered }) => !isAnswered);
  const some = unheard.length > 0 && world.chance.isTrue(0.7) ? unheard : bots.requests;
  if (some.length === 0 || !world.mayStrike('a review is submitted again')) return;
  submit(scene, process, world.chance.one(some));
}

/** The key of an earlier review, with something else in it. */
export function submitOther(scene: ReviewScene, process: SimulatedProcess): void {
  const { world, bots } = scene;
  const { chance } = world;
  if (bots.requests.length === 0 || !world.mayStrike('a key comes with another review')) return;
  const request = chance.one(bots.requests);
  const other = chance.one<Partial<SubmitRequest>>([
    {},
    { recipients: bots.recipients() },
    { review_version: request.body.review_version + 1, rerun: true },
    { changelist_id: chance.one(changelists) },
    { recipients: spoilt(chance, request.body.recipients) },
  ]);
  submit(scene, process, bots.vary(request, other));
}

/** Another bot has reviewed the latest version, too. */
export function submitSame(scene: ReviewScene, process: SimulatedProcess): void {
  const { world, bots } = scene;
  const { chance } = world;
  const latest = latestOf(scene, chance.one(changelists));
  if (!latest || !world.mayStrike('two bots submit the same version')) return;
  const request = bots.requests.find(({ body }) => body.title === latest.title);
  const key = { idempotency_key: `key-${bots.requests.length + 1}` };
  const isCopy = request && chance.isTrue(0.5);
  submit(
    scene,
    process,
    isCopy ? bots.vary(request, key) : bots.write(latest.changelist_id, latest.review_version),
  );
}

export function submitLate(scene: ReviewScene, process: SimulatedProcess): void {
  const { world, bots } = scene;
  const { chance } = world;
  const latest = latestOf(scene, chance.one(changelists));
  if (!latest || latest.review_version === 1 || !world.mayStrike('a version comes too late')) return;
  const version = chance.between(Math.max(1, latest.review_version - 3), latest.review_version - 1);
  submit(scene, process, bots.write(latest.changelist_id, version, { rerun: chance.isTrue(0.5) }));
}

export function submitBad(scene: ReviewScene, process: SimulatedProcess): void {
  const { world, bots } = scene;
  if (!world.mayStrike('a review names nobody who can be told')) return;
  const recipients = spoilt(world.chance, bots.recipients());
  submit(scene, process, next(scene, world.chance.one(changelists), { recipients }));
}

/** Several at the same moment, who do not know of each other. */
export function submitAtOnce(scene: ReviewScene): void {
  const { chance } = scene.world;
  for (const request of requestsAtOnce(scene)) submit(scene, chance.one(scene.processes), request);
}

function requestsAtOnce(scene: ReviewScene): Request[] {
  const { world, bots } = scene;
  const { chance, mayStrike } = world;
  const request = next(scene, chance.one(changelists));
  const { idempotency_key, changelist_id, review_version } = request.body;
  const kind = chance.weighted({ again: 3, other: 2, same_version: 2, next_version: 2, across: 3 });
  switch (kind) {
    case 'again':
      if (!mayStrike('a review is submitted twice at once')) return [];
      return Array(chance.between(2, 4)).fill(request);
    case 'other':
      if (!mayStrike('a key comes with another review')) return [];
      return [request, bots.vary(request, { recipients: bots.recipients() })];
    case 'same_version':
      if (!mayStrike('two bots submit the same version')) return [];
      return [request, bots.write(changelist_id, review_version, { rerun: true })];
    case 'next_version':
      if (!mayStrike('two versions are submitted at once')) return [];
      return [request, bots.write(changelist_id, review_version + 1)];
    case 'across': {
      if (!mayStrike('a key comes with another change list, at once')) return [];
      const others = changelists.filter((each) => each !== changelist_id);
      return [request, next(scene, chance.one(others), { idempotency_key, rerun: true })];
    }
  }
}
