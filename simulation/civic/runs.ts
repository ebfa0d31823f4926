import type { RunRow } from '../../src/db/newsletters-schema.ts';
import type { Clock } from '../../src/std/clock.ts';
import { skewMs, type Violate, type WatchedRow } from '../promises.ts';
import type { Story } from '../story.ts';
import type { CivicTables } from './civic-tables.ts';
import type { Answer, Change, Refused } from './civic-watch.ts';
import { isHeld, isTakenUp, isWaiting, short } from './reading.ts';

/** What is said to runs, and what they do about it: triggers, plans, canaries, pauses and ends. */
export interface RunWatch {
  look(change: Change): void;
  answered(answer: Answer, tables: CivicTables): void;
  applied(runId: string): void;
  refused(refusal: Refused, tables: CivicTables, rows: readonly WatchedRow[]): void;
}

interface Parts {
  violate: Violate;
  story: Story;
  clock: Clock;
  ownerOf: (seq: number) => string | undefined;
}

export function createRunWatch({ violate, story, clock, ownerOf }: Parts): RunWatch {
  const appliedOnce = new Set<string>();
  const isOver = ({ status }: RunRow) => status === 'cancelled';
  /** Begun by a click, and not by force. */
  const isClick = ({ is_forced, applied_at, status, plan_expires_at }: RunRow) =>
    is_forced === 0 && applied_at === null && plan_expires_at === null && status !== 'planned';
  const isSame = (one: RunRow, other: Pick<RunRow, 'notification_type' | 'period_key'>) =>
    one.notification_type === other.notification_type && one.period_key === other.period_key;

  function checkBegun(run: RunRow, { after }: Change): void {
    story.tell(
      `  run ${short(run.run_id)} of ${run.notification_type} ${run.period_key} is ${run.status}, for ${run.eligible_count}`,
    );
    if (!isClick(run)) return;
    const other = [...after.runs.values()].find(
      (each) => each.run_id !== run.run_id && isClick(each) && isSame(each, run) && !isOver(each),
    );
    if (other)
      violate('a click is one run', `run ${short(run.run_id)} began beside run ${short(other.run_id)}`);
  }

  const waitingOf = (runId: string, rows: readonly WatchedRow[]) =>
    rows.filter((row) => isWaiting(row) && ownerOf(row.seq) === runId);

  function checkStatus(run: RunRow, was: RunRow, change: Change): void {
    const name = `run ${short(run.run_id)}`;
    if (was.status !== run.status) story.tell(`  ${name}: ${was.status} → ${run.status}`);
    if (was.status === 'planned' && run.status === 'running') {
      if ((run.plan_expires_at ?? 0) <= clock.now() - skewMs)
        violate('a plan is applied once', `${name} was applied after its time`);
    }
    // Its mails leave for long after it is finished: until then it can be stopped.
    const isStopped = was.status === 'finished' && ['paused', 'cancelled'].includes(run.status);
    const wasOver = ['cancelled', 'finished', 'expired'].includes(was.status);
    if (was.status !== run.status && wasOver && !isStopped)
      violate('a run is heeded', `${name} was ${was.status}, and is ${run.status}`);
    if (run.status === 'finished' && was.status !== 'finished') checkFinished(run, change);
    if (run.canary_passed_at !== null && was.canary_passed_at === null) checkPassed(run, was, change);
    if (run.status === 'halted' && was.status !== 'halted') checkHalted(run);
    if (was.pass_after === null || was.pass_after === run.pass_after || was.status !== run.status) return;
    checkPass(run, was.pass_after, change);
    checkOthers(run, change);
  }

  function checkFinished({ run_id: runId }: RunRow, { after, rows }: Change): void {
    const open = [...(after.items.get(runId)?.values() ?? [])].find(
      ({ state }) => state === 'planned' || state === 'collected',
    );
    if (open)
      violate('nobody is left over', `run ${short(runId)} is finished, with a line that is ${open.state}`);
    const held = waitingOf(runId, rows).find(isHeld);
    if (held)
      violate('nobody is left over', `run ${short(runId)} is finished, and #${held.seq} is held back`);
  }

  /** A change of mind is about what the run has taken up, and not about what another one has. */
  function checkOthers({ run_id: runId, status }: RunRow, { rows, rowsBefore }: Change): void {
    const had = new Map(rowsBefore.map((row) => [row.seq, row]));
    for (const row of rows) {
      const before = had.get(row.seq);
      if (!before || (before.status === row.status && before.due_at === row.due_at)) continue;
      if (ownerOf(row.seq) !== runId)
        violate(
          'a run is heeded',
          `run ${short(runId)} is ${status}, and #${row.seq} of another one is moved`,
        );
    }
  }

  /** What a change of mind had to do is done, for a page. */
  function checkPass(
    { run_id: runId, status, pass_after }: RunRow,
    from: number,
    { before, after, rows }: Change,
  ): void {
    const lines = [...(before.items.get(runId)?.values() ?? [])].filter(
      ({ place }) => (place ?? 0) > from && (place ?? 0) <= (pass_after ?? Infinity),
    );
    const own = new Set(lines.flatMap(({ state, delivery_seq }) => (isTakenUp(state) ? [delivery_seq] : [])));
    const waiting = waitingOf(runId, rows).filter(({ seq }) => own.has(seq));
    const name = `run ${short(runId)} is ${status}`;
    if (status === 'cancelled' && waiting[0])
      violate('a run is heeded', `${name}, and #${waiting[0].seq} waits`);
    const loose = waiting.find((row) => !isHeld(row));
    // What is due later keeps its time. What was in somebody's hand comes back to wait for a minute: they had asked before.
    const isLater = (loose?.due_at ?? 0) > clock.now() - 2 * skewMs;
    const isBack = isLater || (loose?.last_error ?? '').includes('run_paused');
    if ((status === 'paused' || status === 'halted') && loose && !isBack)
      violate('a run is heeded', `${name}, and #${loose.seq} is not held back`);
    const composed = new Set(
      [...(after.items.get(runId)?.values() ?? [])].flatMap(({ state, delivery_seq }) =>
        state === 'composed' ? [delivery_seq] : [],
      ),
    );
    const held = waiting.find((row) => isHeld(row) && composed.has(row.seq));
    if (status === 'running' && held)
      violate('nobody is left over', `${name} again, and #${held.seq} is held back`);
  }

  /** Until a canary has passed, all that was taken up is it. */
  const canaryOf = (runId: string, { items }: CivicTables, rows: readonly WatchedRow[]) => {
    const lines = [...(items.get(runId)?.values() ?? [])];
    const composed = lines.filter(({ state }) => state === 'composed');
    const seqs = new Set(composed.map(({ delivery_seq }) => delivery_seq));
    // Whose figures could not be had at the first try stand in nobody's way.
    const fresh = lines.filter(({ state, tries }) => state === 'collected' && tries === 0);
    return { lines, fresh, mails: rows.filter(({ seq }) => seqs.has(seq)) };
  };

  /** No more are taken up than as many as were asked for can arrive. */
  function checkTaken(run: RunRow, { before, after, rowsBefore }: Change): void {
    const { run_id: runId, canary_size: size } = run;
    if (size === null || run.canary_passed_at !== null) return;
    const { lines, fresh, mails } = canaryOf(runId, before, rowsBefore);
    const taken = lines.filter(
      ({ state, notification_id: id }) =>
        state === 'planned' && after.items.get(runId)?.get(id)?.state === 'collected',
    );
    const arriving = fresh.length + mails.filter((row) => row.sent_at !== null || isOpen(row)).length;
    if (taken.length > 0 && arriving + taken.length > size)
      violate(
        'a canary is heeded',
        `of run ${short(runId)} ${taken.length} are collected beside ${arriving} of its first ${size}`,
      );
  }

  /** By run: whatever was ever bad of its first mails. Some get better by a later round. */
  const wereBad = new Map<string, Set<number>>();
  function noteBad({ run_id: runId }: RunRow, { after, rows }: Change): void {
    const known = wereBad.get(runId) ?? new Set();
    for (const row of canaryOf(runId, after, rows).mails) if (isBad(row)) known.add(row.seq);
    wereBad.set(runId, known);
  }

  function checkPassed(run: RunRow, was: RunRow, { after, rows }: Change): void {
    const name = `run ${short(run.run_id)}`;
    const { lines, fresh, mails } = canaryOf(run.run_id, after, rows);
    // A person has said that it is to go on all the same.
    if (was.status === 'halted') return;
    const bad = mails.filter(isBad).length;
    if (bad > (run.canary_bounces_max ?? 0))
      violate('a canary is heeded', `${name} goes on, and of its first mails ${bad} came to nothing`);
    const sending = mails.find((row) => row.sent_at === null && isOpen(row));
    if (fresh.length > 0 || sending)
      violate('a canary is heeded', `${name} goes on before its first mails have left`);
    const isAnybodyLeft = lines.some(({ state }) => state === 'planned');
    if (isAnybodyLeft && !mails.some(({ sent_at }) => sent_at !== null))
      violate('a canary is heeded', `${name} goes on, and nobody of its first was mailed`);
    const lastAt = Math.max(0, ...mails.map(({ sent_at }) => sent_at ?? 0));
    if (clock.now() + 2 * skewMs < lastAt + (run.canary_wait_ms ?? 0))
      violate('a canary is heeded', `${name} goes on without having listened`);
  }

  function checkHalted({ run_id: runId, canary_bounces_max: most }: RunRow): void {
    const bad = wereBad.get(runId)?.size ?? 0;
    if (bad <= (most ?? 0))
      violate(
        'a canary is heeded',
        `run ${short(runId)} halts, and ${bad} of its first mails came to nothing`,
      );
  }

  return {
    look(change) {
      for (const [runId, run] of change.after.runs) {
        const was = change.before.runs.get(runId);
        if (run.canary_size !== null) noteBad(run, change);
        checkTaken(run, change);
        if (!was) checkBegun(run, change);
        else if (was !== run) checkStatus(run, was, change);
      }
    },
    answered({ runId, type, periodKey, isForced, isEnqueued, askedAt }, { runs }) {
      if (isEnqueued && !runs.has(runId))
        violate('a click is one run', `run ${short(runId)} was answered, and is not there`);
      if (isEnqueued || isForced) {
        if (!isEnqueued) violate('a click is one run', 'a forced run was answered with another one');
        return;
      }
      const same = { notification_type: type, period_key: periodKey };
      const other = [...runs.values()].find(
        (run) =>
          isSame(run, same) &&
          run.status !== 'planned' &&
          (!isOver(run) || (run.ended_at ?? 0) >= askedAt - 2 * skewMs),
      );
      if (!other) violate('a click is one run', 'a click was answered with another run, and there is none');
    },
    refused({ runId, verb, waiting }, { runs, items }, rows) {
      if (verb === 'resume' || runs.get(runId)?.status !== 'finished') return;
      const composed = new Set(
        [...(items.get(runId)?.values() ?? [])].flatMap(({ state, delivery_seq }) =>
          state === 'composed' ? [delivery_seq] : [],
        ),
      );
      const still = rows.find(
        ({ seq, status, lease }) =>
          composed.has(seq) &&
          waiting.some((was) => was.seq === seq && was.status === status && was.lease === lease),
      );
      if (still)
        violate(
          'a run is heeded',
          `run ${short(runId)} could not be told to ${verb}, and #${still.seq} waits`,
        );
    },
    applied(runId) {
      if (appliedOnce.has(runId)) violate('a plan is applied once', `run ${short(runId)} was applied twice`);
      appliedOnce.add(runId);
    },
  };
}

const isOpen = ({ status }: WatchedRow) =>
  ['pending', 'claimed', 'sending', 'failed_transient', 'reconciling'].includes(status);
/** A bounce, or a complaint, is somebody's word; an address that was not to be mailed before is none. */
const isBad = ({ status, sent_at, evidence }: WatchedRow) =>
  (status === 'suppressed' && evidence > 1_000_000) ||
  status === 'failed_permanent' ||
  (sent_at !== null && status === 'failed_transient');
