import type { Command } from 'commander';
import type { Engine } from '../../engine.ts';
import type { Ingested } from '../../sources/course-seats/catalog/catalog.ts';
import type { CourseSeats } from '../../sources/course-seats/course-seats.ts';
import type { ListKey } from '../../sources/course-seats/term.ts';
import { type Context, example, jsonOption, withEngine } from '../context.ts';
import { untilInterrupted } from '../interrupted.ts';
import { printable } from '../printable.ts';
import { requireCampus, requireSeats, requireTerm, termName } from '../seats-arguments.ts';
import type { Terminal } from '../terminal.ts';

interface IngestOptions {
  term?: string;
  campus?: string;
  json?: true;
}

export function addSeatsIngest(seats: Command, context: Context): void {
  const { terminal } = context;
  seats
    .command('ingest')
    .description('Read the catalog now: which sections there are, what they are called and when they meet')
    .option('--term <term>', 'which term, such as 12026; may be left out where only one is polled')
    .option('--campus <campus>', 'only this campus, such as NB; without it, all that are polled in that term')
    .option(...jsonOption)
    .addHelpText('after', example('seats ingest --campus NB'))
    .action(async (options: IngestOptions) => {
      const interrupted = untilInterrupted();
      try {
        await withEngine(context, async (engine) => {
          const courseSeats = requireSeats(engine);
          const results: (ListKey & { result: Ingested })[] = [];
          for (const key of await catalogsAsked(courseSeats, options)) {
            if (interrupted.is) break;
            const result = await ingestOne(
              engine,
              courseSeats,
              key,
              options.json ? undefined : terminal,
              interrupted,
            );
            results.push({ ...key, result });
            if (!options.json) tell(key, result, terminal);
          }
          if (options.json) terminal.json({ catalogs: results });
          if (interrupted.is || results.some(({ result }) => result.kind === 'failed')) context.exitCode = 1;
        });
      } finally {
        interrupted.forget();
      }
    });
}

async function catalogsAsked(courseSeats: CourseSeats, { term, campus }: IngestOptions): Promise<ListKey[]> {
  const termId = await requireTerm(courseSeats, term);
  if (campus !== undefined) return [{ termId, campusCode: requireCampus(campus) }];
  const polled = (await courseSeats.poller.status()).filter((list) => list.termId === termId);
  // Where the term is not polled, the campuses that share the first list.
  const campuses = polled.length > 0 ? polled.flatMap((list) => list.campuses) : ['NB', 'NK', 'CM'];
  return campuses.map((campusCode) => ({ termId, campusCode }));
}

async function ingestOne(
  { db }: Engine,
  { catalog }: CourseSeats,
  key: ListKey,
  terminal: Terminal | undefined,
  { signal }: { signal: AbortSignal },
): Promise<Ingested> {
  // The feed does not say how much is to come: as much as the last time, or nobody knows.
  const { count } = await db.read
    .selectFrom('sections')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('term_id', '=', key.termId)
    .where('campus_code', '=', key.campusCode)
    .where('gone_at', 'is', null)
    .executeTakeFirstOrThrow();
  const expected = Number(count);
  return catalog.ingest({
    ...key,
    signal,
    onProgress({ courses, sections }) {
      const share = expected > 0 ? sections / expected : undefined;
      terminal?.progress(`${key.campusCode}: ${courses} courses, ${sections} sections …`, share);
    },
  });
}

function tell(key: ListKey, result: Ingested, terminal: Terminal): void {
  const name = `${termName(key.termId)} ${key.campusCode}`;
  if (result.kind === 'failed') {
    terminal.complain(`${name}: ${printable(result.message)} (${printable(result.code)})`);
    return;
  }
  const { courses, sections, changed, gone, flips, unusable } = result;
  terminal.print(
    `${name}: ${courses} courses, ${sections} sections; ${changed} new or changed, ${gone} gone, ${flips} with another status than before.`,
    ...(unusable > 0
      ? [`  ${unusable} left out: without an index, or with one that was there already.`]
      : []),
  );
}
