import type { Command } from 'commander';
import { type Context, example, jsonOption } from '../context.ts';
import type { Finding } from '../finding.ts';
import { printable } from '../printable.ts';
import { printTable } from '../table.ts';
import type { Paint, Terminal } from '../terminal.ts';
import { proseWidth, wrap } from '../wrap.ts';

export function addDoctor(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('doctor')
    .description(
      'Say what is configured, what is only a sample, and what is wrong with its cure; changes nothing',
    )
    .option(...jsonOption)
    .option('--settings', 'all settings, also those that have their defaults')
    .addHelpText('after', example('doctor', 'doctor --settings'))
    .action(async ({ json, settings: isAll }: { json?: true; settings?: true }) => {
      const [{ readConfig, readSettings }, { checkUp }, { settingsShown }, { createLog }] = await Promise.all(
        [
          import('../../config.ts'),
          import('../checkup.ts'),
          import('../check-settings.ts'),
          import('../../std/log.ts'),
        ],
      );
      const config = readConfig();
      const log = createLog({ level: config.logLevel, isForPeople: process.stderr.isTTY === true });
      const settings = settingsShown(readSettings());
      terminal.progress('Asking the database and the provider …');
      const { findings, ...checkup } = await checkUp(config, log);
      const isBroken = findings.some(({ mark }) => mark === 'problem');
      if (isBroken) context.exitCode = 1;
      if (json) return terminal.json({ isBroken, settings, findings, ...checkup });
      const shown = settings.filter(({ from }) => isAll || from !== 'default');
      if (shown.length > 0) {
        printTable(terminal, shown, [
          { title: 'SETTING', cell: ({ name }) => name },
          { title: 'VALUE', cell: ({ value }) => printable(value), canShrink: true },
          { title: 'FROM', cell: ({ from }) => from },
        ]);
      }
      const others = settings.length - shown.length;
      if (others > 0) terminal.print(`${others} settings have their defaults: npx tidings doctor --settings`);
      terminal.print(
        '',
        ...findings.flatMap((finding) => tellFinding(finding, terminal)),
        '',
        summary(findings, checkup.deliveries?.needPerson ?? 0, terminal.paint),
      );
    });
}

const signs = { ok: '✓', note: '·', problem: '✗' } as const satisfies Record<Finding['mark'], string>;

function tellFinding({ mark, sentence, cure }: Finding, { paint, columns }: Terminal): string[] {
  const width = proseWidth(columns);
  const sign =
    mark === 'note' ? signs.note : paint.meaning(mark === 'ok' ? 'good' : 'needs a person', signs[mark]);
  const [first = '', ...rest] = wrap(`  ${sentence}`, width, '  ');
  return [
    `${sign} ${first.slice(2)}`,
    ...rest,
    ...(cure === null ? [] : wrap(`    ${cure}`, width, '    ').map(paint.dim)),
  ];
}

function summary(findings: readonly Finding[], needPerson: number, paint: Paint): string {
  const count = (mark: Finding['mark']) => findings.filter((finding) => finding.mark === mark).length;
  const [problems, notes] = [count('problem'), count('note')];
  const noted = notes === 0 ? '' : ` ${notes} ${notes === 1 ? 'note' : 'notes'}.`;
  const people =
    needPerson === 0
      ? '.'
      : `; ${needPerson} ${needPerson === 1 ? 'delivery needs' : 'deliveries need'} a person.`;
  return problems === 0
    ? `${paint.meaning(needPerson === 0 ? 'good' : 'needs a person', `No problems${people}`)}${noted}`
    : `${paint.meaning('needs a person', `${problems} ${problems === 1 ? 'problem' : 'problems'}${people}`)}${noted}`;
}
