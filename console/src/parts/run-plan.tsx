import { type FormEvent, useState } from 'react';
import type { RunDetails } from '../../../src/client/run-shapes.ts';
import { ask, queryOf, Refused } from '../api.ts';
import { canaryOf, plansPath, usualCanary } from '../runs.ts';
import { useLanguage, useWords } from '../words/words.ts';
import { CanaryFields } from './canary-fields.tsx';
import { Link } from './link.tsx';
import { ReasonField, reasonOf } from './reason-dialog.tsx';

interface PlanParts {
  run: RunDetails;
  mayChange: boolean;
  again(): void;
}

/** A plan: how many would be told, until when it can be applied, and the button that does it. */
export function RunPlan({ run, mayChange, again }: PlanParts) {
  const { runs } = useWords();
  const { eligibleCount, planExpiresAt, notificationType, periodKey } = run;
  const isOver = run.status === 'expired' || Date.parse(planExpiresAt ?? '') <= Date.now();
  const anew = queryOf({ type: notificationType, period: periodKey, limit: run.limit ?? '' });
  return (
    <section>
      <p>
        <strong>{runs.wouldBeTold(eligibleCount)}.</strong> {eligibleCount === 0 && runs.nobody}
      </p>
      {isOver && (
        <p>
          {runs.expired} {mayChange && <Link to={`/runs/new${anew}`}>{runs.planAgain}</Link>}
        </p>
      )}
      {!isOver && eligibleCount > 0 && mayChange && <Apply run={run} again={again} />}
    </section>
  );
}

function Apply({ run, again }: Omit<PlanParts, 'mayChange'>) {
  const { runs } = useWords();
  const language = useLanguage();
  const { canary } = run;
  const [wish, setWish] = useState(
    canary
      ? {
          ...{ isWanted: true, size: String(canary.size), bouncesMax: String(canary.bouncesMax) },
          waitMinutes: String(canary.waitMinutes),
        }
      : usualCanary,
  );
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const apply = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await ask('POST', `${plansPath}/${run.runId}/apply`, {
        ...canaryOf(wish),
        ...reasonOf(reason),
      });
    } catch (error) {
      setProblem(error instanceof Refused ? error.message : String(error));
      setBusy(false);
    }
    again();
  };
  return (
    <form className="order" onSubmit={apply}>
      <p>{runs.applyWhat}</p>
      <CanaryFields wish={wish} change={setWish} isFixed={canary !== null} />
      <ReasonField reason={reason} change={setReason} isOptional />
      {problem !== '' && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      <div className="row">
        <button type="submit" className="main" disabled={isBusy}>
          {runs.apply(run.eligibleCount)}
        </button>
        <span className="muted">
          {runs.applyUntil} {new Date(run.planExpiresAt ?? '').toLocaleString(language)}
        </span>
      </div>
    </form>
  );
}
