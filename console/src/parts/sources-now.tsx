import type { Standing } from '../../../src/http/live/standing.ts';
import { runName } from '../runs.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Mark } from './mark.tsx';
import { RunChip } from './run-status.tsx';

type RunNow = Standing['runs'][number];
const named = ({ type, periodKey }: RunNow) => ({ notificationType: type, periodKey });

/** Review mails that ended without their reviewer having heard, or of which nobody knows. */
const untoldIn = ({ counts }: Standing) =>
  counts.reduce(
    (sum, { source, status, count }) =>
      source === 'code-reviews' && ['failed_permanent', 'needs_review'].includes(status) ? sum + count : sum,
    0,
  );

/** Of what needs a person, what the sources know: runs that halted themselves, and reviewers who were not told. */
export function SourcesNeedPerson({ standing }: { standing: Standing }) {
  const words = useWords();
  const untold = untoldIn(standing);
  return (
    <>
      {standing.runs
        .filter(({ status }) => status === 'halted')
        .map((run) => (
          <p key={run.runId}>
            <Mark meaning="needs a person">
              <Link to={`/runs/${run.runId}`}>{words.sources.halted(runName(named(run), words))}</Link>
            </Mark>
          </p>
        ))}
      {untold > 0 && (
        <p>
          <Mark meaning="needs a person">
            <Link to="/reviews/dead-letters">{words.sources.reviewers(untold)}</Link>
          </Mark>
        </p>
      )}
    </>
  );
}

/** What newsletters do now. */
export function RunsNow({ standing: { runs, has } }: { standing: Standing }) {
  const words = useWords();
  if (!has.newsletters) return null;
  return (
    <section>
      <h2>{words.sources.runs}</h2>
      {runs.length === 0 && <p>{words.sources.noRuns}</p>}
      {runs.map((run) => (
        <p key={run.runId}>
          <RunChip status={run.status} /> <Link to={`/runs/${run.runId}`}>{runName(named(run), words)}</Link>,{' '}
          {words.sources.runOf(run.people)}
        </p>
      ))}
    </section>
  );
}
