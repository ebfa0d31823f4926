import type { Command } from 'commander';
import type { DeliveryRow } from '../../db/schema.ts';
import { meanings } from '../../domain/meanings.ts';
import { momentOf } from '../../domain/sentences.ts';
import { doubtOf, whenOf } from '../../domain/verdict.ts';
import { deliveryJson, nextOf } from '../../outbox/delivery-json.ts';
import type { HeldBy, OutboxQueries } from '../../outbox/queries.ts';
import { stateOf } from '../../outbox/rows.ts';
import { duration } from '../../std/duration.ts';
import { belowOption, limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { counted } from '../counted.ts';
import { tellPause } from '../pause-words.ts';
import { printable } from '../printable.ts';
import { stamp } from '../story.ts';
import { type Column, printTable } from '../table.ts';

interface ListOptions {
  limit: number;
  below?: number;
  json?: true;
}

const limitMax = 200;
const limitByDefault = 20;

export function addReconcileList(reconcile: Command, context: Context): void {
  const { terminal } = context;
  reconcile
    .command('list')
    .description('List what is in doubt, newest first: since when, what is known, and what happens next')
    .option(...limitOption(limitMax, limitByDefault))
    .option(...belowOption)
    .option(...jsonOption)
    .addHelpText('after', example('reconcile list', 'reconcile list --json --limit 200'))
    .action(async ({ limit, below, json }: ListOptions) => {
      await withEngine(context, async ({ queries, clock, pauses }) => {
        // One more than asked for says whether there is a next page.
        const found = await queries.search({
          ...{ status: ['reconciling', 'needs_review'], limit: limit + 1 },
          ...(below !== undefined && { below }),
        });
        const rows = found.slice(0, limit);
        const next = found.length > rows.length ? (rows.at(-1)?.seq ?? null) : null;
        const doubts: Doubt[] = [];
        for (const row of rows) doubts.push(await doubtOfRow(row, queries));
        const now = clock.now();
        if (json) {
          const deliveries = doubts.map(({ row, known }) => ({
            ...deliveryJson(row),
            ...{ known, next: nextOf(row, now) },
          }));
          return terminal.json({ deliveries, next: next && { below: next } });
        }
        // A worker that was killed holds them until their time is over, and nobody else may look into them before.
        const held = below === undefined ? await queries.held(['claimed', 'sending']) : [];
        if (rows.length === 0) return terminal.print(nothing(below), ...inHand(held, now));
        printTable(terminal, doubts, columnsOf(now));
        if (next !== null) {
          const words = limit === limitByDefault ? '' : ` --limit ${limit}`;
          terminal.print(`More: npx tidings reconcile list${words} --below ${next}`);
        }
        terminal.print(...inHand(held, now), ...(await pauses.list()).map((pause) => tellPause(pause, now)));
        if (rows.some(({ status }) => status === 'needs_review')) {
          terminal.print(
            'A person decides what is in needs_review; what is known in full, and how: npx tidings deliveries explain <number>',
          );
        }
      });
    });
}

interface Doubt {
  row: DeliveryRow;
  known: string;
  /** Null where nobody knows. */
  since: number | null;
}

async function doubtOfRow(row: DeliveryRow, queries: OutboxQueries): Promise<Doubt> {
  const { events } = await queries.story(row.seq);
  // What was said to be sent may have left long ago, but was not in doubt before somebody doubted it.
  const doubted = events.findLast(({ event }) => event === 'doubted');
  return {
    row,
    known: doubtOf({ moments: events.map(momentOf), state: stateOf(row) }),
    since: doubted?.at ?? row.first_possible_accept_at,
  };
}

function inHand(held: readonly HeldBy[], now: number): string[] {
  if (held.length === 0) return [];
  const count = held.reduce((sum, one) => sum + one.count, 0);
  const until = Math.max(...held.map((one) => one.until));
  const subject = counted(count, 'delivery is', 'deliveries are');
  return [
    until > now
      ? `${subject} in a worker's hands, until ${stamp(until)} at the latest. If it has died, a running server takes them back then.`
      : `${subject} in the hands of a worker whose time was up at ${stamp(until)}. A running server takes them back: npm start`,
  ];
}

const nothing = (below: number | undefined) =>
  below === undefined
    ? 'Nothing is in doubt: of every mail it is known whether it was sent, or a worker is handing it over at this moment.'
    : 'Nothing more is in doubt.';

function columnsOf(now: number): Column<Doubt>[] {
  return [
    { title: 'TO', cell: ({ row }) => printable(row.to_email ?? row.recipient), canShrink: true },
    {
      title: 'OCCASION',
      cell: ({ row }) => printable(`${row.source}: ${row.occasion}`),
      canShrink: true,
    },
    {
      title: 'STATUS',
      cell: ({ row }) => row.status,
      meaning: ({ row }) => meanings[row.status],
    },
    { title: 'IN DOUBT FOR', cell: ({ since }) => duration(now - (since ?? now)) },
    { title: 'WHAT IS KNOWN', cell: ({ known }) => printable(known), canShrink: true },
    { title: 'NEXT', cell: ({ row }) => nextBrief(row, now) },
    { title: 'NUMBER', cell: ({ row }) => String(row.seq), isNumber: true },
  ];
}

function nextBrief(row: DeliveryRow, now: number): string {
  if (row.status === 'needs_review') return 'a person decides';
  return row.locked_by === null ? `a look ${whenOf(stateOf(row), now)}` : 'being looked into';
}
