import type { Run, RunDetails, RunItem } from '../../../src/client/run-shapes.ts';
import { queryOf } from '../api.ts';
import { runsPath } from '../runs.ts';
import { useAsked } from '../use-asked.ts';
import { useWords } from '../words/words.ts';
import { Mark } from './mark.tsx';
import { ItemTable } from './run-items.tsx';
import { Broken, Loading, When } from './shapes.tsx';

/** What the first mails of a run met; where that was too much, what halted it and the way on. */
export function RunCanary({ run, canary }: { run: RunDetails; canary: NonNullable<Run['canary']> }) {
  const { runs } = useWords();
  const { size, bouncesMax, waitMinutes, passedAt } = canary;
  const met = run.progress.canary;
  return (
    <section>
      <h2>{runs.canaryNow}</h2>
      <p className="muted">{runs.canaryRule(size, bouncesMax, waitMinutes)}</p>
      {passedAt !== null && (
        <p>
          <Mark meaning="good">{runs.passed}</Mark>, <When at={passedAt} />
        </p>
      )}
      {met && <p>{runs.canaryMet(met.accepted, met.open, met.bad)}</p>}
      {met && met.stuck > 0 && <p>{runs.stuck(met.stuck)}</p>}
      {met?.listensUntil && (
        <p>
          <Mark meaning="in hand">{runs.listens}</Mark> <When at={met.listensUntil} />
        </p>
      )}
      {run.status === 'halted' && <Halted run={run} />}
    </section>
  );
}

/** Of the first mails those that came back; of a canary that is larger than one page of its list, those on that page. */
const lookedAtMost = 1_000;
const bad: readonly (string | null)[] = ['failed_permanent', 'suppressed', 'failed_transient'];

function Halted({ run }: { run: RunDetails }) {
  const { runs } = useWords();
  const [page, again] = useAsked<{ items: RunItem[] }>(
    `${runsPath}/${run.runId}/items${queryOf({ state: 'composed', limit: lookedAtMost })}`,
  );
  return (
    <div className="notice">
      <p>
        <Mark meaning="needs a person">
          <strong>{runs.haltedTitle}.</strong>
        </Mark>{' '}
        {run.because}
      </p>
      <p>{runs.haltedWay}</p>
      <h3>{runs.whatHalted}</h3>
      {page.state === 'waiting' && <Loading />}
      {page.state === 'broken' && <Broken problem={page.problem} again={again} />}
      {page.state === 'there' && (
        <ItemTable
          title={runs.whatHalted}
          items={page.value.items.filter(({ deliveryStatus }) => bad.includes(deliveryStatus))}
        />
      )}
    </div>
  );
}
