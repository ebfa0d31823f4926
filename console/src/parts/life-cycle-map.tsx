import { areas, areaTop, boxes, layout } from '../../../scripts/docs/map-layout.ts';
import { type Meaning, meanings } from '../../../src/domain/meanings.ts';
import { type Status, statuses, statusNames } from '../../../src/domain/status.ts';
import { go } from '../place.ts';
import { useWords } from '../words/words.ts';
import { marks } from './shapes.tsx';

/** The picture of the home page: stations with their counts, arrows as thick as what passed in the last hour. */
interface MapParts {
  counts: ReadonlyMap<Status, number>;
  arrows: readonly { from: Status | null; to: Status; count: number }[];
}

const stationHeight = 48;
/** From a hair to a rope: ten times as many are one step thicker. */
const widthOf = (count: number) => (count === 0 ? 1 : Math.min(8, 1.5 + 1.5 * Math.log10(count)));
const colourOf: Readonly<Record<Meaning, string>> = {
  good: 'var(--good)',
  'in hand': 'var(--hand)',
  'needs a person': 'var(--person)',
  'stopped on purpose': 'var(--stopped)',
};

export function LifeCycleMap({ counts, arrows }: MapParts) {
  const { home } = useWords();
  const passed = (moves: readonly string[]) =>
    arrows.reduce((sum, { from, to, count }) => sum + (moves.includes(`${from}>${to}`) ? count : 0), 0);
  return (
    <div className="wide">
      <svg className="map" viewBox={`0 0 ${layout.width} 560`}>
        <title>{home.map}</title>
        <defs>
          <marker
            id="head"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 .6 7.4 4 0 7.4z" fill="var(--muted)" />
          </marker>
        </defs>
        {areas.map(({ x, width, height, title }) => (
          <g key={title}>
            <rect
              x={x}
              y={areaTop}
              width={width}
              height={height}
              rx="10"
              fill="none"
              stroke="var(--hair)"
              strokeDasharray="2 4"
            />
            <text x={x + width / 2} y={areaTop + 24} textAnchor="middle" fill="var(--muted)">
              {title}
            </text>
          </g>
        ))}
        {boxes.map(({ x, y, width, height, title }) => (
          <g key={`${x} ${y}`}>
            <rect x={x} y={y} width={width} height={height} rx="10" fill="none" stroke="var(--hair)" />
            <text x={x + 16} y={y + 22} fill="var(--muted)">
              {title}
            </text>
          </g>
        ))}
        {layout.routes.map(({ moves, lines, joins }) => {
          const count = passed(moves);
          return (
            <g
              key={`${moves.join()} ${lines.join()}`}
              fill="none"
              stroke="var(--muted)"
              strokeWidth={widthOf(count)}
              opacity={count === 0 ? 0.45 : 1}
            >
              <title>{`${moves.join(', ')}: ${count}`}</title>
              {lines.map((corners) => (
                <polyline
                  key={corners}
                  points={corners}
                  strokeLinejoin="round"
                  {...(!joins && { markerEnd: 'url(#head)' })}
                />
              ))}
            </g>
          );
        })}
        {statusNames.map((status) => (
          <StationMark key={status} status={status} count={counts.get(status) ?? 0} />
        ))}
      </svg>
    </div>
  );
}

function StationMark({ status, count }: { status: Status; count: number }) {
  const { x, y, width }: { x: number; y: number; width?: number } = layout.stations[status] as {
    x: number;
    y: number;
  };
  const { sign } = marks[meanings[status]];
  const colour = colourOf[meanings[status]];
  const to = `/deliveries?status=${status}`;
  const open = (event: React.MouseEvent) => {
    event.preventDefault();
    go(to);
  };
  return (
    <a href={`/console${to}`} onClick={open}>
      <title>{statuses[status].meaning}</title>
      {width === undefined ? (
        <text x={x} y={y} fill="var(--ink)">
          <tspan fill={colour}>{sign}</tspan> {status}{' '}
          <tspan fontWeight="600">{count.toLocaleString()}</tspan>
        </text>
      ) : (
        <>
          <rect
            x={x - width / 2}
            y={y - stationHeight / 2}
            width={width}
            height={stationHeight}
            rx="8"
            fill="var(--raised)"
            stroke={count > 0 ? colour : 'var(--hair)'}
            strokeWidth={count > 0 ? 2 : 1}
          />
          <text x={x} y={y - 5} textAnchor="middle" fill="var(--muted)">
            <tspan fill={colour}>{sign}</tspan> {status}
          </text>
          <text x={x} y={y + 16} textAnchor="middle" fill="var(--ink)" fontSize="16" fontWeight="600">
            {count.toLocaleString()}
          </text>
        </>
      )}
    </a>
  );
}
