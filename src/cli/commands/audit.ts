import type { Command } from 'commander';
import type { AuditRow } from '../../db/schema.ts';
import { ago } from '../../std/duration.ts';
import { belowOption, limitOption } from '../arguments.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable } from '../printable.ts';
import { type Column, printTable } from '../table.ts';

interface AuditOptions {
  limit: number;
  below?: number;
  withDetails?: boolean;
  json?: true;
}

const limitMax = 200;
const limitByDefault = 20;

export function addAudit(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('audit')
    .description('List what operators had changed, by the API, in the console and here: who, what and why')
    .option('--with-details', 'with what was asked for in full; addresses are not kept')
    .option(...limitOption(limitMax, limitByDefault))
    .option(...belowOption)
    .option(...jsonOption)
    .addHelpText('after', example('audit', 'audit --with-details --limit 5'))
    .action(async ({ limit, below, withDetails = false, json }: AuditOptions) => {
      const [{ createAudit }, { auditJson }] = await Promise.all([
        import('../../audit/audit.ts'),
        import('../../http/routes/audit.ts'),
      ]);
      await withEngine(context, async ({ db, clock }, _, log) => {
        // One more than asked for says whether there is a next page.
        const found = await createAudit({ db, clock, log }).list({ below, limit: limit + 1 });
        const rows = found.slice(0, limit);
        const next = found.length > rows.length ? (rows.at(-1)?.audit_seq ?? null) : null;
        if (json) return terminal.json({ lines: rows.map(auditJson), next: next && { below: next } });
        if (rows.length === 0)
          return terminal.print(below === undefined ? 'Nothing has been changed yet.' : 'No earlier lines.');
        printTable(terminal, rows, columnsOf(clock.now(), withDetails));
        const words = `${withDetails ? ' --with-details' : ''}${limit === limitByDefault ? '' : ` --limit ${limit}`}`;
        if (next !== null) terminal.print(`More: npx tidings audit${words} --below ${next}`);
      });
    });
}

function columnsOf(now: number, withDetails: boolean): Column<AuditRow>[] {
  return [
    { title: 'WHO', cell: ({ who }) => printable(who), canShrink: true },
    { title: 'WHAT', cell: ({ verb }) => printable(verb), canShrink: true },
    ...(withDetails
      ? [
          {
            ...{ title: 'DETAILS', canShrink: true as const },
            cell: ({ details }: AuditRow) => (details === '{}' ? '' : printable(details)),
          },
        ]
      : []),
    { title: 'WHY', cell: ({ reason }) => printable(reason ?? ''), canShrink: true },
    {
      ...{ title: 'ANSWER', canShrink: true },
      cell: ({ answer }) => printable(answer ?? 'none'),
      meaning: ({ answer }) => meaningOf(answer),
    },
    { title: 'AGE', cell: (row) => ago(now - row.asked_at) },
    { title: 'NUMBER', cell: (row) => String(row.audit_seq), isNumber: true },
  ];
}

/** A status of the API, or a word of the command line; whoever lived to say nothing leaves a doubt to a person. */
function meaningOf(answer: string | null) {
  if (answer === null || answer === 'failed' || answer === 'unexpected') return 'needs a person';
  return answer === 'done' || /^2\d\d$/.test(answer) ? 'good' : 'stopped on purpose';
}
