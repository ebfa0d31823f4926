import type { Engine } from '../engine.ts';
import type { ListStatus } from '../sources/course-seats/feed/list-status.ts';
import type { SeatsStatus } from '../sources/course-seats/status.ts';
import { duration } from '../std/duration.ts';
import { type Finding, note, ok, problem, refused } from './finding.ts';
import { printable } from './printable.ts';
import { listName, termName } from './seats-arguments.ts';

export interface SeatsCheckup extends SeatsStatus {
  isSample: boolean;
  lists: readonly ListStatus[];
  /** Terms that are polled and of which there is no catalog. */
  withoutCatalog: string[];
}

/** How the section feed is. What is stale is a problem only where the feed is real: seats that are not there are nobody's loss. */
export async function checkSeats({
  seats,
  seatsRefusal,
  clock,
}: Pick<Engine, 'seats' | 'seatsRefusal' | 'clock'>): Promise<{
  seats: SeatsCheckup | null;
  findings: Finding[];
}> {
  if (seatsRefusal) return { seats: null, findings: [refused(seatsRefusal)] };
  if (!seats) {
    const cure = 'To tell people of course seats, set SOC_BASE_URL to where the feed is.';
    return { seats: null, findings: [note('Off: no section feed is polled.', cure)] };
  }
  const { poller, catalog, isSample } = seats;
  const lists = await poller.status();
  const known = new Set(await catalog.terms());
  const withoutCatalog = [...new Set(lists.map(({ termId }) => termId))].filter((term) => !known.has(term));
  const status = await seats.status();
  const now = clock.now();
  return {
    seats: { isSample, lists, withoutCatalog, ...status },
    findings: [
      isSample
        ? note(
            'Sample: the section feed is a sample campus, whose courses are made up.',
            'To poll a real one, set SOC_BASE_URL, such as https://classes.rutgers.edu/soc/api, and DATABASE_URL to a new database.',
          )
        : ok('Real: the section feed is that of SOC_BASE_URL.'),
      ...(lists.length === 0
        ? [
            note(
              'No list has been polled yet.',
              'Start it with npm start, or ask once with: npx tidings seats poll --once',
            ),
          ]
        : []),
      ...lists.flatMap((list) => listFindings(list, { now, isSample })),
      ...withoutCatalog.map(catalogFinding),
      ...fanOutFindings(status),
    ],
  };
}

function listFindings(list: ListStatus, { now, isSample }: { now: number; isSample: boolean }): Finding[] {
  const { goodAt, isStale, isHeld, heldSince, failures, lastError } = list;
  const name = listName(list);
  const told = goodAt === null ? 'has never been read' : `was last believed ${duration(now - goodAt)} ago`;
  const why = lastError === null ? '' : `: ${printable(lastError)}`;
  if (isHeld) {
    const sentence = `The list of ${name} has been held back for ${duration(now - (heldSince ?? now))}${why}. What opens is still told.`;
    return [note(sentence, 'It is believed again when it recovers, or when it stays so for five minutes.')];
  }
  if (!isStale)
    return [
      ok(`The list of ${name}: ${list.openCount} open, checked ${duration(now - (goodAt ?? now))} ago.`),
    ];
  if (failures > 0) {
    const sentence = `The list of ${name} is stale: it ${told}, and ${failures} polls in a row failed${why}.`;
    const cure =
      'Ask for it now: npx tidings seats poll --once. If you see a seat open yourself: npx tidings seats report';
    return [isSample ? note(sentence, cure) : problem(sentence, cure)];
  }
  const sentence = `The list of ${name} is stale: it ${told}, and no poll has failed. Is a worker running?`;
  const cure = 'npm start starts one; where one runs, its log says what keeps it.';
  return [isSample ? note(sentence, cure) : problem(sentence, cure)];
}

const catalogFinding = (termId: string): Finding =>
  note(
    `There is no catalog of ${termName(termId)} yet: sections go by their index alone.`,
    `A running worker reads it by itself; to read it now: npx tidings seats ingest --term ${termId}`,
  );

function fanOutFindings({ unfinishedFanOuts: count }: SeatsStatus): Finding[] {
  if (count === 0) return [];
  const sentence = `${count} ${count === 1 ? 'opening waits' : 'openings wait'} until deliveries are made of ${count === 1 ? 'it' : 'them'}.`;
  return [note(sentence, 'A running worker does that within a second: npm start starts one.')];
}
