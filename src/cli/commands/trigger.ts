import type { Command } from 'commander';
import type { Engine } from '../../engine.ts';
import { runJson } from '../../sources/newsletters/runs/run-json.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { operatorName } from '../operator.ts';
import { periodName } from '../period-name.ts';
import { printable } from '../printable.ts';
import { canaryOf, type RunOptions, requestOf, withCanary, withRunOptions } from '../run-options.ts';
import { followRun, tellRun } from '../run-words.ts';

interface Options extends RunOptions {
  dryRun?: true;
  follow?: true;
  json?: true;
}

export function addTrigger(program: Command, context: Context): void {
  const { terminal } = context;
  withRunOptions(
    program
      .command('trigger')
      .argument('<type>', 'such as newsletter_entity_monthly')
      .description(
        'Tell everybody who asked for a type of notification of one period; a running server does it',
      ),
  )
    .option('--dry-run', 'count them, and do nothing')
    .option('--follow', 'show how far it is, until it is over')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example(
        'trigger newsletter_entity_monthly --dry-run',
        'trigger newsletter_entity_yearly --period 2025 --canary 50 --follow',
      ),
    )
    .action(async (type: string, options: Options) => {
      const request = { ...requestOf(type, options), ...(options.dryRun && { dryRun: true }) };
      const canary = canaryOf(options);
      const interrupted = untilInterrupted();
      try {
        const work = async (engine: Engine) => {
          const { runs } = engine.newsletters;
          terminal.progress('Looking for those who are to be told …');
          const answer = await runs.trigger(request, { by: operatorName(), canary });
          if (options.json) return terminal.json(answer);
          const { eligibleCount, collectJobEnqueued, periodKey, runId } = answer;
          const people = `${eligibleCount} ${eligibleCount === 1 ? 'person is' : 'people are'} to be told of ${periodName(periodKey)}`;
          if (answer.dryRun) return terminal.print(`${people}. Nothing was done.`);
          if (!collectJobEnqueued) {
            return terminal.print(
              `There is a run for ${periodName(periodKey)} already: npx tidings runs show ${answer.existingRunId ?? '<run>'}. ${eligibleCount} of those who asked have no delivery yet: they are on its list, or came later. To look again: --force; nobody is told twice.`,
            );
          }
          terminal.print(`${people}. Run ${runId} has begun.`);
          if (!options.follow) return terminal.print(`See how far it is: npx tidings runs show ${runId}`);
          const { run, progress } = await followRun(engine, runId, terminal, interrupted.signal);
          terminal.print(...tellRun(run, progress, terminal.paint));
        };
        await withChange(context, work, { isDryRun: options.dryRun === true });
      } finally {
        interrupted.forget();
      }
    });
}

export function addPlan(program: Command, context: Context): void {
  const { terminal } = context;
  withRunOptions(
    program
      .command('plan')
      .argument('<type>', 'such as newsletter_entity_monthly')
      .description(
        'Show who would be told and who not, and what they would read; keep it to be applied within a day',
      ),
  )
    .option(...jsonOption)
    .addHelpText('after', example('plan newsletter_entity_monthly'))
    .action(async (type: string, options: Options) => {
      const request = requestOf(type, options);
      const canary = canaryOf(options);
      await withChange(context, async ({ newsletters: { runs } }) => {
        terminal.progress('Looking for those who would be told …');
        const run = await runs.plan(request, { by: operatorName(), canary });
        const progress = await runs.progress(run.run_id);
        if (options.json) return terminal.json(runJson(run, progress));
        const { reasons } = progress;
        terminal.print(`${run.eligible_count} on the list for ${periodName(run.period_key)}.`);
        for (const [reason, count] of Object.entries(reasons))
          terminal.print(`  ${count} not on it: ${printable(reason)}`);
        terminal.print(...sampleLines(run.sample));
        if (run.eligible_count === 0)
          return terminal.print('', 'There is nobody to be told, and nothing to apply.');
        terminal.print(
          '',
          'Figures, conditions and addresses are looked at when each mail is composed and sent; who has none is left out, with the reason.',
        );
        terminal.print('', `Send exactly this within a day: npx tidings apply ${run.run_id}`);
      });
    });
}

function sampleLines(json: string | null): string[] {
  if (json === null) return [];
  const {
    subject = '',
    text = '',
    problem,
  } = JSON.parse(json) as {
    subject?: string;
    text?: string;
    problem?: { message?: string };
  };
  if (problem) return ['', `No sample: ${printable(problem.message ?? 'there is nothing to tell')}`];
  return [
    '',
    `The first of them would read: ${printable(subject)}`,
    '',
    ...text.split('\n').map((line) => `  ${printable(line)}`),
  ];
}

export function addApply(program: Command, context: Context): void {
  const { terminal } = context;
  withCanary(
    program
      .command('apply')
      .argument('<plan>', 'the id that `tidings plan` showed')
      .description('Do what was planned, once: exactly those, each looked at again'),
  )
    .option('--follow', 'show how far it is, until it is over')
    .option(...jsonOption)
    .action(async (runId: string, options: Options) => {
      const canary = canaryOf(options);
      const interrupted = untilInterrupted();
      try {
        await withChange(context, async (engine) => {
          const { runs } = engine.newsletters;
          const started = await runs.apply(runId, { by: operatorName(), canary });
          const { run, progress } = options.follow
            ? await followRun(engine, runId, terminal, interrupted.signal)
            : { run: started, progress: await runs.progress(runId) };
          if (options.json) return terminal.json(runJson(run, progress));
          terminal.print(...tellRun(run, progress, terminal.paint));
        });
      } finally {
        interrupted.forget();
      }
    });
}
