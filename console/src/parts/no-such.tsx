import type { Refused } from '../api.ts';
import { useWords } from '../words/words.ts';
import { Heading } from './heading.tsx';
import { Link } from './link.tsx';
import { Broken } from './shapes.tsx';

interface NoSuchParts {
  problem: Refused;
  again: () => void;
  /** What there is none of, and the list of those that there are. */
  thing: 'delivery' | 'mail' | 'run' | 'review' | 'section';
  list: { to: string; name: string };
}

/** In place of a page about one thing: there is none by this address, which no further try mends, or it could not be shown. */
export function NoSuch({ problem, again, thing, list }: NoSuchParts) {
  const { noSuch } = useWords();
  // An address that no such thing can have is refused as wrong, and not as unknown.
  const isUnknown = /not_found$/.test(problem.code) || problem.status === 400;
  if (!isUnknown) return <Broken problem={problem} again={again} />;
  return (
    <>
      <Heading>{noSuch[thing]}</Heading>
      <p>
        <Link to={list.to}>{list.name}</Link>
      </p>
    </>
  );
}
