import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Language, useLanguage } from '../words/words.ts';

/** A few lines over some time, from zero; the unit is at the axis, and several lines have their names where they end. */
interface ChartParts {
  title: string;
  /** Seconds since the epoch, then a line each. */
  data: uPlot.AlignedData;
  labels: readonly string[];
  /** Behind the numbers of the axis, where the title does not say it. */
  unit?: string;
}

const height = 160;
/** Of a name at the end of its line, so that none is on another. */
const labelHeight = 16;
/** A time or a day under the last line of the grid sticks out by half of itself. */
const lastLabelHalf = 24;
const colours = ['--accent', '--hand'] as const;

export function Chart({ title, data, labels, unit = '' }: ChartParts) {
  const language = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const ends = useRef<HTMLDivElement>(null);
  const names = labels.join('\n');
  const isNamed = labels.length > 1;
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const style = getComputedStyle(element);
    const ink = style.getPropertyValue('--muted');
    const axis = {
      stroke: ink,
      grid: { stroke: style.getPropertyValue('--hair'), width: 1 },
      ticks: { show: false },
    };
    const chart = new uPlot(
      {
        width: element.clientWidth || 320,
        height,
        cursor: { y: false },
        legend: { show: false },
        padding: [8, lastLabelHalf, 0, 0],
        hooks: { draw: [(self) => placeNames(self, ends.current)] },
        scales: { y: { range: (_self, _min, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [
          {
            ...axis,
            values: (_self, splits) => splits.map(timeIn(language, (splits.at(-1) ?? 0) - (splits[0] ?? 0))),
          },
          {
            ...{ ...axis, size: 48 },
            values: (_self, splits) =>
              splits.map((value) => `${value.toLocaleString(language)}${unit === '' ? '' : `\u00a0${unit}`}`),
          },
        ],
        series: [
          { value: (_self, at) => (at == null ? '' : timeIn(language)(at)) },
          ...names.split('\n').map((label, index) => ({
            ...{ label, width: 2, points: { size: 5, filter: lonePoints } },
            stroke: style.getPropertyValue(colours[index] ?? '--ink'),
          })),
        ],
      },
      [[], ...names.split('\n').map(() => [])] as uPlot.AlignedData,
      element,
    );
    plot.current = chart;
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
    };
  }, [names, language, unit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart that was made anew has no data yet.
  useEffect(() => plot.current?.setData(data), [data, names, language, unit]);
  return (
    <figure style={{ margin: 0 }}>
      <figcaption className="muted">{title}</figcaption>
      <div
        className={isNamed ? 'chart named' : 'chart'}
        role="img"
        aria-label={[title, ...(isNamed ? labels : [])].join(', ')}
      >
        <div ref={place} />
        {isNamed && (
          <div ref={ends} className="ends">
            {labels.map((label, index) => (
              <span key={label} style={{ color: `var(${colours[index] ?? '--ink'})` }}>
                {label}
              </span>
            ))}
          </div>
        )}
      </div>
    </figure>
  );
}

/** Each name as high as its line ends; where lines end together, one below the other in the order of the lines. */
function placeNames(plot: uPlot, ends: HTMLDivElement | null): void {
  if (!ends) return;
  const top = plot.bbox.top / devicePixelRatio;
  const placed = [...ends.children].map((name, index) => {
    const values = [...(plot.data[index + 1] ?? [])];
    const last = values.findLast((value) => value != null) ?? 0;
    return { name: name as HTMLElement, y: top + plot.valToPos(last, 'y') };
  });
  placed.sort((one, other) => one.y - other.y);
  const lowest = height - 2 * labelHeight;
  for (const [index, one] of placed.entries()) {
    const above = placed[index - 1];
    if (above) one.y = Math.max(one.y, above.y + labelHeight);
  }
  const over = Math.max(0, (placed.at(-1)?.y ?? 0) - lowest);
  for (const { name, y } of placed) name.style.top = `${Math.max(0, y - over - labelHeight / 2)}px`;
}

/** Where lines have too many points for a dot each, one without neighbours has a dot all the same: there is no line through it. */
function lonePoints(plot: uPlot, series: number, isShown: boolean): number[] | null {
  if (isShown) return null;
  const values = [...(plot.data[series] ?? [])];
  return values.flatMap((value, at) =>
    value != null && values[at - 1] == null && values[at + 1] == null ? [at] : [],
  );
}

const daySeconds = 86_400;

/** Over days the day says more than the minute. */
const timeIn =
  (language: Language, spanSeconds = 0) =>
  (seconds: number) =>
    spanSeconds > daySeconds
      ? new Date(seconds * 1_000).toLocaleDateString(language, { day: 'numeric', month: 'short' })
      : new Date(seconds * 1_000).toLocaleTimeString(language, {
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
        });
