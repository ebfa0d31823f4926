import type { Status } from '../../../src/domain/status.ts';
import type { Standing } from '../../../src/http/live/standing.ts';
import { Chart } from '../parts/chart.tsx';
import { FeedsNow } from '../parts/feeds-now.tsx';
import { FirstMinute } from '../parts/first-minute.tsx';
import { Heading } from '../parts/heading.tsx';
import { LifeCycleMap } from '../parts/life-cycle-map.tsx';
import { Link } from '../parts/link.tsx';
import { PauseSwitch } from '../parts/pause-switch.tsx';
import { ProviderNow } from '../parts/provider-now.tsx';
import { Loading } from '../parts/shapes.tsx';
import { MailBySource, RunsNow, SourcesNeedPerson } from '../parts/sources-now.tsx';
import { useWords } from '../words/words.ts';

export function HomePage({
  standing,
  isLost,
  mayChange,
}: {
  standing: Standing | null;
  isLost: boolean;
  mayChange: boolean;
}) {
  const { home } = useWords();
  if (!standing) return <Loading />;
  const counts = new Map<Status, number>();
  for (const { status, count } of standing.counts) counts.set(status, (counts.get(status) ?? 0) + count);
  return (
    <>
      <Heading title={home.title}>Tidings</Heading>
      <p className="muted">{standing.environment}</p>
      {isLost && (
        <p className="notice" role="status">
          {home.lost}
        </p>
      )}
      {standing.has.samples && mayChange && <FirstMinute />}
      <PauseSwitch standing={standing} mayChange={mayChange} />
      <h2>{home.map}</h2>
      <p className="muted">{home.mapLead}</p>
      <LifeCycleMap counts={counts} arrows={standing.arrows} />
      <MailBySource counts={standing.counts} />
      <div className="columns">
        <NeedsPerson counts={counts} standing={standing} />
        <ProviderNow provider={standing.provider} />
        <FeedsNow feeds={standing.feeds} />
        <RunsNow standing={standing} />
      </div>
      <History minutes={standing.minutes} at={standing.at} />
    </>
  );
}

function NeedsPerson({ counts, standing }: { counts: ReadonlyMap<Status, number>; standing: Standing }) {
  const { home } = useWords();
  const [doubts, dead] = [counts.get('needs_review') ?? 0, counts.get('failed_permanent') ?? 0];
  return (
    <section>
      <h2>{home.person}</h2>
      {doubts + dead === 0 && standing.runs.every(({ status }) => status !== 'halted') && (
        <p>{home.nothing}</p>
      )}
      {doubts > 0 && (
        <p>
          <span className="person" aria-hidden="true">
            ▲
          </span>{' '}
          <Link to="/needs-review">{home.needsReview(doubts)}</Link>
        </p>
      )}
      {dead > 0 && (
        <p>
          <span className="person" aria-hidden="true">
            ▲
          </span>{' '}
          <Link to="/dead-letters">{home.deadLetters(dead)}</Link>
        </p>
      )}
      <SourcesNeedPerson standing={standing} />
    </section>
  );
}

/** Every minute of the last hour, also those in which nothing happened. */
function History({ minutes, at }: Pick<Standing, 'minutes' | 'at'>) {
  const { home } = useWords();
  if (minutes.length === 0) return <p className="muted">{home.noHistory}</p>;
  const last = Math.floor(Date.parse(at ?? '') / minuteMs) * minuteMs;
  const starts = Array.from({ length: 60 }, (_, index) => last - (59 - index) * minuteMs);
  const all = starts.map((start) => minutes.find((minute) => minute.at === start));
  const times = starts.map((start) => start / 1000);
  const seconds = (ms: number | null | undefined) => (ms == null ? null : ms / 1000);
  return (
    <div className="columns" style={{ marginTop: 32 }}>
      <Chart
        title={home.throughput}
        data={[times, all.map((minute) => minute?.accepted ?? 0)]}
        labels={[home.throughput]}
      />
      <Chart
        title={home.latency}
        data={[
          times,
          all.map((minute) => seconds(minute?.p50Ms)),
          all.map((minute) => seconds(minute?.p99Ms)),
        ]}
        labels={[home.latencyMiddle, home.latencySlow]}
        unit="s"
      />
    </div>
  );
}

const minuteMs = 60_000;
