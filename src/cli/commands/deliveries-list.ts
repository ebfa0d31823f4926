import type { Command } from 'commander';
import type { DeliveryRow } from '../../db/schema.ts';
import { requireAddress } from '../../domain/address.ts';
import { meanings } from '../../domain/meanings.ts';
import { deliveryJson } from '../../outbox/delivery-json.ts';
import type { DeliveryFilter } from '../../outbox/queries.ts';
import { recipientsAt } from '../../sources/recipients-at.ts';
import { ago } from '../../std/duration.ts';
import { belowOption, limitOption, requireStatus, severalTimes } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { tellPause } from '../pause-words.ts';
import { printable, shellWord } from '../printable.ts';
import { withoutCredentials } from '../redact.ts';
import { type Column, printTable } from '../table.ts';

interface ListOptions {
  status?: string[];
  source?: string;
  to?: string;
  limit: number;
  below?: number;
  json?: true;
}

const limitMax = 500;

export function addList(deliveries: Command, context: Context): void {
  const { terminal } = context;
  deliveries
    .command('list')
    .description('List deliveries, newest first')
    .option('--status <status>', 'only these; may be given several times', severalTimes)
    .option('--source <name>', 'only of this source')
    .option('--to <address>', 'only to this address')
    .option(...limitOption(limitMax, 20))
    .option(...belowOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      example('deliveries list', 'deliveries list --status needs_review --status failed_permanent'),
    )
    .action(async (options: ListOptions) => {
      const filter = filterOf(options);
      await withEngine(context, async ({ queries, clock, pauses, sources }, config) => {
        const alsoTo =
          options.to === undefined ? [] : await recipientsAt(sources, requireAddress(options.to));
        // One more than asked for says whether there is a next page.
        const found = await queries.search({ ...filter, alsoTo, limit: options.limit + 1 });
        const rows = found.slice(0, options.limit);
        const below = found.length > rows.length ? (rows.at(-1)?.seq ?? null) : null;
        if (options.json)
          return terminal.json({ deliveries: rows.map(deliveryJson), next: below && { below } });
        if (rows.length === 0)
          return terminal.print(...nothing(options, withoutCredentials(config.databaseUrl)));
        printTable(terminal, rows, columnsOf(clock.now()));
        if (below !== null) terminal.print(`More: ${nextPage(options, below)}`);
        terminal.print(...(await pauses.list()).map((pause) => tellPause(pause, clock.now())));
      });
    });
}

function filterOf({ status, source, to, below }: ListOptions): Omit<DeliveryFilter, 'limit'> {
  return {
    ...(status && { status: status.map(requireStatus) }),
    ...(source !== undefined && { source }),
    ...(to !== undefined && { address: requireAddress(to) }),
    ...(below !== undefined && { below }),
  };
}

function columnsOf(now: number): Column<DeliveryRow>[] {
  return [
    { title: 'TO', cell: (row) => printable(row.to_email ?? row.recipient), canShrink: true },
    { title: 'OCCASION', cell: (row) => printable(`${row.source}: ${row.occasion}`), canShrink: true },
    {
      title: 'STATUS',
      cell: ({ status }) => status,
      meaning: ({ status }) => meanings[status],
    },
    { title: 'ATTEMPTS', cell: ({ attempts }) => String(attempts), isNumber: true },
    { title: 'AGE', cell: (row) => ago(now - row.created_at) },
    { title: 'NUMBER', cell: ({ seq }) => String(seq), isNumber: true },
  ];
}

function nothing({ status, source, to, below }: ListOptions, database: string): string[] {
  if (status || source !== undefined || to !== undefined || below !== undefined) {
    return [`No delivery in ${database} matches. Leave out a filter to see more.`];
  }
  return [
    `No deliveries yet in ${database}. Each mail that is asked for will be a line here.`,
    'Send the first: npx tidings send --to you@example.org --subject Hello --text "It works."',
  ];
}

function nextPage({ status = [], source, to, limit }: ListOptions, below: number): string {
  const words = [
    ...status.flatMap((each) => ['--status', each]),
    ...(source === undefined ? [] : ['--source', source]),
    ...(to === undefined ? [] : ['--to', to]),
    ...(limit === 20 ? [] : ['--limit', String(limit)]),
    ...['--below', String(below)],
  ];
  return `npx tidings deliveries list ${words.map(shellWord).join(' ')}`;
}
