import type { DeadLetterPage } from '../../../src/client/review-shapes.ts';
import { queryOf } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { WhyNot } from '../parts/review-recipients.tsx';
import { Broken, Chip, Empty, Loading, When } from '../parts/shapes.tsx';
import { Table } from '../parts/table.tsx';
import { usePlace } from '../place.ts';
import { reviewsPath } from '../reviews.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';

/** Reviewers who have not heard and by themselves never will, newest first. */
export function ReviewDeadLettersPage() {
  const { reviews, deliveries } = useWords();
  const { query } = usePlace();
  const below = query.get('below') ?? '';
  const [page, again] = useAsked<DeadLetterPage>(`${reviewsPath}/dead-letters${queryOf({ below })}`);
  return (
    <>
      <p>
        <Link to="/reviews">{reviews.back}</Link>
      </p>
      <Heading>{reviews.deadLetters}</Heading>
      {page.state === 'there' && page.value.dead_letters.length > 0 && <p>{reviews.deadLettersLead}</p>}
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && page.value.dead_letters.length === 0 && (
        <Empty>{page.value.next ? reviews.scanned : reviews.noDeadLetters}</Empty>
      )}
      {page.state === 'there' && page.value.dead_letters.length > 0 && (
        <Table
          title={reviews.deadLetters}
          rows={page.value.dead_letters}
          keyOf={({ delivery_seq }) => delivery_seq}
          opens={({ job_id }) => `/reviews/${job_id}`}
          columns={[
            {
              title: reviews.reviewer,
              cell: (letter) => (
                <>
                  <Link to={`/reviews/${letter.job_id}`}>{letter.email}</Link>
                  <div className="muted">
                    {letter.changelist_id}, {reviews.version(letter.review_version)}
                  </div>
                </>
              ),
            },
            { title: reviews.status, cell: ({ stage }) => <Chip status={stage} /> },
            { title: reviews.why, cell: (letter) => <WhyNot letter={letter} /> },
            { title: reviews.last, cell: (letter) => <When at={letter.last_failed_at} /> },
          ]}
        />
      )}
      {page.state === 'there' && (
        <p className="row">
          {below !== '' && <Link to="/reviews/dead-letters">{deliveries.newest}</Link>}
          {page.value.next && (
            <Link to={`/reviews/dead-letters${queryOf(page.value.next)}`}>{deliveries.more}</Link>
          )}
        </p>
      )}
    </>
  );
}
