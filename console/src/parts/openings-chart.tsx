import { useMemo } from 'react';
import { type HistorySpan, historySpans } from '../../../src/sources/course-seats/overview/spans.ts';
import { queryOf } from '../api.ts';
import { go, usePlace } from '../place.ts';
import { type History, seatsEveryMs, seatsPath } from '../seats.ts';
import { useAsked } from '../use-asked.ts';
import { useRepeated } from '../use-repeated.ts';
import { useWords } from '../words/words.ts';
import { Chart } from './chart.tsx';
import { Broken, Empty, Loading } from './shapes.tsx';

/** What opened and what closed, over a time that is in the address. */
export function OpeningsChart() {
  const { seats } = useWords();
  const { query } = usePlace();
  const span: HistorySpan = historySpans.find((one) => one === query.get('span')) ?? 'hour';
  const [history, again] = useAsked<History>(`${seatsPath}/overview/history${queryOf({ span })}`);
  useRepeated(history, again, true, seatsEveryMs);
  const show = (chosen: string) => {
    const rest = Object.fromEntries(query);
    go(`/seats${queryOf({ ...rest, span: chosen })}`, { isInPlace: true });
  };
  return (
    <>
      <label className="muted">
        {seats.span}{' '}
        <select value={span} onChange={({ target }) => show(target.value)}>
          {historySpans.map((one) => (
            <option key={one} value={one}>
              {seats.spans[one]}
            </option>
          ))}
        </select>
      </label>
      {history.state === 'waiting' && <Loading />}
      {history.state === 'broken' && <Broken problem={history.problem} again={again} />}
      {history.state === 'there' && <Lines history={history.value} />}
    </>
  );
}

function Lines({ history: { steps, stepMinutes } }: { history: History }) {
  const { seats } = useWords();
  const data = useMemo(
    () =>
      [
        steps.map(({ at }) => Date.parse(at) / 1000),
        steps.map(({ opened }) => opened),
        steps.map(({ closed }) => closed),
      ] as [number[], number[], number[]],
    [steps],
  );
  if (steps.every(({ opened, closed }) => opened + closed === 0)) return <Empty>{seats.noEdges}</Empty>;
  return <Chart title={seats.chartUnit(stepMinutes)} data={data} labels={[seats.opened, seats.closed]} />;
}
