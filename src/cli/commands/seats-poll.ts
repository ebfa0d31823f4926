import type { Command } from 'commander';
import type { CourseSeats } from '../../sources/course-seats/course-seats.ts';
import type { Polled } from '../../sources/course-seats/feed/poll-list.ts';
import { campusesOf, type ListKey } from '../../sources/course-seats/term.ts';
import { Refusal } from '../../std/refusal.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { printable } from '../printable.ts';
import { listName, requireCampus, requireSeats, requireTerm, sectionName } from '../seats-arguments.ts';
import type { Terminal } from '../terminal.ts';

interface PollOptions {
  once?: true;
  term?: string;
  campus?: string;
  json?: true;
}

const everyMs = 15_000; // 004-22: what a running worker does, too.
const edgesShownMax = 20;

export function addSeatsPoll(seats: Command, context: Context): void {
  const { terminal } = context;
  seats
    .command('poll')
    .description('Ask the feed now, and say what opened and closed; until Ctrl-C, or once')
    .option('--once', 'ask once')
    .option('--term <term>', 'only this term, such as 12026')
    .option('--campus <campus>', 'only the list of this campus, such as NB')
    .option(...jsonOption)
    .addHelpText('after', example('seats poll --once', 'seats poll --once --campus NB'))
    .action(async (options: PollOptions) => {
      const interrupted = untilInterrupted();
      try {
        await withEngine(context, async (engine) => {
          const courseSeats = requireSeats(engine);
          const list = await listAsked(courseSeats, options);
          do {
            const polled = await pollOnce(courseSeats, list, options, interrupted.signal);
            context.exitCode = polled.some(({ kind }) => kind === 'failed') ? 1 : 0;
            if (options.json) terminal.json({ polled });
            else for (const each of polled) await tellPolled(courseSeats, each, terminal);
            if (options.once) return;
            await engine.clock.sleep(everyMs, interrupted.signal);
          } while (!interrupted.is);
        });
      } finally {
        interrupted.forget();
      }
    });
}

async function listAsked(
  courseSeats: CourseSeats,
  { term, campus }: PollOptions,
): Promise<ListKey | undefined> {
  if (campus === undefined) return undefined;
  return { termId: await requireTerm(courseSeats, term), campusCode: requireCampus(campus) };
}

/** One list that was asked for, or all that are polled, of all terms or of one. */
async function pollOnce(
  { poller, ...courseSeats }: CourseSeats,
  list: ListKey | undefined,
  { term }: PollOptions,
  signal: AbortSignal,
): Promise<Polled[]> {
  if (list || term === undefined) return poller.pollNow(list, signal);
  const termId = await requireTerm({ poller, ...courseSeats }, term);
  const polled: Polled[] = [];
  for (const each of await poller.status()) {
    if (each.termId === termId) polled.push(...(await poller.pollNow(each, signal)));
  }
  if (polled.length > 0) return polled;
  throw new Refusal(
    'not_polled',
    `No list of term ${termId} is polled. Add it to SOC_TERMS, or name one: --term ${termId} --campus NB.`,
  );
}

async function tellPolled(courseSeats: CourseSeats, polled: Polled, terminal: Terminal): Promise<void> {
  const name = listName({ ...polled.list, campuses: campusesOf(polled.list) });
  switch (polled.kind) {
    case 'heard':
      terminal.print(`${name}: ${polled.indexCount} open. ${thoughts[polled.verdict]}`);
      await tellEdges(
        courseSeats,
        polled.list.termId,
        { opened: polled.opened, closed: polled.closed },
        terminal,
      );
      return;
    case 'failed':
      return terminal.complain(`${name}: ${printable(polled.message)} (${printable(polled.code)})`);
    case 'overtaken':
      return terminal.print(`${name}: a worker has polled it at the same moment; what it saw stands.`);
    case 'stopped':
      return terminal.print(`${name}: stopped.`);
  }
}

const thoughts: Readonly<Record<Extract<Polled, { kind: 'heard' }>['verdict'], string>> = {
  baseline: 'This is the first list: it is what later ones are compared with, and nobody is told of it.',
  taken: 'Believed.',
  held: 'Too many are missing at once: nothing is taken for closed until the list recovers or stays so.',
  empty: 'An empty list is taken for an outage, and nothing for closed.',
};

async function tellEdges(
  { catalog }: CourseSeats,
  termId: string,
  edges: Readonly<Record<'opened' | 'closed', readonly string[]>>,
  terminal: Terminal,
): Promise<void> {
  for (const word of ['opened', 'closed'] as const) {
    const indexes = edges[word];
    for (const index of indexes.slice(0, edgesShownMax)) {
      terminal.print(`  ${word}  ${sectionName(index, await catalog.section(termId, index))}`);
    }
    if (indexes.length > edgesShownMax) {
      terminal.print(`  and ${indexes.length - edgesShownMax} more ${word}`);
    }
  }
}
