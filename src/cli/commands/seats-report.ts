import type { Command } from 'commander';
import { systemIds } from '../../std/ids.ts';
import { Refusal } from '../../std/refusal.ts';
import { withChange } from '../change.ts';
import { type Context, example, jsonOption } from '../context.ts';
import { requireIndex, requireSeats, requireTerm, sectionName, termName } from '../seats-arguments.ts';

interface ReportOptions {
  term?: string;
  index?: string;
  json?: true;
}

export function addSeatsReport(seats: Command, context: Context): void {
  const { terminal } = context;
  seats
    .command('report')
    .description('Report an opening that you have seen yourself: everybody who watches the section is told')
    .option('--index <index>', 'which section, by the five digits of its index (required)')
    .option('--term <term>', 'of which term, such as 12026; may be left out where only one is polled')
    .option(...jsonOption)
    .addHelpText('after', example('seats report --index 04711'))
    .action(async (options: ReportOptions) => {
      const indexNumber = requireIndex(options.index);
      await withChange(context, async (engine) => {
        const courseSeats = requireSeats(engine);
        const termId = await requireTerm(courseSeats, options.term);
        const traceId = systemIds.uuid();
        const reported = await courseSeats.events.reportOpening({ termId, indexNumber, traceId });
        if (reported.kind === 'section_not_found') {
          throw new Refusal(
            'section_not_found',
            `There is no section with the index ${indexNumber} in ${termName(termId)}: neither the catalog nor a list has it. To read the catalog: npx tidings seats ingest`,
          );
        }
        if (options.json) return terminal.json({ ...reported, termId, indexNumber, traceId });
        const name = sectionName(indexNumber, await courseSeats.catalog.section(termId, indexNumber));
        if (reported.kind !== 'reported') {
          return terminal.print(
            `Nothing was done: it is known already that ${name} is open, and who watched when it opened was told; whoever came later hears of the next opening.`,
          );
        }
        terminal.print(
          `Reported (open event ${reported.openEventId}): ${name} is open.`,
          'Whoever watches it is told within seconds, where a worker runs: npx tidings deliveries list --source course-seats',
          // The campus is in the memory of another process, which nobody tells of this.
          ...(courseSeats.isSample
            ? [
                'The list of the sample campus still has it closed: when it opens there, that is a new opening, and a new mail.',
              ]
            : []),
        );
      });
    });
}
