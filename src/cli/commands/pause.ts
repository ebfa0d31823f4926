import type { Command } from 'commander';
import type { Pause } from '../../dispatch/pauses.ts';
import type { Engine } from '../../engine.ts';
import { iso } from '../../outbox/delivery-json.ts';
import { nearest } from '../../std/nearest.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { operatorName, requireReason } from '../operator.ts';
import { capital, resumeCommand, scopeName, tellPause } from '../pause-words.ts';
import { printable } from '../printable.ts';

/** As `dispatch/pauses.ts` has it; not imported, so that help stays quick. */
const everything = '*';

export function addPause(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('pause')
    .argument('[source]', 'only this source; without it, everything')
    .description(
      'Let no more mail leave, until it is resumed; what waits is kept, and what is on the wire finishes',
    )
    .option('--because, --reason <text>', 'why (required); everybody who asks is told')
    .option(...jsonOption)
    .addHelpText(
      'after',
      example('pause --reason "wrong text in the newsletter"', 'pause plain --reason "until Monday"'),
    )
    .action(async (source: string | undefined, options: { reason?: string; json?: true }) => {
      const reason = requireReason(options.reason, 'everybody who asks why mail waits is told');
      await withChange(context, async (engine) => {
        const { pauses, clock } = engine;
        const scope = source === undefined ? everything : requireSource(engine, source, []);
        const isNew = await pauses.pause(scope, { reason, operator: operatorName() });
        const pause = (await pauses.list()).find((each) => each.scope === scope);
        const waiting = await countWaiting(engine, scope);
        if (options.json) return terminal.json({ scope, isNew, pause: pause && pauseJson(pause), waiting });
        if (!isNew && pause)
          return terminal.print(`Already so. ${tellPause(pause, clock.now())}`, waits(waiting));
        terminal.print(
          `${capital(scopeName(scope))} is paused: within seconds nothing new leaves, and nothing is lost.`,
          waits(waiting),
          `Go on with: ${resumeCommand(scope)}`,
        );
      });
    });
}

export function addResume(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('resume')
    .argument('[source]', 'only this source; without it, what was paused as everything')
    .description('Let mail leave again that was paused')
    .option('--because, --reason <text>', 'why; it is kept in the audit log')
    .option(...jsonOption)
    .addHelpText('after', example('resume', 'resume plain'))
    .action(async (source: string | undefined, { json }: { json?: true }) => {
      await withChange(context, async (engine) => {
        const { pauses, clock } = engine;
        const before = await pauses.list();
        const scope =
          source === undefined
            ? everything
            : requireSource(
                engine,
                source,
                before.map((each) => each.scope),
              );
        const isResumed = await pauses.resume(scope);
        const still = await pauses.list();
        const waiting = await countWaiting(engine, scope);
        if (json) return terminal.json({ scope, isResumed, waiting, stillPaused: still.map(pauseJson) });
        const held = still.filter((each) => each.scope === everything || scope === everything);
        terminal.print(
          isResumed ? isResumedNow(scope) : wasNotPaused(scope),
          waits(waiting),
          ...held.map((pause) => `Still: ${tellPause(pause, clock.now())}`),
        );
      });
    });
}

const isResumedNow = (scope: string) =>
  scope === everything ? 'Sending goes on.' : `${capital(scopeName(scope))} is not paused any more.`;

const wasNotPaused = (scope: string) =>
  scope === everything ? 'There was no pause of everything.' : `${capital(scopeName(scope))} was not paused.`;

function requireSource({ sources }: Engine, text: string, paused: readonly string[]): string {
  const names = sources.map(({ name }) => name);
  // A source that this version does not have any more may still be paused, and must be resumable.
  if (names.includes(text) || paused.includes(text)) return text;
  const meant = nearest(text, names);
  throw new Refusal(
    'unknown_source',
    `There is no source ${JSON.stringify(text)}.${meant ? ` Did you mean ${meant}?` : ''} The sources are ${names.join(', ')}; without a name it is everything.`,
  );
}

async function countWaiting({ queries }: Engine, scope: string): Promise<number> {
  const counts = await queries.counts();
  return counts
    .filter(({ source }) => scope === everything || source === scope)
    .filter(({ status }) => status === 'pending' || status === 'failed_transient')
    .reduce((sum, { count }) => sum + count, 0);
}

function waits(count: number): string {
  if (count === 0) return 'Nothing waits to be sent at present.';
  return printable(`${count} ${count === 1 ? 'delivery waits' : 'deliveries wait'} to be sent.`);
}

function pauseJson({ scope, reason, by, at }: Pause) {
  return { scope, reason, by, at: iso(at) };
}
