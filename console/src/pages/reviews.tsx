import type { ReviewJob, ReviewPage } from '../../../src/client/review-shapes.ts';
import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { ReviewChip } from '../parts/review-state.tsx';
import { Choice, SearchBar } from '../parts/search-bar.tsx';
import { Broken, Empty, Loading, When } from '../parts/shapes.tsx';
import { Table } from '../parts/table.tsx';
import { go, usePlace } from '../place.ts';
import { reviewStates, reviewsPath } from '../reviews.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';

/** Review jobs, newest first: what was submitted, and whether everybody has heard. */
export function ReviewsPage() {
  const { reviews, deliveries } = useWords();
  const { query } = usePlace();
  const [state = '', changelist = '', before = ''] = ['state', 'changelist', 'before'].map(
    (name) => query.get(name) ?? '',
  );
  const [page, again] = useAsked<ReviewPage>(
    `${reviewsPath}/jobs${queryOf({ state, changelist_id: changelist, before })}`,
  );
  // A state is looked for among very many: nobody asks for that every other second.
  useRepeated(page, again, before === '' && state === '');
  const at = (more: Record<string, string>) => `/reviews${queryOf({ state, changelist, ...more })}`;
  return (
    <>
      <Heading>{reviews.title}</Heading>
      <p>
        <Link to="/reviews/dead-letters">{reviews.deadLetters}</Link>
      </p>
      <SearchBar
        label={reviews.changelist}
        sought={changelist}
        lengthMax={200}
        seek={(text) => go(at({ changelist: text }))}
      >
        <Choice
          label={reviews.state}
          chosen={state}
          options={reviewStates}
          wordOf={(name) => reviews.states[name]}
          choose={(name) => go(at({ state: name }))}
        />
      </SearchBar>
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && (
        <>
          {page.value.jobs.length > 0 && <Jobs jobs={page.value.jobs} />}
          {page.value.jobs.length === 0 && (
            <Empty>
              {page.value.next
                ? reviews.scanned
                : state + changelist === ''
                  ? reviews.empty
                  : reviews.emptyFiltered}
            </Empty>
          )}
          <p className="row">
            {before !== '' && <Link to={at({})}>{deliveries.newest}</Link>}
            {page.value.next && <Link to={at(page.value.next)}>{deliveries.more}</Link>}
          </p>
        </>
      )}
    </>
  );
}

function Jobs({ jobs }: { jobs: readonly ReviewJob[] }) {
  const { reviews, number } = useWords();
  return (
    <Table
      title={reviews.title}
      rows={jobs}
      keyOf={({ job_id }) => job_id}
      opens={({ job_id }) => `/reviews/${job_id}`}
      columns={[
        {
          title: reviews.review,
          cell: (job) => (
            <>
              <Link to={`/reviews/${job.job_id}`}>{job.title}</Link>
              <div className="muted">
                {job.changelist_id}, {reviews.version(job.review_version)}
              </div>
            </>
          ),
        },
        { title: reviews.state, cell: ({ state }) => <ReviewChip state={state} /> },
        {
          title: reviews.told,
          isNumber: true,
          cell: ({ recipients }) =>
            reviews.toldOf(
              recipients.filter(({ notified_at }) => notified_at !== null).length,
              recipients.length,
            ),
        },
        { title: reviews.findings, isNumber: true, cell: (job) => number(job.findings_count) },
        { title: reviews.when, cell: (job) => <When at={job.created_at} /> },
      ]}
    />
  );
}
