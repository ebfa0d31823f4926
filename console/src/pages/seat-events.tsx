import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { SeenEvents } from '../parts/seen-events.tsx';
import { Broken, Empty, Loading } from '../parts/shapes.tsx';
import { usePlace } from '../place.ts';
import { type SeenEvent, seatsEveryMs, seatsPath } from '../seats.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';

/** Everything that opened and closed, page by page. */
export function SeatEventsPage() {
  const { seats } = useWords();
  return (
    <>
      <Heading>{seats.events}</Heading>
      <p>
        <Link to="/seats">{seats.title}</Link>
      </p>
      <EventPages path="/seats/openings" />
    </>
  );
}

/** Of all sections, or of one; `path` is where its pages are. */
export function EventPages({ path, section }: { path: string; section?: { term: string; index: string } }) {
  const { seats, deliveries } = useWords();
  const { query } = usePlace();
  const below = query.get('below') ?? '';
  const [page, again] = useAsked<{ events: SeenEvent[]; next: { below: number } | null }>(
    `${seatsPath}/overview/events${queryOf({ ...section, below })}`,
  );
  useRepeated(page, again, below === '', seatsEveryMs);
  if (page.state === 'waiting') return <Loading />;
  if (page.state === 'broken') return <Broken problem={page.problem} again={again} />;
  const { events, next } = page.value;
  return (
    <>
      {events.length === 0 && <Empty>{seats.noEvents}</Empty>}
      {events.length > 0 && <SeenEvents events={events} {...(section && { isOfOne: true as const })} />}
      <p className="row">
        {below !== '' && <Link to={path}>{deliveries.newest}</Link>}
        {next && <Link to={`${path}${queryOf({ below: next.below })}`}>{deliveries.more}</Link>}
      </p>
    </>
  );
}
