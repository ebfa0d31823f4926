import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Language, useLanguage } from '../words/words.ts';

/** A few lines over the last hour, from zero, with the unit in its title. */
interface ChartParts {
  title: string;
  /** Seconds since the epoch, then a line each. */
  data: uPlot.AlignedData;
  labels: readonly string[];
}

const height = 160;
const colours = ['--accent', '--hand'] as const;

export function Chart({ title, data, labels }: ChartParts) {
  const language = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const names = labels.join('\n');
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
        legend: { show: names.includes('\n'), live: false },
        scales: { y: { range: (_self, _min, max) => [0, Math.max(1, max * 1.1)] } },
        axes: [
          {
            ...axis,
            values: (_self, splits) => splits.map(timeIn(language, (splits.at(-1) ?? 0) - (splits[0] ?? 0))),
          },
          { ...axis, size: 48 },
        ],
        series: [
          { value: (_self, at) => (at == null ? '' : timeIn(language)(at)) },
          ...names.split('\n').map((label, index) => ({
            ...{ label, width: 2, points: { size: 4 } },
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
  }, [names, language]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart that was made anew has no data yet.
  useEffect(() => plot.current?.setData(data), [data, names, language]);
  return (
    <figure style={{ margin: 0 }}>
      <figcaption className="muted">{title}</figcaption>
      <div ref={place} role="img" aria-label={title} />
    </figure>
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
