import type { ReviewJobDetails } from '../../../src/client/review-shapes.ts';
import { useWords } from '../words/words.ts';

/** What was said of the change list. All of it is a stranger's words: shown as text. */
export function ReviewFindings({ job }: { job: ReviewJobDetails }) {
  const { reviews } = useWords();
  // Checked where it came in; a script is no link here either.
  const url = /^https?:\/\//i.test(job.url ?? '') ? job.url : null;
  return (
    <section>
      <h2>{reviews.findings}</h2>
      {url !== null && (
        <p>
          <a href={url} rel="noreferrer noopener" target="_blank">
            {reviews.link}
          </a>
        </p>
      )}
      {job.summary !== null && <p style={{ whiteSpace: 'pre-wrap' }}>{job.summary}</p>}
      {job.forgotten_at !== null && <p className="muted">{reviews.forgotten}</p>}
      {job.forgotten_at === null && job.findings.length === 0 && (
        <p className="muted">{reviews.noFindings}</p>
      )}
      <ul className="counts">
        {job.findings.map(({ severity, message, file, line }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a review never changes.
          <li key={at}>
            <strong>{reviews.severities[severity]}</strong> {message}
            {file && <div className="mono">{line === undefined ? file : reviews.line(file, line)}</div>}
          </li>
        ))}
      </ul>
    </section>
  );
}
