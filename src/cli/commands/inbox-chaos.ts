import type { Command } from 'commander';
import type { Engine } from '../../engine.ts';
import type { SwitchNow } from '../../inbox/switches.ts';
import { iso } from '../../outbox/delivery-json.ts';
import type { ChaosSwitch } from '../../providers/chaos.ts';
import type { Config } from '../../settings.ts';
import { duration } from '../../std/duration.ts';
import { nearest } from '../../std/nearest.ts';
import { Refusal } from '../../std/refusal.ts';
import { wholeNumber } from '../arguments.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { operatorName } from '../operator.ts';
import { printable } from '../printable.ts';
import { type Column, printTable } from '../table.ts';

/** As `inbox/switches.ts` has them; not imported, so that help stays quick. */
const minutesMax = 24 * 60;
const minutesByDefault = 10;

interface ChaosOptions {
  minutes: number;
  json?: true;
}

export function addInboxChaos(inbox: Command, context: Context): void {
  const { terminal } = context;
  inbox
    .command('chaos')
    .argument('[switch]', 'which; without it, all are listed')
    .argument('[on|off]', 'on for a time, or off')
    .description('Let it refuse, time out, bounce and more on purpose, and watch the engine cope')
    .option('--minutes <count>', 'for how long; it ends by itself', wholeNumber(minutesMax), minutesByDefault)
    .option(...jsonOption)
    .addHelpText(
      'after',
      example('inbox chaos', 'inbox chaos bounce on --minutes 5', 'inbox chaos bounce off'),
    )
    .action(async (name: string | undefined, state: string | undefined, options: ChaosOptions) => {
      const { chaosSwitches, chaosNames } = await import('../../providers/chaos.ts');
      if (name !== undefined) requireKnown(name, chaosNames);
      if (state !== undefined && state !== 'on' && state !== 'off')
        throw new Refusal('unknown_command', `Say on or off: npx tidings inbox chaos ${name} on`);
      const show = async ({ switches, clock }: Engine) => {
        const all = (await switches.list()).filter((one) => name === undefined || one.name === name);
        if (options.json)
          return terminal.json({
            isAllowed: switches.isAllowed,
            switches: all.map(({ name, onUntil, by }) => ({ name, onUntil: iso(onUntil), by })),
          });
        const columns: Column<SwitchNow>[] = [
          { title: 'SWITCH', cell: ({ name }) => name },
          { title: 'STATE', cell: ({ onUntil }) => stateOf(onUntil, clock.now()) },
          { title: 'BY', cell: ({ by }) => printable(by ?? '') },
          { title: 'WHAT IT DOES', cell: ({ name }) => chaosSwitches[name], canShrink: true },
        ];
        printTable(terminal, all, columns);
      };
      if (name === undefined || state === undefined) return withEngine(context, show);
      await withChange(context, async (engine, config) => {
        requireTrial(engine, config);
        const { switches } = engine;
        const order = { forMs: options.minutes * 60_000, by: operatorName() };
        if (state === 'on') await switches.turnOn(name as ChaosSwitch, order);
        else await switches.turnOff(name as ChaosSwitch);
        await show(engine);
      });
    });
}

const stateOf = (onUntil: number | null, now: number) =>
  onUntil === null ? 'off' : `on for ${duration(onUntil - now)}`;

function requireKnown(name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const meant = nearest(name, names);
  throw new Refusal(
    'unknown_switch',
    `There is no switch ${JSON.stringify(name)}.${meant ? ` Did you mean ${meant}?` : ''} There are ${names.join(', ')}.`,
  );
}

function requireTrial({ switches }: Engine, { provider }: Config): void {
  if (provider !== 'capture')
    throw new Refusal(
      'inbox_not_here',
      `MAIL_PROVIDER is ${provider}: only the built-in inbox does something wrong on purpose.`,
    );
  if (!switches.isAllowed)
    throw new Refusal(
      'chaos_not_here',
      'TIDINGS_ENV is production, and there the inbox does nothing wrong on purpose. Try it in another deployment.',
    );
}
