import { queryOf } from '../api.ts';
import { type SeenEvent, sectionPath } from '../seats.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { When } from './shapes.tsx';
import { Table } from './table.tsx';

/** Openings and closings, with the deliveries that an opening led to. */
export function SeenEvents({ events, isOfOne }: { events: readonly SeenEvent[]; isOfOne?: true }) {
  const { seats, runs } = useWords();
  const section = {
    title: seats.section,
    cell: (event: SeenEvent) => (
      <>
        <Link to={sectionPath(event)}>{event.title}</Link>
        <div className="muted">
          {event.courseString}, {seats.index} {event.index}, {event.campus}
        </div>
      </>
    ),
  };
  return (
    <Table
      title={seats.events}
      rows={events}
      keyOf={({ openEventId }) => openEventId}
      {...(!isOfOne && { opens: sectionPath })}
      columns={[
        ...(isOfOne ? [] : [section]),
        {
          title: seats.what,
          cell: ({ status, detectedBy }) => (
            <>
              <strong>{status === 'Open' ? seats.becameOpen : seats.becameClosed}</strong>{' '}
              <span className="muted">{seats.seenBy[detectedBy]}</span>
            </>
          ),
        },
        { title: runs.when, cell: ({ at }) => <When at={at} /> },
        { title: seats.deliveries, cell: (event) => <Deliveries event={event} /> },
      ]}
    />
  );
}

function Deliveries({ event }: { event: SeenEvent }) {
  const { seats } = useWords();
  const { openEventId, status, deliveries, isFanningOut } = event;
  if (status !== 'Open') return null;
  const to = `/deliveries${queryOf({ source: 'course-seats', occasion: openEventId })}`;
  return (
    <>
      {deliveries > 0 ? <Link to={to}>{seats.deliveriesOf(deliveries)}</Link> : seats.deliveriesOf(0)}
      {isFanningOut && <div className="muted">{seats.fanningOut}</div>}
    </>
  );
}
