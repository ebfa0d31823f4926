import type { PlantedBug } from './planted-bug.ts';

const where = 'among citizens';
const runs = 'sources/newsletters/runs';

/** Who is on the list of a run, and what a change of mind does to it. */
export const newsletterRunBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'a-second-click-is-a-second-run', rule: 'one run a period', where },
    because: 'who presses the button twice starts two runs',
    edits: [
      {
        file: `${runs}/runs.ts`,
        find: 'dedupeKey: force ? null : dedupeKeyOf(order.type, order.period.key),',
        replace: 'dedupeKey: null,',
      },
    ],
  },
  {
    ...{ name: 'a-second-click-is-told-that-it-began', rule: 'one run a period', where },
    because: 'the answer says that a run has begun, and there is none',
    edits: [
      {
        file: `${runs}/runs.ts`,
        find: 'collectJobEnqueued: false, ...existing };',
        replace: 'collectJobEnqueued: true, ...existing };',
      },
    ],
  },
  {
    ...{ name: 'a-new-run-takes-up-what-was-given-up', rule: 'one period, once', where },
    because: 'a forced run mails who was told, or was tried, before',
    edits: [
      {
        file: `${runs}/candidates.ts`,
        find: "deliveries.status <> 'skipped_ineligible'\n",
        replace: "deliveries.status NOT IN ('skipped_ineligible', 'failed_permanent', 'suppressed')\n",
      },
    ],
  },
  {
    ...{ name: 'who-has-left-everything-is-listed', rule: 'lists', where },
    because: 'a run is for people who want no newsletters at all',
    edits: [
      {
        file: `${runs}/candidates.ts`,
        find: "WHEN opt_outs.user_id IS NOT NULL THEN 'globally_off'\n        WHEN notifications.is_active = 0 THEN notifications.inactive_because",
        replace: "WHEN opt_outs.user_id IS NOT NULL AND notifications.is_active = 1 THEN 'globally_off'",
      },
    ],
  },
  {
    ...{ name: 'a-dataset-is-told-by-the-month', rule: 'periods of datasets', where },
    because: 'what is counted once a year is told twelve times',
    edits: [
      {
        file: `${runs}/starting.ts`,
        find: 'periodOfDataset(frequency, period).key',
        replace: 'period.key',
      },
    ],
  },
  {
    ...{ name: 'who-left-since-the-plan-is-collected', rule: 'lists', where },
    because: 'who says no between the list and its page gets a delivery',
    edits: [
      {
        file: `${runs}/collect.ts`,
        find: 'wishes.get(notification_id)?.reason === null',
        replace: 'wishes.has(notification_id)',
      },
    ],
  },
  {
    ...{ name: 'deliveries-are-not-held', rule: 'composed first', where },
    because: 'a delivery may leave before its words are written',
    edits: [
      {
        file: `${runs}/collect.ts`,
        find: '    dueAt: heldAt,\n    traceId',
        // Not of the first few: else no run would get further than to its list.
        replace: '    ...(item.place < 4 && { dueAt: heldAt }),\n    traceId',
      },
    ],
  },
  {
    ...{ name: 'lines-are-written-after-the-commit', rule: 'a page is one transaction', where },
    because: 'a death between the two leaves out people whose mail is on its way',
    edits: [
      {
        file: `${runs}/compose.ts`,
        find: '    await writeItems(tx, db.dialect, runId, changes);\n    return true;\n  });',
        replace:
          '    later = changes;\n    return true;\n  });\n  if (isDone) await db.transaction((tx) => writeItems(tx, db.dialect, runId, later));',
      },
      {
        file: `${runs}/compose.ts`,
        find: 'const isDone = await db.transaction(async (tx) => {',
        replace: 'let later: ItemChange[] = [];\n  const isDone = await db.transaction(async (tx) => {',
      },
    ],
  },
  {
    ...{ name: 'a-page-is-kept-whatever-its-run', rule: 'runs are locked', where },
    because: 'what was being composed when its run was paused or ended is let go',
    edits: [
      {
        file: `${runs}/compose.ts`,
        find: "if (!(await lockRun(tx, db.dialect, runId, ['running']))) return false;",
        replace:
          "if (!(await lockRun(tx, db.dialect, runId, ['running', 'paused', 'cancelled']))) return false;",
      },
    ],
  },
  {
    ...{ name: 'a-pause-stops-only-composing', rule: 'pauses of runs', where },
    because: 'what is composed already leaves from a run that is paused',
    edits: [
      {
        file: `${runs}/pass.ts`,
        find: "return isHeld || due_at > now ? [] : [{ seq, event: 'deferred', dueAt: heldAt, actor, detail }];",
        replace: 'return [];',
      },
    ],
  },
  {
    ...{ name: 'the-place-of-a-pass-runs-ahead', rule: 'a page is one transaction', where },
    because: 'every other page of a run that is paused, resumed or ended is passed over',
    edits: [
      {
        file: `${runs}/pass.ts`,
        find: '{ pass_after: isMore ? run.pass_after + pageMax : null }',
        replace: '{ pass_after: isMore ? run.pass_after + 2 * pageMax : null }',
      },
    ],
  },
  {
    ...{ name: 'resumed-before-it-is-composed', rule: 'composed first', where },
    because: 'a run that goes on lets go what nobody has written',
    edits: [
      {
        file: `${runs}/pass.ts`,
        find: "return isHeld && item.state === 'composed' ?",
        replace: 'return isHeld ?',
      },
    ],
  },
  {
    ...{ name: 'what-is-cancelled-waits-on', rule: 'ends of runs', where },
    because: 'a run that was ended still has mails that wait',
    edits: [
      {
        file: `${runs}/pass.ts`,
        find: "if (run.status === 'cancelled') {\n    const error",
        replace: "if (run.status === 'cancelled' && due_at >= heldFrom) {\n    const error",
      },
    ],
  },
  {
    ...{ name: 'a-canary-does-not-mind-bounces', rule: 'canaries', where },
    because: 'everybody is mailed although the first mails bounced',
    edits: [
      {
        file: `${runs}/canary.ts`,
        find: 'if (bad > bouncesMax) {',
        replace: 'if (bad > bouncesMax + 9) {',
      },
    ],
  },
  {
    ...{ name: 'a-canary-does-not-hold-the-others', rule: 'canaries', where },
    because: 'the others are collected before the first have arrived',
    edits: [
      {
        file: `${runs}/collect.ts`,
        find: 'const room = isCanary(run) ? ',
        replace: 'const room = isCanary(run) && run.canary_wait_ms === null ? ',
      },
    ],
  },
  {
    ...{ name: 'a-canary-does-not-listen', rule: 'canaries', where },
    because: 'bounces come a moment after the mail was accepted, when the others have left',
    edits: [
      {
        file: `${runs}/canary.ts`,
        find: 'const leftMs = lastAcceptedAt === null ? 0 : lastAcceptedAt + limits.waitMs - now;',
        replace: 'const leftMs = Math.min(0, (lastAcceptedAt ?? 0) - now);',
      },
    ],
  },
  {
    ...{ name: 'a-plan-does-not-expire', rule: 'plans', where },
    because: 'a list of long ago is told',
    edits: [
      {
        file: `${runs}/starting.ts`,
        find: 'if (!run || (run.plan_expires_at ?? 0) <= clock.now()) return false;',
        replace: 'if (!run) return false;',
      },
      {
        file: `${runs}/run-work.ts`,
        find: 'if (leftMs > 0) return leftMs;',
        replace: 'if (leftMs > -3_600_000) return 3_600_000 + leftMs;',
      },
    ],
  },
  {
    ...{ name: 'a-plan-is-applied-again', rule: 'plans', where },
    because: 'two who apply one plan are both told that it was them',
    edits: [
      {
        file: `${runs}/starting.ts`,
        find: "const run = await lockRun(tx, db.dialect, runId, ['planned']);",
        replace:
          "const run = await lockRun(tx, db.dialect, runId, ['planned', 'running', 'paused', 'halted']);",
      },
    ],
  },
];
