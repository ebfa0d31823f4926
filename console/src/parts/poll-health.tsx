import { type SeatList, seatsEveryMs, seatsPath, termName } from '../seats.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';
import { Mark } from './mark.tsx';
import { Broken, Empty, Loading, When } from './shapes.tsx';
import { Table } from './table.tsx';

/** How fresh each list of open sections is, and what the feed has refused. */
export function PollHealth() {
  const words = useWords();
  const { seats } = words;
  const [lists, again] = useAsked<{ lists: SeatList[] }>(`${seatsPath}/lists`);
  useRepeated(lists, again, true, seatsEveryMs);
  if (lists.state === 'waiting') return <Loading />;
  if (lists.state === 'broken') return <Broken problem={lists.problem} again={again} />;
  if (lists.value.lists.length === 0) return <Empty>{seats.noLists}</Empty>;
  return (
    <Table
      title={seats.health}
      rows={lists.value.lists}
      keyOf={({ term, campus }) => `${term} ${campus}`}
      columns={[
        {
          title: seats.list,
          cell: ({ term, campuses }) => `${termName(term, words)}, ${campuses.join(', ')}`,
        },
        { title: seats.state, cell: (list) => <ListState list={list} /> },
        { title: seats.believed, cell: ({ goodAt }) => (goodAt ? <When at={goodAt} /> : seats.never) },
        { title: seats.heard, cell: ({ heardAt }) => (heardAt ? <When at={heardAt} /> : seats.never) },
        { title: seats.open, isNumber: true, cell: ({ openCount }) => words.number(openCount) },
      ]}
    />
  );
}

function ListState({ list }: { list: SeatList }) {
  const { seats } = useWords();
  const { isStale, isHeld, heldSince, failures, lastError, askedAt, heardAt } = list;
  const isNew = isStale && heardAt === null && failures === 0;
  const isNever = isStale && heardAt === null && failures > 0;
  const meaning = isNew
    ? 'in hand'
    : isStale
      ? 'needs a person'
      : isHeld || failures > 0
        ? 'in hand'
        : 'good';
  return (
    <>
      <Mark meaning={meaning}>
        {isNew ? seats.notPolled : isNever ? seats.noList : isStale ? seats.stale : seats.fresh}
      </Mark>
      {isNever && askedAt !== null && (
        <div>
          {seats.asked} <When at={askedAt} />
        </div>
      )}
      {isHeld && (
        <div>
          {seats.held}, <When at={heldSince} />
        </div>
      )}
      {failures > 0 && <div>{seats.failures(failures)}</div>}
      {lastError !== null && <div className="mono">{lastError}</div>}
    </>
  );
}
