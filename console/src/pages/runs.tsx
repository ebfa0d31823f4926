import type { Run } from '../../../src/client/run-shapes.ts';
import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { RunChip } from '../parts/run-status.tsx';
import { Broken, Empty, Loading, When } from '../parts/shapes.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../place.ts';
import { runName, runsPath } from '../runs.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';

interface Page {
  runs: Run[];
  next: { before: string; beforeRun: string } | null;
}

/** Runs and plans, newest first. */
export function RunsPage({ mayChange }: { mayChange: boolean }) {
  const words = useWords();
  const { runs, deliveries } = words;
  const { query } = usePlace();
  const [before = '', beforeRun = ''] = ['before', 'beforeRun'].map((name) => query.get(name) ?? '');
  const [page, again] = useAsked<Page>(`${runsPath}${queryOf({ before, beforeRun })}`);
  useRepeated(page, again, before === '');
  return (
    <>
      <Heading>{runs.title}</Heading>
      <p>{runs.lead}</p>
      {mayChange && (
        <p>
          <Link to="/runs/new" className="button">
            {runs.new}
          </Link>
        </p>
      )}
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && page.value.runs.length === 0 && <Empty>{runs.empty}</Empty>}
      {page.state === 'there' && page.value.runs.length > 0 && (
        <Table
          title={runs.title}
          rows={page.value.runs}
          keyOf={({ runId }) => runId}
          opens={({ runId }) => `/runs/${runId}`}
          columns={[
            {
              title: runs.what,
              cell: (run) => (
                <>
                  <Link to={`/runs/${run.runId}`}>{runName(run, words)}</Link>
                  {run.because !== null && <div className="muted">{run.because}</div>}
                </>
              ),
            },
            {
              title: runs.status,
              cell: ({ status, eligibleCount }) => <RunChip status={status} people={eligibleCount} />,
            },
            {
              title: runs.people,
              isNumber: true,
              cell: ({ eligibleCount }) => words.number(eligibleCount),
            },
            { title: runs.by, cell: ({ createdBy }) => createdBy },
            { title: runs.when, cell: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      )}
      {page.state === 'there' && (
        <p className="row">
          {before !== '' && <Link to="/runs">{deliveries.newest}</Link>}
          {page.value.next && <Link to={`/runs${queryOf(page.value.next)}`}>{deliveries.more}</Link>}
        </p>
      )}
    </>
  );
}
