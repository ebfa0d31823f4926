import { queryOf } from '../api.ts';
import { go, usePlace } from '../place.ts';
import {
  type SeatList,
  seatsEveryMs,
  seatsPath,
  sectionPath,
  termName,
  type WatchedSection,
} from '../seats.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { SectionName, SectionState } from './section-shapes.tsx';
import { Broken, Empty, Loading } from './shapes.tsx';
import { Table } from './table.tsx';

interface Page {
  sections: WatchedSection[];
  next: { afterTerm: string; after: string } | null;
}

/** Which sections somebody watches, how many do, and how each stands; page by page, by term and index. */
export function WatchedSections() {
  const words = useWords();
  const { seats, runs } = words;
  const { query } = usePlace();
  const [term = '', afterTerm = '', after = ''] = ['term', 'afterTerm', 'after'].map(
    (name) => query.get(name) ?? '',
  );
  const span = query.get('span') ?? '';
  const [page, again] = useAsked<Page>(
    `${seatsPath}/overview/sections${queryOf({ term, afterTerm, after, limit: 25 })}`,
  );
  useRepeated(page, again, true, seatsEveryMs);
  const [lists] = useAsked<{ lists: SeatList[] }>(`${seatsPath}/lists`);
  const known = lists.state === 'there' ? lists.value.lists.map((list) => list.term) : [];
  const terms = [...new Set([...known, ...(term === '' ? [] : [term])])].sort();
  if (page.state === 'waiting') return <Loading />;
  if (page.state === 'broken') return <Broken problem={page.problem} again={again} />;
  const { sections, next } = page.value;
  return (
    <>
      {terms.length > 1 && (
        <label className="muted">
          {seats.term}{' '}
          <select
            value={term}
            onChange={({ target }) => go(`/seats${queryOf({ span, term: target.value })}`)}
          >
            <option value="">{seats.allTerms}</option>
            {terms.map((one) => (
              <option key={one} value={one}>
                {termName(one, words)}
              </option>
            ))}
          </select>
        </label>
      )}
      {sections.length === 0 && <Empty>{term === '' ? seats.noWatched : seats.noWatchedHere}</Empty>}
      {sections.length > 0 && <SectionTable title={seats.watched} sections={sections} />}
      <p className="row">
        {after !== '' && <Link to={`/seats${queryOf({ span, term })}`}>{runs.first}</Link>}
        {next && <Link to={`/seats${queryOf({ span, term, ...next })}`}>{runs.more}</Link>}
      </p>
    </>
  );
}

function SectionTable({ title, sections }: { title: string; sections: readonly WatchedSection[] }) {
  const { seats, number } = useWords();
  return (
    <Table
      title={title}
      rows={sections}
      keyOf={({ term, index }) => `${term} ${index}`}
      opens={sectionPath}
      columns={[
        { title: seats.section, cell: (section) => <SectionName section={section} /> },
        { title: seats.state, cell: (section) => <SectionState section={section} /> },
        { title: seats.watching, isNumber: true, cell: ({ watching }) => number(watching) },
        { title: seats.unconfirmed, isNumber: true, cell: ({ unconfirmed }) => number(unconfirmed) },
      ]}
    />
  );
}
