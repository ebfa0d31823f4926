import type { Command } from 'commander';
import type { BudgetData, EntityReport } from '../../sources/newsletters/budget/budget-data.ts';
import { BudgetUnavailable } from '../../sources/newsletters/budget/budget-unavailable.ts';
import { type Period, periodLabel } from '../../sources/newsletters/period.ts';
import { type Decimal, subtract } from '../../std/decimal.ts';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { printable } from '../printable.ts';
import { type Column, printTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** As many as a screen takes; the year's own line comes first, and one of them can be asked for by name. */
const periodsMax = 40;

export function addBudgetShow(budget: Command, context: Context): void {
  const { terminal } = context;
  budget
    .command('show')
    .argument('<cui>', 'fiscal code of an entity, such as 4305857')
    .argument('[period]', '2023, 2023-Q1 or 2023-01; without it, all that were imported')
    .description('Show what newsletters would tell of an entity')
    .option(...jsonOption)
    .addHelpText('after', example('budget show 4305857 2023', 'budget show 4305857'))
    .action(async (given: string, periodText: string | undefined, { json }: { json?: true }) => {
      const { requirePeriod } = await import('../period-argument.ts');
      const cui = given.trim().replace(/^RO/i, '');
      const period = periodText === undefined ? undefined : requirePeriod(periodText);
      await withEngine(context, async ({ db, clock }, { budgetApiUrl, budgetDatasets }) => {
        const { openBudget } = await import('../../sources/newsletters/budget/open-budget.ts');
        const { silentLog } = await import('../../std/log.ts');
        const data = await openBudget({
          budgetApiUrl,
          datasetsFolder: budgetDatasets,
          db,
          clock,
          log: silentLog,
        });
        try {
          const isLocal = budgetApiUrl === '';
          const known = await import('../../sources/newsletters/budget/known-periods.ts');
          if (period) {
            const sides = async () => (isLocal ? known.knownSides(db, cui, period) : []);
            return await showReport(data, { cui, period, isLocal, sides, json }, terminal);
          }
          if (!isLocal)
            throw new Refusal(
              'period_required',
              'Budgets are asked for at BUDGET_API_URL: give a period as well.',
            );
          const periods = (await known.knownPeriods(db, cui)).slice(0, periodsMax);
          await showPeriods(data, cui, periods, { json, terminal });
        } catch (error) {
          if (!(error instanceof BudgetUnavailable)) throw error;
          const { message, when, code } = error;
          terminal.complain(
            printable(
              `${when === 'later' ? 'Try again later' : 'No use to try again'}: ${message} (${code}).`,
            ),
          );
          context.exitCode = 1;
        } finally {
          await data.close?.();
        }
      });
    });
}

interface ShowOrder {
  cui: string;
  period: Period;
  isLocal: boolean;
  /** What was imported of it, if that is not enough for a report. */
  sides(): Promise<readonly string[]>;
  json: true | undefined;
}

async function showReport(
  data: BudgetData,
  { cui, period, isLocal, sides, json }: ShowOrder,
  terminal: Terminal,
): Promise<void> {
  const [report] = (await data.reports([{ cui, period }])).values();
  if (!report) {
    const [known] = await sides();
    if (known !== undefined) throw oneSide(cui, period, known);
    throw unknownEntity(cui, `in ${period.key}`, isLocal);
  }
  if (json) return terminal.json({ period: period.key, balance: balanceOf(report), ...report });
  const { change, fullMoney, percent, perHead } = await import('../../sources/newsletters/mail/readable.ts');
  const { percentOf, signOf } = await import('../../std/decimal.ts');
  const { before, yearToDate, currency, population } = report;
  const lineOf = (what: string, of: (totals: EntityReport | NonNullable<typeof before>) => Decimal) => ({
    what,
    amount: fullMoney(of(report), currency, 'en'),
    change: (before && change(of(before), of(report), 'en')) ?? '-',
    year: yearToDate ? fullMoney(of(yearToDate), currency, 'en') : '-',
    head: perHead(of(report), population ?? 0, currency, 'en') ?? '-',
  });
  const lines = [
    lineOf('Income', ({ income }) => income),
    lineOf('Expenses', ({ expenses }) => expenses),
    lineOf('Balance', balanceOf),
  ];
  const share = (amount: Decimal) =>
    signOf(report.expenses) > 0 ? percent(percentOf(amount, report.expenses, 0), 'en') : '-';
  terminal.print(
    `${titleOf(report)}, ${periodLabel(period, 'en')}${population === null ? '' : `, population ${population}`}`,
    '',
  );
  printTable(terminal, lines, reportColumns);
  if (report.topExpenses.length === 0) return;
  const chapters = report.topExpenses.map(({ code, name, amount }) => ({
    ...{ chapter: printable(`${code} ${name === code ? '' : name}`.trim()), share: share(amount) },
    amount: fullMoney(amount, currency, 'en'),
  }));
  terminal.print('');
  printTable(terminal, chapters, chapterColumns);
}

const balanceOf = ({ income, expenses }: { income: Decimal; expenses: Decimal }) =>
  subtract(income, expenses);

const reportColumns: Column<Record<'what' | 'amount' | 'change' | 'year' | 'head', string>>[] = [
  { title: '', cell: ({ what }) => what },
  { title: 'AMOUNT', cell: ({ amount }) => amount, isNumber: true },
  { title: 'CHANGE', cell: ({ change }) => change, isNumber: true },
  { title: 'YEAR TO DATE', cell: ({ year }) => year, isNumber: true },
  { title: 'PER HEAD', cell: ({ head }) => head, isNumber: true },
];

const chapterColumns: Column<Record<'chapter' | 'amount' | 'share', string>>[] = [
  { title: 'LARGEST EXPENSES', cell: ({ chapter }) => chapter, canShrink: true },
  { title: 'AMOUNT', cell: ({ amount }) => amount, isNumber: true },
  { title: 'SHARE', cell: ({ share }) => share, isNumber: true },
];

async function showPeriods(
  data: BudgetData,
  cui: string,
  periods: readonly Period[],
  { json, terminal }: { json: true | undefined; terminal: Terminal },
): Promise<void> {
  if (periods.length === 0) throw unknownEntity(cui, 'at all', true);
  const { reportKey } = await import('../../sources/newsletters/budget/budget-data.ts');
  const { fullMoney } = await import('../../sources/newsletters/mail/readable.ts');
  const reports = await data.reports(periods.map((period) => ({ cui, period })));
  const rows = periods.map((period) => ({ period, report: reports.get(reportKey({ cui, period })) }));
  const [name] = [...reports.values()].map((report) => report.name);
  if (json) {
    const list = rows.map(({ period, report }) => {
      const { income = null, expenses = null, currency = null } = report ?? {};
      return { period: period.key, income, expenses, balance: report ? balanceOf(report) : null, currency };
    });
    return terminal.json({ cui, name: name ?? null, periods: list });
  }
  const cellOf =
    (of: (report: EntityReport) => Decimal) =>
    ({ report }: (typeof rows)[number]) =>
      report ? fullMoney(of(report), report.currency, 'en') : '-';
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'PERIOD', cell: ({ period }) => period.key },
    { title: 'INCOME', cell: cellOf(({ income }) => income), isNumber: true },
    { title: 'EXPENSES', cell: cellOf(({ expenses }) => expenses), isNumber: true },
    { title: 'BALANCE', cell: cellOf(balanceOf), isNumber: true },
  ];
  terminal.print(
    `${name === undefined || name === nameless(cui) ? '' : `${printable(name)}, `}CUI ${printable(cui)}`,
    '',
  );
  printTable(terminal, rows, columns);
  if (rows.some(({ report }) => !report))
    terminal.print(
      '',
      'Where there is a dash, only one side of the budget was imported: of such a period nobody is told.',
    );
}

/** What an entity is called whose name nobody has said. */
const nameless = (cui: string) => `CUI ${cui}`;

function titleOf({ name, cui }: EntityReport): string {
  return name === nameless(cui) ? printable(name) : `${printable(name)} (CUI ${printable(cui)})`;
}

function oneSide(cui: string, period: Period, known: string): Refusal {
  const missing = known === 'income' ? 'expenses' : 'income';
  return new Refusal(
    'one_side_only',
    `Of the budget of CUI ${printable(cui)} in ${period.key} only ${known} ${known === 'income' ? 'is' : 'are'} known; ${missing} ${missing === 'income' ? 'is' : 'are'} missing, and nobody is told of such a period. Import a line of ${missing}, with 0 if there ${missing === 'income' ? 'is' : 'are'} none.`,
  );
}

function unknownEntity(cui: string, when: string, isLocal: boolean): Refusal {
  const hint = isLocal
    ? 'Import it first: npx tidings budget import <file>'
    : 'The API at BUDGET_API_URL has nothing.';
  return new Refusal(
    'unknown_budget',
    `Nothing is known of the budget of CUI ${printable(cui)} ${when}. ${hint}`,
  );
}
