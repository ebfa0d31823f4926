import type { RunDetails } from '../../../src/client/run-shapes.ts';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { NoSuch } from '../parts/no-such.tsx';
import { RunCanary } from '../parts/run-canary.tsx';
import { RunItems } from '../parts/run-items.tsx';
import { RunPlan } from '../parts/run-plan.tsx';
import { RunProgressNow } from '../parts/run-progress.tsx';
import { RunSample } from '../parts/run-sample.tsx';
import { RunChip } from '../parts/run-status.tsx';
import { RunVerbs } from '../parts/run-verbs.tsx';
import { Loading, When } from '../parts/shapes.tsx';
import { runName, runsPath } from '../runs.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';
import '../parts/run.css';

/** One run or plan: how it stands, whom it tells and whom not, and the way on. */
export function RunPage({ runId, mayChange }: { runId: string; mayChange: boolean }) {
  const words = useWords();
  const { runs } = words;
  const [asked, again] = useAsked<RunDetails>(`${runsPath}/${encodeURIComponent(runId)}`);
  useRepeated(asked, again, asked.state === 'broken' || (asked.state === 'there' && isMoving(asked.value)));
  if (asked.state === 'waiting') return <Loading />;
  if (asked.state === 'broken')
    return (
      <NoSuch thing="run" list={{ to: '/runs', name: runs.back }} problem={asked.problem} again={again} />
    );
  const run = asked.value;
  const isPlan = run.status === 'planned' || run.status === 'expired';
  return (
    <>
      <p>
        <Link to="/runs">{runs.back}</Link>
      </p>
      <Heading>{runName(run, words)}</Heading>
      <p>
        <RunChip status={run.status} people={run.eligibleCount} /> {run.status !== 'halted' && run.because}
      </p>
      <p className="muted">
        {run.createdBy}, <When at={run.createdAt} />
        {run.isForced && ` · ${runs.forced}`}
        {run.limit !== null && ` · ${runs.limited(run.limit)}`}
      </p>
      {isPlan ? <RunPlan run={run} mayChange={mayChange} again={again} /> : <RunProgressNow run={run} />}
      {run.canary && !isPlan && <RunCanary run={run} canary={run.canary} />}
      {mayChange && <RunVerbs run={run} again={again} />}
      <NotTold run={run} />
      {run.appliedAt === null && run.planExpiresAt !== null && <RunSample sample={run.sample} />}
      <h2>{runs.items}</h2>
      <RunItems run={run} />
    </>
  );
}

/** Mails of a run that is composed as a whole may be leaving for hours. */
function isMoving({ status, progress: { done, total } }: RunDetails): boolean {
  return ['running', 'paused', 'halted'].includes(status) || (status === 'finished' && done < total);
}

function NotTold({ run: { progress } }: { run: RunDetails }) {
  const { runs, number } = useWords();
  const reasons = Object.entries(progress.reasons).sort(([, one], [, other]) => other - one);
  return (
    <section>
      <h2>{runs.notTold}</h2>
      {reasons.length === 0 && <p>{runs.everybodyTold}</p>}
      <ul className="counts">
        {reasons.map(([reason, count]) => (
          <li key={reason}>
            {number(count)}: {runs.reasons[reason] ?? <code>{reason}</code>}
          </li>
        ))}
      </ul>
    </section>
  );
}
