import type { Status } from '../../../src/domain/status.ts';
import type { Standing } from '../../../src/http/live/standing.ts';
import { queryOf } from '../api.ts';
import { runName } from '../runs.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Mark } from './mark.tsx';
import { RunChip } from './run-status.tsx';
import { Table } from './table.tsx';

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

/** Where the mail came from: each source that has asked for some, with how much of it arrived. */
export function MailBySource({ counts }: Pick<Standing, 'counts'>) {
  const { sources: words, number } = useWords();
  const names = [...new Set(counts.map(({ source }) => source))].sort();
  const countOf = (name: string, of?: Status) =>
    counts.reduce(
      (sum, { source, status, count }) =>
        source === name && (of === undefined || status === of) ? sum + count : sum,
      0,
    );
  const linked = (source: string, status?: Status) => (
    <Link to={`/deliveries${queryOf({ source, status })}`}>{number(countOf(source, status))}</Link>
  );
  if (names.length === 0) return null;
  return (
    <section className="by-source">
      <h2>{words.bySource}</h2>
      <Table
        title={words.bySource}
        rows={names}
        keyOf={(name) => name}
        columns={[
          { title: words.source, cell: (name) => words.names[name] ?? name },
          { title: words.delivered, isNumber: true, cell: (name) => linked(name, 'delivered') },
          { title: words.sent, isNumber: true, cell: (name) => linked(name, 'sent') },
          { title: words.askedFor, isNumber: true, cell: (name) => linked(name) },
        ]}
      />
    </section>
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
          <RunChip status={run.status} people={run.people} />{' '}
          <Link to={`/runs/${run.runId}`}>{runName(named(run), words)}</Link>,{' '}
          {words.sources.runOf(run.people)}
        </p>
      ))}
    </section>
  );
}
