import { ReviewJobPage } from './review.tsx';
import { ReviewDeadLettersPage } from './review-dead-letters.tsx';
import { ReviewsPage } from './reviews.tsx';
import { RunPage } from './run.tsx';
import { NewRunPage } from './run-new.tsx';
import { RunsPage } from './runs.tsx';
import { SeatEventsPage } from './seat-events.tsx';
import { SeatSectionPage } from './seat-section.tsx';
import { SeatsPage } from './seats.tsx';

/** The pages about sources by their addresses; null for what is none. */
export function sourcePageOf(path: string, mayChange: boolean) {
  const [, first, second, third] = path.split('/');
  if (first === 'seats') {
    if (second === undefined) return <SeatsPage />;
    if (second === 'openings') return <SeatEventsPage />;
    if (third === undefined) return null;
    return <SeatSectionPage key={path} term={second} index={third} mayChange={mayChange} />;
  }
  if (first === 'runs') {
    if (second === undefined) return <RunsPage mayChange={mayChange} />;
    if (second === 'new') return mayChange ? <NewRunPage /> : null;
    return <RunPage key={second} runId={second} mayChange={mayChange} />;
  }
  if (first !== 'reviews') return null;
  if (second === undefined) return <ReviewsPage />;
  if (second === 'dead-letters') return <ReviewDeadLettersPage />;
  return <ReviewJobPage key={second} jobId={second} mayChange={mayChange} />;
}
