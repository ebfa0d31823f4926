import { text as textOf } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { Engine } from '../../engine.ts';
import type { Imported, ImportProgress } from '../../sources/newsletters/notifications/import/import-old.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { operatorName } from '../operator.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';

interface ImportOptions {
  from?: string;
  dryRun?: true;
  json?: true;
}

export function addNotificationsImport(notifications: Command, context: Context): void {
  const { terminal } = context;
  notifications
    .command('import')
    .description("Take over an older system's notifications, the links in its mails, and what it has sent")
    .option(
      '--from <url>',
      'its database (required): sqlite:./old.db or postgres://…; - to read that from standard input',
    )
    .option('--dry-run', 'only say what would come of it')
    .option(...jsonOption)
    .addHelpText(
      'after',
      [
        '',
        'Read, and never written, are the tables Notifications, NotificationDeliveries and UnsubscribeTokens. What was sent',
        'there counts as sent here: nobody is told of such a period again. What was not finished there is not finished here',
        'either: what had not left is closed, and of what may have left a person decides. Stop the older system first. To run',
        'it again is safe, and goes on where it stopped. The statuses of deliveries that are known: pending, sending, sent,',
        'delivered, failed_transient, failed_permanent, suppressed, skipped_unsubscribed, skipped_no_email, and none at all,',
        'which is sent. With another one, what has a time of sending was sent, and of the rest a person decides.',
        example(
          'notifications import --from postgres://reader@old.example.org/platform --dry-run',
          'notifications import --from sqlite:./old.db',
        ),
      ].join('\n'),
    )
    .action(async (options: ImportOptions) => {
      const url = await requireUrl(options.from);
      const [{ openForeign }, { importOld }] = await Promise.all([
        import('../../db/foreign.ts'),
        import('../../sources/newsletters/notifications/import/import-old.ts'),
      ]);
      const from = await openForeign(url);
      const interrupted = untilInterrupted();
      try {
        const isDryRun = options.dryRun === true;
        const work = async ({ db, outbox, consent, clock }: Engine) => {
          const result = await importOld(from, {
            ...{ db, outbox, suppressions: consent.suppressions, clock, by: operatorName() },
            ...{ isDryRun, signal: interrupted.signal },
            ...(!options.json && { onProgress: showProgress(terminal) }),
          });
          if (result.problems.length > 0 || !result.isWhole) context.exitCode = 1;
          if (options.json) return terminal.json({ isDryRun, ...result });
          terminal.print(...tell(result, isDryRun));
          terminal.complain(...tellProblems(result));
        };
        await withChange(context, work, { isDryRun });
      } finally {
        interrupted.forget();
        await from.close();
      }
    });
}

/** A password on a command line is seen by everybody on the machine. */
async function requireUrl(from: string | undefined): Promise<string> {
  const url = from === '-' ? (await textOf(process.stdin)).trim() : from;
  if (url) return url;
  throw new Refusal(
    'from_required',
    'Say where the older system has its database: --from sqlite:./old.db, or postgres://…',
  );
}

const showProgress =
  (terminal: Terminal) =>
  ({ what, done, total }: ImportProgress): void =>
    terminal.progress(`${done} of ${total} ${what} …`, total === 0 ? 1 : done / total);

function tell({ notifications, links, deliveries, isWhole }: Imported, isDryRun: boolean): string[] {
  const { sent = 0, delivered = 0, unsent = 0, in_doubt = 0, ...others } = deliveries.ends;
  const ended = Object.values(others).reduce((sum, count) => sum + count, 0);
  const be = isDryRun ? 'would be' : 'are';
  const one = (count: number) => (!isDryRun && count === 1 ? 'is' : be);
  return [
    ...(isDryRun ? ['Dry run: nothing has been changed.'] : []),
    `Notifications: ${counted(notifications)}; ${notifications.active} of the new ones ${one(notifications.active)} active.`,
    `Links in mails: ${counted(links)}.`,
    `Deliveries: ${counted(deliveries)}.`,
    ...(deliveries.taken === 0
      ? []
      : [
          `  ${sent + delivered} had been sent, ${ended} had ended in another way: none of them is told again.`,
        ]),
    ...(unsent > 0
      ? [
          `  ${unsent} had not been sent yet: ${unsent === 1 ? 'it' : 'they'} ${one(unsent)} closed as expired, and not sent late.`,
        ]
      : []),
    ...(in_doubt > 0
      ? [
          `  ${in_doubt} may have been sent, and nobody said so: a person decides. See: npx tidings deliveries list --status needs_review`,
        ]
      : []),
    ...tellUnknown(deliveries.unknownStatuses),
    ...(deliveries.suppressed > 0
      ? [
          `  ${deliveries.suppressed} ${deliveries.suppressed === 1 ? 'address' : 'addresses'} that it had given up on ${one(deliveries.suppressed)} on the list of suppressions.`,
        ]
      : []),
    ...(isWhole ? [] : ['Stopped between two pages. The same command does the rest.']),
  ];
}

function tellUnknown(statuses: Record<string, number>): string[] {
  const named = Object.entries(statuses).map(([status, count]) => `${count} ${printable(status)}`);
  if (named.length === 0) return [];
  return [
    `  Of these, some have a status that is not known here (${named.join(', ')}): what has a time of sending was sent, and of the rest a person decides. None of them is told again by itself.`,
  ];
}

const counted = ({ read, taken, known, bad }: Imported['links']) =>
  `${read} read, ${taken} new, ${known} here already${bad > 0 ? `, ${bad} bad` : ''}`;

function tellProblems({ problems, notifications, links, deliveries }: Imported): string[] {
  const bad = notifications.bad + links.bad + deliveries.bad;
  return [
    ...problems.map(({ table, id, problem }) => `${table} ${printable(id)}: ${printable(problem)}`),
    ...(bad > problems.length ? [`And ${bad - problems.length} more.`] : []),
  ];
}
