import { setMaxListeners } from 'node:events';
import { createSampleCampus } from '../sources/course-seats/sample/sample-campus.ts';
import type { Clock } from '../std/clock.ts';
import { Refusal } from '../std/refusal.ts';
import type { WorkerMessage } from './worker-process.ts';

/** Sections that stay closed unless somebody opens them by hand: for whoever wants to see what an opening does. */
export interface SeatsByHand {
  /** Which those are, and of which campus. */
  readonly sections: readonly HandSection[];
  /** The next of them opens, for a while. */
  open(): HandSection;
  /** Again, to a worker that has just been born: the campus lives in it. */
  tellAgain(): void;
}

export interface HandSection {
  termId: string;
  campusCode: string;
  indexNumber: string;
  title: string;
}

const sectionsCount = 12;
/** Four polls: nobody needs luck to see it. */
const openMs = 75_000;
/** An opening is told once in three minutes; and it must be seen closed before it can open again. */
const restMs = openMs + 225_000;

interface HandParts {
  termId: string;
  clock: Clock;
  tell: (message: WorkerMessage) => void;
  stopping: AbortSignal;
}

export function createSeatsByHand({ termId, clock, tell, stopping }: HandParts): SeatsByHand {
  // Every section that was opened waits for its time.
  setMaxListeners(0, stopping);
  const campusCode = 'NB';
  const campus = createSampleCampus({ clock, termIds: [termId] });
  const moving = new Set(campus.popular({ termId, campusCode }));
  const sections = campus
    .sections(termId)
    .filter(({ course, isOpen, index, meetings, twin }) => {
      const isPlain =
        course.campusCode === campusCode && !twin && meetings.every(({ meetingDay }) => meetingDay !== '');
      return isPlain && !isOpen && !moving.has(index);
    })
    .slice(0, sectionsCount)
    .map(({ index, course }) => ({ termId, campusCode, indexNumber: index, title: course.title }));
  const openedAt = new Map<string, number>();
  const isHeld = (index: string) => clock.monotonic() - (openedAt.get(index) ?? -Infinity) < openMs;

  return {
    sections,
    open() {
      const now = clock.monotonic();
      const rested = sections.find(
        ({ indexNumber }) => now - (openedAt.get(indexNumber) ?? -Infinity) > restMs,
      );
      if (!rested)
        throw new Refusal(
          'all_seats_opened',
          'All sample sections were opened within the last minutes, and an opening is told once. Try again in a minute.',
        );
      const { indexNumber } = rested;
      openedAt.set(indexNumber, now);
      tell({ open: indexNumber });
      void clock.sleep(openMs, stopping).then(() => tell({ release: indexNumber }));
      return rested;
    },
    tellAgain() {
      for (const { indexNumber } of sections) if (isHeld(indexNumber)) tell({ open: indexNumber });
    },
  };
}
