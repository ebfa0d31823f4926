import { useState } from 'react';
import { ask } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { NoSuch } from '../parts/no-such.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';
import { SectionState } from '../parts/section-shapes.tsx';
import { Loading } from '../parts/shapes.tsx';
import { type ShownSection, seatsPath, sectionPath, termName } from '../seats.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';
import { EventPages } from './seat-events.tsx';

interface SectionParts {
  term: string;
  index: string;
  mayChange: boolean;
}

/** One section: how it stands, who waits for it, what was seen of it, and whom that told. */
export function SeatSectionPage({ term, index, mayChange }: SectionParts) {
  const words = useWords();
  const { seats } = words;
  const [section, again] = useAsked<ShownSection>(
    `${seatsPath}/overview/sections/${encodeURIComponent(term)}/${encodeURIComponent(index)}`,
  );
  useRepeated(section, again, section.state === 'there');
  if (section.state === 'waiting') return <Loading />;
  if (section.state === 'broken')
    return (
      <NoSuch
        thing="section"
        list={{ to: '/seats', name: seats.back }}
        problem={section.problem}
        again={again}
      />
    );
  const { title, courseString, number, campus, meetings, isGone } = section.value;
  return (
    <>
      <p>
        <Link to="/seats">{seats.back}</Link>
      </p>
      <Heading>{title ?? `${seats.index} ${index}`}</Heading>
      <p className="muted">
        {courseString === null ? seats.unknownSection : `${courseString}:${number}`}, {seats.index} {index},{' '}
        {termName(term, words)}, {campus}
        {isGone && ` (${seats.gone})`}
        {meetings && ` · ${meetings}`}
      </p>
      <p>
        <SectionState section={section.value} />
      </p>
      <Watches section={section.value} />
      <p>
        <a href={sectionPath(section.value)}>{seats.students}</a>
      </p>
      {mayChange && section.value.status !== 'Open' && <Report section={section.value} again={again} />}
      <h2>{seats.events}</h2>
      {/* What was just said, or seen, is at the top of it. */}
      <EventPages key={section.value.status} path={sectionPath(section.value)} section={{ term, index }} />
    </>
  );
}

function Watches({ section: { watches } }: { section: ShownSection }) {
  const { seats, number } = useWords();
  const all = Object.entries(watches) as [keyof typeof watches, number][];
  const some = all.filter(([, count]) => count > 0);
  return (
    <section>
      <h2>{seats.whoWatches}</h2>
      {some.length === 0 && <p>{seats.nobody}</p>}
      <ul>
        {some.map(([status, count]) => (
          <li key={status}>
            {number(count)} {seats.watchStatuses[status]}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An operator's own word: for a seat that the feed does not show. */
function Report({ section: { term, index }, again }: { section: ShownSection; again: () => void }) {
  const { seats } = useWords();
  const [isAsking, setAsking] = useState(false);
  const [said, setSaid] = useState('');
  const perform = async (reason: string) => {
    const { isNew } = await ask<{ isNew: boolean }>('POST', `${seatsPath}/openings`, { term, index, reason });
    setSaid(isNew ? seats.reported : seats.notReported);
    again();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        {seats.report}
      </button>
      {said !== '' && <p role="status">{said}</p>}
      {isAsking && (
        <ReasonDialog
          title={seats.report}
          consequence={seats.reportWhat}
          button={seats.report}
          perform={perform}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
