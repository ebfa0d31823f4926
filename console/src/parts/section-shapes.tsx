import { sectionPath, termName, type WatchedSection } from '../seats.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { When } from './shapes.tsx';

type Named = Pick<
  WatchedSection,
  'term' | 'campus' | 'index' | 'courseString' | 'title' | 'number' | 'isGone'
>;

/** What it is called first; an index that no catalog knows has nothing else. */
export function SectionName({ section }: { section: Named }) {
  const words = useWords();
  const { seats } = words;
  const { title, courseString, number, index, term, campus, isGone } = section;
  return (
    <>
      <Link to={sectionPath(section)}>{title ?? `${seats.index} ${index}`}</Link>
      <div className="muted">
        {courseString === null ? seats.unknownSection : `${courseString}:${number}, ${seats.index} ${index}`},{' '}
        {termName(term, words)}, {campus}
        {isGone && ` (${seats.gone})`}
      </div>
    </>
  );
}

/** The four colours mean something else: here it is the word that tells. */
export function SectionState({ section }: { section: Pick<WatchedSection, 'status' | 'since'> }) {
  const { seats } = useWords();
  const { status, since } = section;
  const word = seats.statuses[status];
  return (
    <>
      {status === 'Open' ? <strong>{word}</strong> : word}{' '}
      <span className="muted">{since ? <When at={since} /> : seats.sinceUnknown}</span>
    </>
  );
}
