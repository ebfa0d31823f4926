import type { DeadLetter, Reviewer, ReviewJobDetails } from '../../../src/client/review-shapes.ts';
import { useWords } from '../words/words.ts';
import { Link } from './link.tsx';
import { Chip, When } from './shapes.tsx';
import { Table } from './table.tsx';

interface RecipientParts {
  job: ReviewJobDetails;
  /** Left out for who only looks. */
  tryAgain?: (email: string) => void;
}

/** Who is told of a review: each with the state of their delivery, and why it did not reach them. */
export function ReviewRecipients({ job, tryAgain }: RecipientParts) {
  const { reviews } = useWords();
  const letterOf = new Map(job.dead_letters.map((letter) => [letter.email, letter]));
  return (
    <Table
      title={reviews.recipients}
      rows={job.recipients}
      keyOf={({ email }) => email}
      columns={[
        {
          title: reviews.reviewer,
          cell: (one) => (
            <>
              <Link to={`/deliveries/${one.delivery_seq}`}>{one.email}</Link>
              <div className="muted">{one.required ? reviews.required : reviews.optional}</div>
            </>
          ),
        },
        { title: reviews.status, cell: ({ stage }) => <Chip status={stage} /> },
        { title: reviews.notified, cell: ({ notified_at }) => <When at={notified_at} /> },
        { title: reviews.attempts, isNumber: true, cell: ({ attempts }) => attempts },
        {
          title: reviews.why,
          cell: ({ email, last_error }) => {
            const letter = letterOf.get(email);
            if (letter) return <WhyNot letter={letter} />;
            return last_error && <code>{last_error.message ?? last_error.code}</code>;
          },
        },
        ...(tryAgain && letterOf.size > 0
          ? [
              {
                title: reviews.againOne,
                cell: ({ email }: Reviewer) =>
                  letterOf.has(email) && (
                    <button
                      type="button"
                      aria-label={`${reviews.againOne}: ${email}`}
                      onClick={() => tryAgain(email)}
                    >
                      {reviews.againOne}
                    </button>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}

/** What went wrong, and whom that asks. */
export function WhyNot({ letter }: { letter: DeadLetter }) {
  const { reviews } = useWords();
  return (
    <>
      {reviews.classes[letter.error_class]}: {reviews.asks[letter.asks]}.{' '}
      {letter.escalated && reviews.escalated}
      <div className="muted">
        <code>{letter.code}</code> {letter.context.message} · {reviews.failures(letter.failures)}
      </div>
    </>
  );
}
