import type { Command } from 'commander';
import type { ListOrder } from '../../consent/suppression-list.ts';
import type { SuppressionRow } from '../../db/schema.ts';
import { addressKey, requireAddress } from '../../domain/address.ts';
import { exceptions, type SuppressionReason, suppressionReasonNames } from '../../domain/suppression.ts';
import { ago } from '../../std/duration.ts';
import { nearest } from '../../std/nearest.ts';
import { Refusal } from '../../std/refusal.ts';
import { belowOption, limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable, shellWord } from '../printable.ts';
import { type Column, printTable } from '../table.ts';
import { tellLeft } from '../unsubscribed-words.ts';

interface ListOptions {
  address?: string;
  scope?: string;
  reason?: string;
  withLifted?: true;
  limit: number;
  below?: number;
  json?: true;
}

const limitMax = 500;
const limitByDefault = 20;

export function addList(suppressions: Command, context: Context): void {
  const { terminal } = context;
  suppressions
    .command('list')
    .description('List the addresses that must not be mailed, newest first')
    .option('--address <address>', 'only this one')
    .option('--scope <source>', "only those of this source; '*' for those of everything")
    .option('--reason <reason>', `only those with this reason: ${suppressionReasonNames.join(', ')}`)
    .option('--with-lifted', 'those that were taken off, too')
    .option(...limitOption(limitMax, limitByDefault))
    .option(...belowOption)
    .option(...jsonOption)
    .addHelpText('after', example('suppressions list', 'suppressions list --reason complained'))
    .action(async (options: ListOptions) => {
      const order = orderOf(options);
      const { suppressionJson } = await import('../../consent/suppression-export.ts');
      await withEngine(context, async ({ consent, clock }) => {
        // One more than asked for says whether there is a next page.
        const found = await consent.suppressions.list({ ...order, limit: options.limit + 1 });
        const rows = found.slice(0, options.limit);
        const below = found.length > rows.length ? (rows.at(-1)?.suppression_seq ?? null) : null;
        const left = order.address ? await consent.unsubscribe.leftBy(addressKey(order.address)) : [];
        if (options.json) {
          const unsubscribed = left.map(({ source, at }) => ({ source, at: new Date(at).toISOString() }));
          return terminal.json({
            suppressions: rows.map(suppressionJson),
            next: below && { below },
            ...(order.address && { unsubscribed }),
          });
        }
        const sayLeft = () =>
          terminal.print(...left.map((one) => tellLeft(one, order.address ?? '', clock.now())));
        if (rows.length === 0) {
          terminal.print(...nothing(options));
          return sayLeft();
        }
        const columns = columnsOf(clock.now(), options.withLifted === true);
        printTable(terminal, rows, columns);
        if (below !== null) terminal.print(`More: ${nextPage(options, below)}`);
        sayLeft();
      });
    });
}

function orderOf({ address, scope, reason, withLifted, below }: ListOptions): Omit<ListOrder, 'limit'> {
  return {
    ...(address !== undefined && { address: requireAddress(address) }),
    ...(scope !== undefined && { scope }),
    ...(reason !== undefined && { reason: requireSuppressionReason(reason) }),
    ...(withLifted && { withLifted }),
    ...(below !== undefined && { below }),
  };
}

function requireSuppressionReason(text: string): SuppressionReason {
  const known = suppressionReasonNames.find((reason) => reason === text);
  if (known) return known;
  const meant = nearest(text, suppressionReasonNames);
  throw new Refusal(
    'unknown_reason',
    `There is no reason ${JSON.stringify(text)}.${meant ? ` Did you mean ${meant}?` : ''} The reasons are ${suppressionReasonNames.join(', ')}.`,
  );
}

function columnsOf(now: number, withLifted: boolean): Column<SuppressionRow>[] {
  return [
    { title: 'ADDRESS', cell: (row) => printable(row.address_key), canShrink: true },
    { title: 'SCOPE', cell: scopeCell },
    {
      title: 'REASON',
      cell: ({ reason }) => reason,
      meaning: (row) => (row.lifted_at === null ? 'stopped on purpose' : undefined),
    },
    { title: 'NOTE', cell: ({ note }) => printable(note ?? ''), canShrink: true },
    { title: 'BY', cell: (row) => printable(row.created_by), canShrink: true },
    { title: 'AGE', cell: (row) => ago(now - row.created_at) },
    ...(withLifted ? [{ title: 'LIFTED', cell: (row: SuppressionRow) => liftedCell(row, now) }] : []),
    { title: 'NUMBER', cell: (row) => String(row.suppression_seq), isNumber: true },
  ];
}

function scopeCell({ scope, except_for }: SuppressionRow): string {
  const wanted = exceptions(except_for);
  return printable(wanted.length === 0 ? scope : `${scope} but ${wanted.join(', ')}`);
}

const liftedCell = ({ lifted_at: at }: SuppressionRow, now: number) => (at === null ? '' : ago(now - at));

function nothing({ address, scope, reason, withLifted, below }: ListOptions): string[] {
  if (below !== undefined) return ['No more lines.'];
  if (address !== undefined && scope === undefined && reason === undefined) {
    return [withLifted ? 'It has never been on the list.' : 'It is not on the list.'];
  }
  if (scope !== undefined || reason !== undefined)
    return ['No line of the list matches. Leave out a filter to see more.'];
  return [
    'No address is suppressed. Those that bounce for good, complain or stop all mails come onto the list by themselves.',
    'Put one on it: npx tidings suppressions add ana@example.org --because "she asked on the phone"',
    'Bring a list from elsewhere: npx tidings suppressions import list.csv --dry-run',
  ];
}

function nextPage({ address, scope, reason, withLifted, limit }: ListOptions, below: number): string {
  const words = [
    ...(address === undefined ? [] : ['--address', address]),
    ...(scope === undefined ? [] : ['--scope', scope]),
    ...(reason === undefined ? [] : ['--reason', reason]),
    ...(withLifted ? ['--with-lifted'] : []),
    ...(limit === limitByDefault ? [] : ['--limit', String(limit)]),
    ...['--below', String(below)],
  ];
  return `npx tidings suppressions list ${words.map(shellWord).join(' ')}`;
}
