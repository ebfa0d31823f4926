import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { OpeningsChart } from '../parts/openings-chart.tsx';
import { PollHealth } from '../parts/poll-health.tsx';
import { SearchBar } from '../parts/search-bar.tsx';
import { SeenEvents } from '../parts/seen-events.tsx';
import { Broken, Empty, Loading } from '../parts/shapes.tsx';
import { WatchedSections } from '../parts/watched-sections.tsx';
import { go, usePlace } from '../place.ts';
import { type SeatOverview, type SeenEvent, seatsEveryMs, seatsPath, sectionPath } from '../seats.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';
import { FoundSections } from './found-sections.tsx';

/** Course seats: how they stand, how fresh the feed is, what opened, and who waits for what. */
export function SeatsPage() {
  const { seats } = useWords();
  const { query } = usePlace();
  const sought = query.get('q') ?? '';
  return (
    <>
      <Heading>{seats.title}</Heading>
      <Summary />
      <SearchBar
        label={seats.find}
        sought={sought}
        lengthMax={200}
        seek={(text) => go(`/seats${queryOf({ q: text })}`)}
      />
      {sought !== '' && <FoundSections sought={sought} />}
      <h2>{seats.health}</h2>
      <PollHealth />
      <h2>{seats.chart}</h2>
      <OpeningsChart />
      <NewestEvents />
      <h2>{seats.watched}</h2>
      <WatchedSections />
    </>
  );
}

function Summary() {
  const { seats } = useWords();
  const [overview, again] = useAsked<SeatOverview>(`${seatsPath}/overview`);
  useRepeated(overview, again, true, seatsEveryMs);
  if (overview.state === 'waiting') return <Loading />;
  if (overview.state === 'broken') return <Broken problem={overview.problem} again={again} />;
  const { isSample, moving, watches, lastHour, lastDay, unfinishedFanOuts } = overview.value;
  return (
    <>
      {isSample && (
        <p className="muted">
          {seats.sample}{' '}
          {moving.length > 0 && (
            <>
              {seats.moving}{' '}
              {moving.map((one, at) => (
                <span key={one.index}>
                  {at > 0 && ', '}
                  <Link to={sectionPath(one)}>{one.index}</Link>
                </span>
              ))}
            </>
          )}
        </p>
      )}
      <p>
        {seats.watches(watches.active, watches.pending, watches.paused)}{' '}
        {seats.edges(lastHour.opened, lastHour.closed, 'hour')}{' '}
        {seats.edges(lastDay.opened, lastDay.closed, 'day')}{' '}
        {unfinishedFanOuts === 0 ? seats.toldAll : seats.notTold(unfinishedFanOuts)}
      </p>
    </>
  );
}

const shownMost = 5;

function NewestEvents() {
  const { seats } = useWords();
  const [page, again] = useAsked<{ events: SeenEvent[] }>(
    `${seatsPath}/overview/events${queryOf({ limit: shownMost })}`,
  );
  useRepeated(page, again, true, seatsEveryMs);
  if (page.state === 'waiting') return <Loading />;
  if (page.state === 'broken') return <Broken problem={page.problem} again={again} />;
  if (page.value.events.length === 0) return <Empty>{seats.noEvents}</Empty>;
  return (
    <>
      <SeenEvents events={page.value.events} />
      <p>
        <Link to="/seats/openings">{seats.allEvents}</Link>
      </p>
    </>
  );
}
