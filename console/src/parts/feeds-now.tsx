import type { Standing } from '../../../src/http/live/standing.ts';
import { termName } from '../seats.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Mark } from './mark.tsx';
import { When } from './shapes.tsx';

/** The lists of open sections: how many are open and since when that is known, or why it is not. */
export function FeedsNow({ feeds }: Pick<Standing, 'feeds'>) {
  const { home } = useWords();
  if (feeds.length === 0) return null;
  return (
    <section>
      <h2>
        <Link to="/seats">{home.feeds}</Link>
      </h2>
      {feeds.map((feed) => (
        <p key={`${feed.termId} ${feed.campuses.join()}`}>
          <Feed feed={feed} />
        </p>
      ))}
    </section>
  );
}

function Feed({ feed }: { feed: Standing['feeds'][number] }) {
  const words = useWords();
  const { home } = words;
  const { campuses, askedAt, goodAt, isStale, isHeld, openCount, isSample, failures, cause } = feed;
  const name = `${termName(feed.termId, words)}, ${campuses.join(', ')}`;
  return (
    <Mark meaning={isStale || isHeld ? 'in hand' : 'good'}>
      {goodAt === null ? (
        <NoList name={name} askedAt={askedAt} />
      ) : (
        <>
          {home.feedFresh(name, openCount)}, <When at={goodAt} />
        </>
      )}
      {/* Of one that never came nothing is old. */}
      {isHeld ? ` (${home.feedHeld})` : isStale && goodAt !== null ? ` (${home.feedStale})` : ''}
      {failures > 0
        ? `; ${home.feedFailures(failures, cause === null ? '' : (home.feedCauses[cause] ?? cause))}`
        : ''}
      {isSample ? ` (${home.sample})` : ''}
    </Mark>
  );
}

function NoList({ name, askedAt }: { name: string; askedAt: string | null }) {
  const { home } = useWords();
  if (askedAt === null) return <>{home.feedNone(name)}</>;
  return (
    <>
      {home.feedNone(name)}; {home.feedAsked} <When at={askedAt} />
    </>
  );
}
