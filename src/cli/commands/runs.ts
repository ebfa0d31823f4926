import type { Command } from 'commander';
import {
  type RunItemRow,
  type RunItemState,
  type RunRow,
  runItemStates,
} from '../../db/newsletters-schema.ts';
import { runItemJson, runJson } from '../../sources/newsletters/runs/run-json.ts';
import { ago } from '../../std/duration.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { operatorName, requireReason } from '../operator.ts';
import { periodName } from '../period-name.ts';
import { printable } from '../printable.ts';
import { followRun, tellRun } from '../run-words.ts';
import { runItemMeanings, runMeanings, runStanding } from '../state-meanings.ts';
import { type Column, printTable } from '../table.ts';

const verbs = {
  pause: 'Hold a run back: what waits stays where it is, what is on the wire finishes',
  resume: 'Go on with a run that was paused, or that halted itself',
  cancel: 'End a run for good: what was not sent is not sent',
} as const;

export function addRuns(program: Command, context: Context): void {
  const runs = program
    .command('runs')
    .description('Newsletter runs: what is being told, how far it is, and the switch');
  addList(runs, context);
  addShow(runs, context);
  addItems(runs, context);
  for (const verb of ['pause', 'resume', 'cancel'] as const) addChange(runs, verb, context);
}

function addList(runs: Command, context: Context): void {
  const { terminal } = context;
  runs
    .command('list')
    .description('Runs and plans, newest first')
    .option(...jsonOption)
    .action(async ({ json }: { json?: true }) => {
      await withEngine(context, async ({ newsletters, clock }) => {
        const found = await newsletters.runs.list({ limit: 50 });
        if (json) return terminal.json({ runs: found.map((run) => runJson(run)) });
        if (found.length === 0)
          return terminal.print('No run yet. Begin one with: npx tidings plan newsletter_entity_monthly');
        printTable(terminal, found, columnsOf(clock.now()));
      });
    });
}

function columnsOf(now: number): Column<RunRow>[] {
  return [
    { title: 'TYPE', cell: (run) => run.notification_type },
    { title: 'PERIOD', cell: (run) => periodName(run.period_key) },
    { title: 'STATUS', cell: standingOf, meaning: (run) => runMeanings[standingOf(run)] },
    { title: 'LIST', cell: (run) => String(run.eligible_count), isNumber: true },
    { title: 'AGE', cell: (run) => ago(now - run.created_at) },
    { title: 'RUN', cell: (run) => run.run_id },
  ];
}

const standingOf = ({ status, eligible_count }: RunRow) => runStanding(status, eligible_count);

function addShow(runs: Command, context: Context): void {
  const { terminal } = context;
  runs
    .command('show')
    .argument('<run>', 'its id')
    .description('How far a run is, and why some were not told')
    .option('--follow', 'until it is over')
    .option(...jsonOption)
    .addHelpText('after', example('runs show 6b1f0c3e-4f0a-4d57-9d0f-0c2f4e9a1b22 --follow'))
    .action(async (runId: string, { follow, json }: { follow?: true; json?: true }) => {
      const interrupted = untilInterrupted();
      try {
        await withEngine(context, async (engine) => {
          const found = engine.newsletters.runs;
          const { run, progress } = follow
            ? await followRun(engine, runId, terminal, interrupted.signal)
            : { run: await found.get(runId), progress: await found.progress(runId) };
          if (json) return terminal.json(runJson(run, progress));
          terminal.print(...tellRun(run, progress, terminal.paint));
        });
      } finally {
        interrupted.forget();
      }
    });
}

function addItems(runs: Command, context: Context): void {
  const { terminal } = context;
  runs
    .command('items')
    .argument('<run>', 'its id')
    .description('Whom a run is for and who not, with the reasons')
    .option('--state <state>', `one of ${runItemStates.join(', ')}`)
    .option('--after <notification>', 'the next page: the last one of this')
    .option(...jsonOption)
    .action(
      async (runId: string, { state, after = '', json }: { state?: string; after?: string; json?: true }) => {
        await withEngine(context, async ({ newsletters }) => {
          const page = { after, limit: itemsMax, ...(state !== undefined && { state: stateOf(state) }) };
          const items = await newsletters.runs.items(runId, page);
          const last = items.length === itemsMax ? items.at(-1)?.notification_id : undefined;
          if (json)
            return terminal.json({
              items: items.map(runItemJson),
              next: last === undefined ? null : { after: last },
            });
          if (items.length === 0) return terminal.print('Nobody is on this list.');
          printTable(terminal, items, itemColumns);
          if (last !== undefined) {
            const same = state === undefined ? '' : ` --state ${state}`;
            terminal.print('', `The next ones: npx tidings runs items ${runId}${same} --after ${last}`);
          }
        });
      },
    );
}

const itemsMax = 200;

const itemColumns: Column<RunItemRow>[] = [
  { title: 'USER', cell: (item) => printable(item.user_id), canShrink: true },
  { title: 'STATE', cell: (item) => item.state, meaning: (item) => runItemMeanings[item.state] },
  { title: 'WHY', cell: (item) => printable(item.reason ?? ''), canShrink: true },
  { title: 'DELIVERY', cell: (item) => String(item.delivery_seq ?? ''), isNumber: true },
  { title: 'NOTIFICATION', cell: (item) => item.notification_id },
];

function stateOf(text: string): RunItemState {
  const state = runItemStates.find((one) => one === text);
  if (state) return state;
  throw new Refusal(
    'unknown_state',
    `There is no state ${JSON.stringify(text)}. The states are ${runItemStates.join(', ')}.`,
  );
}

function addChange(runs: Command, verb: keyof typeof verbs, context: Context): void {
  const { terminal } = context;
  runs
    .command(verb)
    .argument('<run>', 'its id')
    .description(verbs[verb])
    .option('--because, --reason <text>', 'why (required); everybody who asks is told')
    .option(...jsonOption)
    .action(async (runId: string, { reason, json }: { reason?: string; json?: true }) => {
      const because = requireReason(reason, 'everybody who looks at the run is told');
      await withChange(context, async ({ newsletters }) => {
        const run = await newsletters.runs[verb](runId, { because, by: operatorName() });
        const progress = await newsletters.runs.progress(runId);
        if (json) return terminal.json(runJson(run, progress));
        terminal.print(...tellRun(run, progress, terminal.paint));
      });
    });
}
