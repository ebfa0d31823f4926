import { type FormEvent, useState } from 'react';
import type { Run, Triggered } from '../../../src/client/run-shapes.ts';
import {
  frequencies,
  isNotificationType,
  type NotificationType,
  notificationTypes,
} from '../../../src/sources/newsletters/notification-type.ts';
import { previousPeriod } from '../../../src/sources/newsletters/period.ts';
import { ask, Refused } from '../api.ts';
import { CanaryFields } from '../parts/canary-fields.tsx';
import { Heading } from '../parts/heading.tsx';
import { Link } from '../parts/link.tsx';
import { go, usePlace } from '../place.ts';
import { canaryOf, plansPath, usualCanary } from '../runs.ts';
import { useWords } from '../words/words.ts';
import '../parts/run.css';

/** Planning a run: a plan tells nobody. Who is in a hurry counts, and starts without one. */
export function NewRunPage() {
  const { runs } = useWords();
  const { query } = usePlace();
  const wished = query.get('type') ?? '';
  const [type, setType] = useState<NotificationType>(
    isNotificationType(wished) ? wished : 'newsletter_entity_monthly',
  );
  const [period, setPeriod] = useState(query.get('period') ?? '');
  const [limit, setLimit] = useState(query.get('limit') ?? '');
  const [isForced, setForced] = useState(query.get('force') === 'true');
  const [canary, setCanary] = useState(usualCanary);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [counted, setCounted] = useState<Triggered>();

  const order = () => ({
    notificationType: type,
    ...(period.trim() !== '' && { periodKey: period.trim() }),
    ...(limit !== '' && { limit: Number(limit) }),
    ...(isForced && { force: true }),
    ...canaryOf(canary),
  });
  const perform = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem('');
    await work().catch((error: unknown) =>
      setProblem(error instanceof Refused ? error.message : String(error)),
    );
    setBusy(false);
  };
  const plan = (event: FormEvent) => {
    event.preventDefault();
    void perform(async () => go(`/runs/${(await ask<Run>('POST', plansPath, order())).runId}`));
  };
  const trigger = (more: object) =>
    ask<Triggered>('POST', '/api/v1/notifications/trigger', { ...order(), ...more });
  const count = () => void perform(async () => setCounted(await trigger({ dryRun: true })));
  const start = () =>
    void perform(async () => {
      const answer = await trigger({});
      if (answer.collectJobEnqueued) go(`/runs/${answer.runId}`);
      else setCounted(answer);
    });
  // What was counted is of another order as soon as the order is another.
  const changed = () => setCounted(undefined);
  return (
    <>
      <p>
        <Link to="/runs">{runs.back}</Link>
      </p>
      <Heading>{runs.new}</Heading>
      <p>{runs.planHelp}</p>
      <form className="order" onSubmit={plan} onChange={changed}>
        <div className="fields">
          <label>
            {runs.type}
            <select value={type} onChange={({ target }) => setType(target.value as NotificationType)}>
              {notificationTypes.map((one) => (
                <option key={one} value={one}>
                  {runs.types[one]}
                </option>
              ))}
            </select>
          </label>
          <label>
            {runs.period}
            <input
              value={period}
              maxLength={10}
              placeholder={previousPeriod(frequencies[type], Date.now()).key}
              aria-describedby="period-help"
              onChange={({ target }) => setPeriod(target.value)}
            />
            <span className="muted" id="period-help">
              {runs.periodHelp(previousPeriod(frequencies[type], Date.now()).key)}
            </span>
          </label>
          <label>
            {runs.limit}
            <input
              type="number"
              min={1}
              max={10_000_000}
              value={limit}
              aria-describedby="limit-help"
              onChange={({ target }) => setLimit(target.value)}
            />
            <span className="muted" id="limit-help">
              {runs.limitHelp}
            </span>
          </label>
        </div>
        <label className="check">
          <input type="checkbox" checked={isForced} onChange={({ target }) => setForced(target.checked)} />
          {runs.force}
        </label>
        <CanaryFields wish={canary} change={setCanary} />
        {problem !== '' && (
          <p className="notice" role="alert">
            {problem}
          </p>
        )}
        <div className="row">
          <button type="submit" className="main" disabled={isBusy}>
            {runs.plan}
          </button>
          <button type="button" disabled={isBusy} onClick={count}>
            {runs.count}
          </button>
        </div>
      </form>
      {counted && <Counted counted={counted} isBusy={isBusy} start={start} />}
    </>
  );
}

function Counted({ counted, isBusy, start }: { counted: Triggered; isBusy: boolean; start: () => void }) {
  const { runs } = useWords();
  const { eligibleCount, periodKey, dryRun, existingRunId } = counted;
  return (
    <div role="status" className="notice">
      <p>{dryRun ? runs.counted(eligibleCount, periodKey) : runs.exists(periodKey)}</p>
      {dryRun && eligibleCount > 0 && (
        <button type="button" disabled={isBusy} onClick={start}>
          {runs.start(eligibleCount)}
        </button>
      )}
      {existingRunId !== undefined && <Link to={`/runs/${existingRunId}`}>{runs.existing}</Link>}
    </div>
  );
}
