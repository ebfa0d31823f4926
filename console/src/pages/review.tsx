import { useState } from 'react';
import type { Retried, ReviewJobDetails } from '../../../src/client/review-shapes.ts';
import { ask } from '../api.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { NoSuch } from '../parts/no-such.tsx';
import { ReasonDialog } from '../parts/reason-dialog.tsx';
import { ReviewFindings } from '../parts/review-findings.tsx';
import { ReviewRecipients } from '../parts/review-recipients.tsx';
import { ReviewChip } from '../parts/review-state.tsx';
import { Loading, When } from '../parts/shapes.tsx';
import { reviewsPath } from '../reviews.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';

/** One review job: who was told of it, who was not and why, and another try for them. */
export function ReviewJobPage({ jobId, mayChange }: { jobId: string; mayChange: boolean }) {
  const { reviews } = useWords();
  const path = `${reviewsPath}/jobs/${encodeURIComponent(jobId)}`;
  const [asked, again] = useAsked<ReviewJobDetails>(path);
  const isMoving = asked.state === 'there' && !['succeeded', 'failed'].includes(asked.value.state);
  useRepeated(asked, again, isMoving);
  /** For whom it is asked again; nobody named is everybody who has not heard. */
  const [chosen, setChosen] = useState<{ email?: string }>();
  const [retried, setRetried] = useState<Retried['recipients']>();
  if (asked.state === 'waiting') return <Loading />;
  if (asked.state === 'broken')
    return (
      <NoSuch
        thing="review"
        list={{ to: '/reviews', name: reviews.back }}
        problem={asked.problem}
        again={again}
      />
    );
  const job = asked.value;
  const untold = job.dead_letters.length;
  const perform = async (reason: string) => {
    const recipients = chosen?.email === undefined ? {} : { recipients: [chosen.email] };
    setRetried((await ask<Retried>('POST', `${path}/retry`, { reason, ...recipients })).recipients);
    again();
  };
  return (
    <>
      <p>
        <Link to="/reviews">{reviews.back}</Link>
      </p>
      <Heading>{job.title}</Heading>
      <p>
        <ReviewChip state={job.state} /> {job.changelist_id}, {reviews.version(job.review_version)}
        {job.previous_version !== null && `, ${reviews.after(job.previous_version)}`}
        {job.rerun && ` (${reviews.rerun})`}
      </p>
      <p className="muted">
        {reviews.by(job.created_by)}, <When at={job.created_at} />
      </p>
      {mayChange && untold > 0 && (
        <button type="button" onClick={() => setChosen({})}>
          {reviews.again(untold)}
        </button>
      )}
      {retried && <Outcome retried={retried} />}
      <h2>{reviews.recipients}</h2>
      <ReviewRecipients job={job} {...(mayChange && { tryAgain: (email) => setChosen({ email }) })} />
      <ReviewFindings job={job} />
      {chosen && (
        <ReasonDialog
          title={chosen.email === undefined ? reviews.again(untold) : `${reviews.againOne}: ${chosen.email}`}
          consequence={reviews.againWhat}
          button={reviews.againOne}
          perform={perform}
          close={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

function Outcome({ retried }: { retried: Retried['recipients'] }) {
  const { reviews } = useWords();
  const left = retried.filter(({ requeued }) => !requeued);
  return (
    <div role="status" className="notice">
      <p>{reviews.done(retried.length - left.length)}</p>
      {left.map(({ email, sentence }) => (
        <p key={email}>
          {email}: {sentence}
        </p>
      ))}
    </div>
  );
}
