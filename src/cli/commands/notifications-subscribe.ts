import type { Command } from 'commander';
import type { Notifications, SubscribeOrder } from '../../sources/newsletters/notifications/notifications.ts';
import { type JsonPlace, placeInFile } from '../../std/json-records.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { typesHelp } from '../notification-types.ts';
import { printable } from '../printable.ts';
import type { Terminal } from '../terminal.ts';
import { openTextFile, shareRead, type TextFile } from '../text-file.ts';

interface SubscribeOptions {
  file?: string;
  json?: true;
}

export function addNotificationsSubscribe(notifications: Command, context: Context): void {
  const { terminal } = context;
  notifications
    .command('subscribe')
    .description('Let the users of a list follow what it says; who has left is not brought back')
    .option('--file <file>', 'CSV or JSON (required)')
    .option(...jsonOption)
    .addHelpText(
      'after',
      [
        '',
        'Columns are user and type, then entity (a fiscal code) for newsletters, config (JSON) for alerts, and locale, ro or en,',
        'if it is known. JSON is a list, { "notifications": [ … ] }, or an object a line, with the same names. What is there',
        'already stays as its user has it. A line that cannot be taken is named, and does not stop the others. The same list',
        'again changes nothing.',
        '',
        typesHelp,
        example('notifications subscribe --file followers.csv'),
      ].join('\n'),
    )
    .action(async ({ file, json }: SubscribeOptions) => {
      if (file === undefined)
        throw new Refusal(
          'file_required',
          'Say which file: --file followers.csv, with the columns user, type and entity.',
        );
      const text = await openTextFile(file);
      const interrupted = untilInterrupted();
      try {
        await withChange(context, async ({ newsletters: { notifications: own } }) => {
          const result = await subscribeAll(own, text, json ? undefined : terminal, interrupted.signal);
          if (result.bad > 0 || !result.isWhole) context.exitCode = 1;
          if (json) return terminal.json(result);
          terminal.print(...tell(result));
          terminal.complain(...tellProblems(result));
        });
      } finally {
        interrupted.forget();
        await text.close();
      }
    });
}

interface Result {
  read: number;
  created: number;
  existing: number;
  left: number;
  bad: number;
  /** The first of the bad ones. */
  problems: (JsonPlace & { problem: string })[];
  ignoredColumns: string[];
  isWhole: boolean;
}

const batchMax = 100;
const problemsMax = 100;

async function subscribeAll(
  notifications: Pick<Notifications, 'add'>,
  text: TextFile,
  terminal: Terminal | undefined,
  signal: AbortSignal,
): Promise<Result> {
  const { readWishesFile } = await import('../../sources/newsletters/notifications/wishes-file.ts');
  const ignored = new Set<string>();
  const result: Result = {
    ...{ read: 0, created: 0, existing: 0, left: 0, bad: 0, problems: [], ignoredColumns: [], isWhole: true },
  };
  let batch: (JsonPlace & { order: SubscribeOrder })[] = [];

  function complain({ line, number }: JsonPlace, problem: string): void {
    result.bad += 1;
    if (result.problems.length < problemsMax)
      result.problems.push({ line, ...(number !== undefined && { number }), problem });
  }

  async function flush(): Promise<void> {
    const answers = await notifications.add(batch.map(({ order }) => order));
    for (const [place, one] of batch.entries()) {
      const answer = answers[place];
      if (answer?.kind === 'refused') complain(one, answer.problem);
      else if (answer) result[answer.kind] += 1;
    }
    batch = [];
    terminal?.progress(`${result.read} read …`, shareRead(text));
  }

  for await (const record of readWishesFile(text.chunks, ignored)) {
    if (signal.aborted) {
      result.isWhole = false;
      break;
    }
    result.read += 1;
    if ('problem' in record) complain(record, record.problem);
    else batch.push(record);
    if (batch.length === batchMax) await flush();
  }
  await flush();
  return { ...result, ignoredColumns: [...ignored] };
}

function tell({ read, created, existing, left, bad, ignoredColumns, isWhole }: Result): string[] {
  if (read === 0) return ['There is nobody in it: nothing was changed.'];
  return [
    `${read} read: ${created} new, ${existing} here already, ${left} not brought back, because they have left${bad > 0 ? `, ${bad} bad` : ''}.`,
    ...(ignoredColumns.length > 0
      ? [`Columns that were not read: ${printable(ignoredColumns.join(', '))}.`]
      : []),
    ...(isWhole ? [] : ['Stopped between two batches. The same command does the rest.']),
  ];
}

function tellProblems({ bad, problems }: Result): string[] {
  return [
    ...problems.map(({ problem, ...place }) => `${placeInFile(place)}: ${printable(problem)}`),
    ...(bad > problems.length ? [`And ${bad - problems.length} more.`] : []),
  ];
}
