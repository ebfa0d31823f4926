import type { Command } from 'commander';
import { requireAddress } from '../../domain/address.ts';
import type { CourseSeats } from '../../sources/course-seats/course-seats.ts';
import type { ListedWatch, WatchesOf } from '../../sources/course-seats/subscriptions/watch-list.ts';
import { ago } from '../../std/duration.ts';
import { Refusal } from '../../std/refusal.ts';
import { limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable } from '../printable.ts';
import { requireIndex, requireSeats, requireTerm, sectionName, termName } from '../seats-arguments.ts';
import { watchMeanings } from '../state-meanings.ts';
import { type Column, printTable } from '../table.ts';
import { stateOf, watchJson } from '../watch-words.ts';

interface WatchesOptions {
  email?: string;
  term?: string;
  index?: string;
  limit: number;
  json?: true;
}

const limitMax = 500;

export function addSeatsWatches(seats: Command, context: Context): void {
  const { terminal } = context;
  seats
    .command('watches')
    .description(
      'List what a person watches, or who watches a section, newest first, those that ended included',
    )
    .option('--email <address>', 'of this person')
    .option('--index <index>', 'of this section, by the five digits of its index')
    .option('--term <term>', 'of which term, such as 12026; may be left out where only one is polled')
    .option(...limitOption(limitMax, 50))
    .option(...jsonOption)
    .addHelpText(
      'after',
      example('seats watches --email ana@example.org', 'seats watches --term 12026 --index 04711'),
    )
    .action(async (options: WatchesOptions) => {
      requireOne(options);
      await withEngine(context, async (engine) => {
        const courseSeats = requireSeats(engine);
        const whose = await whoseOf(courseSeats, options);
        // One more than asked for says whether there are more.
        const found = await courseSeats.subscriptions.list(whose, options.limit + 1);
        const watches = found.slice(0, options.limit);
        const isMore = found.length > watches.length;
        if (options.json) return terminal.json({ watches: watches.map(watchJson), isMore });
        if (watches.length === 0) return terminal.print(...nothing(whose));
        const columns = columnsOf('address' in whose, engine.clock.now());
        printTable(terminal, watches, columns);
        if (isMore) {
          terminal.print(`These are the newest ${watches.length}; --limit shows up to ${limitMax}.`);
        }
      });
    });
}

function requireOne({ email, index, term }: WatchesOptions): void {
  if (email === undefined ? index !== undefined : index === undefined && term === undefined) return;
  throw new Refusal(
    'whose_watches',
    'Say whose watches: --email ana@example.org for those of a person, or --index 04711, with --term where several are polled, for those of a section. Not both.',
  );
}

async function whoseOf(courseSeats: CourseSeats, { email, term, index }: WatchesOptions): Promise<WatchesOf> {
  if (email !== undefined) return { address: requireAddress(email) };
  const indexNumber = requireIndex(index);
  return { termId: await requireTerm(courseSeats, term), indexNumber };
}

function columnsOf(isOfPerson: boolean, now: number): Column<ListedWatch>[] {
  const what: Column<ListedWatch>[] = isOfPerson
    ? [
        {
          title: 'SECTION',
          cell: ({ indexNumber, section }) => sectionName(indexNumber, section),
          canShrink: true,
        },
        { title: 'TERM', cell: ({ termId }) => termName(termId) },
      ]
    : [{ title: 'ADDRESS', cell: ({ address }) => printable(address ?? '(deleted)'), canShrink: true }];
  return [
    { title: 'WATCH', cell: ({ subscriptionId }) => String(subscriptionId), isNumber: true },
    ...what,
    {
      ...{ title: 'STATE', canShrink: true },
      cell: (watch) => printable(stateOf(watch, now)),
      meaning: ({ ended, status }) => (ended ? 'stopped on purpose' : watchMeanings[status]),
    },
    { title: 'MAILS', cell: ({ notificationsSent }) => String(notificationsSent), isNumber: true },
    { title: 'SINCE', cell: ({ createdAt }) => ago(now - createdAt) },
  ];
}

function nothing(whose: WatchesOf): string[] {
  return 'address' in whose
    ? [
        `${printable(whose.address)} watches nothing, and never did. The search is by exactly this address.`,
        'Who watches a section: npx tidings seats watches --index 04711',
      ]
    : [`Nobody watches index ${whose.indexNumber} in ${termName(whose.termId)}, and nobody did.`];
}
