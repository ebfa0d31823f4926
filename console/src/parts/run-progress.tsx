import type { RunDetails } from '../../../src/client/run-shapes.ts';
import type { Status } from '../../../src/domain/status.ts';
import { queryOf } from '../api.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Chip, When } from './shapes.tsx';

/** A long list is counted less often than the page asks. */
const oldMs = 5_000;

/** How far it is, and what became of its mails. */
export function RunProgressNow({ run }: { run: RunDetails }) {
  const { runs, number } = useWords();
  const { done, total, items, deliveries, countedAt } = run.progress;
  const waiting = [
    ...((items.planned ?? 0) > 0 ? [runs.toCollect(items.planned ?? 0)] : []),
    ...((items.collected ?? 0) > 0 ? [runs.toCompose(items.collected ?? 0)] : []),
  ];
  const sent = Object.entries(deliveries) as [Status, number][];
  return (
    <section>
      <h2>{runs.progress}</h2>
      <progress max={Math.max(1, total)} value={total === 0 ? 1 : done} aria-label={runs.progress} />
      <p>{[runs.settled(done, total), ...waiting].join(', ')}</p>
      {Date.now() - Date.parse(countedAt) > oldMs && (
        <p className="muted">
          {runs.countedAgo} <When at={countedAt} />
        </p>
      )}
      {sent.length > 0 && (
        <ul className="counts">
          {sent.map(([status, count]) => (
            <li key={status}>
              <Link to={`/deliveries${queryOf({ source: 'newsletters', occasion: run.periodKey, status })}`}>
                {number(count)}
              </Link>{' '}
              <Chip status={status} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
