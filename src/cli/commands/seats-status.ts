import type { Command } from 'commander';
import { iso } from '../../outbox/delivery-json.ts';
import type { ListStatus } from '../../sources/course-seats/feed/list-status.ts';
import type { SeatsStatus } from '../../sources/course-seats/status.ts';
import { ago, duration } from '../../std/duration.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable } from '../printable.ts';
import { listName, requireSeats } from '../seats-arguments.ts';
import { type Column, printTable } from '../table.ts';

export function addSeatsStatus(seats: Command, context: Context): void {
  const { terminal } = context;
  seats
    .command('status')
    .description('Say how fresh each list is, who watches, and what opened of late')
    .option(...jsonOption)
    .addHelpText('after', example('seats status'))
    .action(async ({ json }: { json?: true }) => {
      await withEngine(context, async (engine) => {
        const { poller, isSample, ...courseSeats } = requireSeats(engine);
        const lists = await poller.status();
        const status = await courseSeats.status();
        if (json) return terminal.json({ isSample, lists: lists.map(listJson), ...status });
        const now = engine.clock.now();
        if (isSample) {
          const moving = courseSeats.moving().map(({ indexNumber }) => indexNumber);
          terminal.print(
            'A sample campus is polled: its courses are made up. For a real one, set SOC_BASE_URL, and DATABASE_URL to a new database.',
            `These open and close every few minutes: ${moving.join(', ')}.`,
          );
        }
        if (lists.length === 0) terminal.print('No list has been polled yet.');
        else printTable(terminal, lists, columnsOf(now));
        terminal.print(...tell(status, now));
      });
    });
}

function columnsOf(now: number): Column<ListStatus>[] {
  return [
    { title: 'LIST', cell: listName },
    {
      title: 'OPEN',
      cell: ({ openCount, goodAt }) => (goodAt === null ? '-' : String(openCount)),
      isNumber: true,
    },
    { title: 'CHECKED', cell: ({ goodAt }) => (goodAt === null ? 'never' : ago(now - goodAt)) },
    {
      title: 'STATE',
      cell: (list) => printable(stateOf(list, now)),
      meaning: ({ isStale }) => (isStale ? 'needs a person' : 'good'),
      canShrink: true,
    },
  ];
}

/** Freshness first, then why. */
function stateOf(
  { isStale, isHeld, heldSince, failures, lastError, askedAt, heardAt }: ListStatus,
  now: number,
): string {
  const never = failures === 0 ? 'not polled yet' : 'no list yet';
  const words = [isStale ? (heardAt === null ? never : 'stale') : 'fresh'];
  if (heardAt === null && failures > 0 && askedAt !== null)
    words.push(`first asked for ${ago(now - askedAt)}`);
  if (isHeld) words.push(`held back for ${duration(now - (heldSince ?? now))}`);
  if (failures > 0) words.push(`${failures} ${failures === 1 ? 'failure' : 'failures'} in a row`);
  if (lastError !== null) words.push(lastError);
  return words.join('; ');
}

function tell({ watches, lastHour, lastDay, unfinishedFanOuts, newest }: SeatsStatus, now: number): string[] {
  const list = Object.entries(watches).filter(([, count]) => count > 0);
  const watched = list.map(([status, count]) => `${count} ${status}`).join(', ');
  return [
    `Watches: ${watched || 'none yet'}.`,
    `Last hour: ${lastHour.opened} opened, ${lastHour.closed} closed. Last day: ${lastDay.opened} opened, ${lastDay.closed} closed.`,
    ...(newest
      ? [
          `Newest: index ${printable(newest.index_number)} (${printable(newest.campus_code)}) became ${newest.status_after.toLowerCase()}, ${ago(now - Date.parse(newest.event_at))}.`,
        ]
      : []),
    unfinishedFanOuts === 0
      ? 'Of every opening, everybody who watches has a delivery.'
      : `${unfinishedFanOuts} ${unfinishedFanOuts === 1 ? 'opening waits' : 'openings wait'} until a running worker makes deliveries of ${unfinishedFanOuts === 1 ? 'it' : 'them'}.`,
  ];
}

function listJson({ askedAt, heardAt, goodAt, heldSince, nextPollAt, baselineAt, ...list }: ListStatus) {
  return {
    ...list,
    askedAt: iso(askedAt),
    heardAt: iso(heardAt),
    goodAt: iso(goodAt),
    heldSince: iso(heldSince),
    nextPollAt: iso(nextPollAt),
    baselineAt: iso(baselineAt),
  };
}
