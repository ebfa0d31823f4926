import { layout } from '../../../scripts/docs/map-layout.ts';
import { type Meaning, meanings } from '../../../src/domain/meanings.ts';
import { type Status, statusNames } from '../../../src/domain/status.ts';
import { go } from '../place.ts';
import { useMedia } from '../use-media.ts';
import { useWords } from '../words/words.ts';
import { MapArrow } from './map-arrow.tsx';
import { flowsOf } from './map-flows.ts';
import { narrowLayout } from './map-layout-narrow.ts';
import { marks } from './shapes.tsx';

/** The picture of the home page: stations with their counts, arrows as thick as what passed in the last hour. */
interface MapParts {
  counts: ReadonlyMap<Status, number>;
  arrows: readonly { from: Status | null; to: Status; count: number }[];
}

/** Below this the wide one would be too small to be read. */
const narrow = '(max-width: 1100px)';
const stationHeight = 48;
const colourOf: Readonly<Record<Meaning, string>> = {
  good: 'var(--good)',
  'in hand': 'var(--hand)',
  'needs a person': 'var(--person)',
  'stopped on purpose': 'var(--stopped)',
};

export function LifeCycleMap({ counts, arrows }: MapParts) {
  const { home, meanings: meant } = useWords();
  const isNarrow = useMedia(narrow);
  const { width, height, areas, boxes, ...map } = isNarrow ? narrowLayout : layout;
  const passed = new Map(arrows.map(({ from, to, count }) => [`${from}>${to}`, count]));
  return (
    <svg className={isNarrow ? 'map narrow' : 'map'} viewBox={`0 0 ${width} ${height}`}>
      <title>{home.map}</title>
      {areas.map(({ titleAt: [titleX, titleY], mailExists, title: _, ...box }) => (
        <g key={mailExists}>
          <rect {...box} rx="10" fill="none" stroke="var(--hair)" strokeDasharray="2 4" />
          <text x={titleX} y={titleY} textAnchor="middle" fill="var(--muted)">
            {home.mailExists[mailExists]}
          </text>
        </g>
      ))}
      {boxes.map(({ title, ...box }) => (
        <g key={`${box.x} ${box.y}`}>
          <rect {...box} rx="10" fill="none" stroke="var(--hair)" />
          {title !== '' && (
            <text x={box.x + 16} y={box.y + 22} fill="var(--muted)">
              {meant['stopped on purpose']}
            </text>
          )}
        </g>
      ))}
      {flowsOf(map).map((flow) => (
        <MapArrow key={`${flow.moves.join()} ${flow.points.join()}`} flow={flow} passed={passed} />
      ))}
      {statusNames.map((status) => (
        <StationMark
          key={status}
          status={status}
          count={counts.get(status) ?? 0}
          at={map.stations[status] as StationAt}
        />
      ))}
    </svg>
  );
}

interface StationAt {
  x: number;
  y: number;
  width?: number;
}

function StationMark({ status, count, at }: { status: Status; count: number; at: StationAt }) {
  const { number, statusMeanings } = useWords();
  const { x, y, width } = at;
  const { sign } = marks[meanings[status]];
  const colour = colourOf[meanings[status]];
  const to = `/deliveries?status=${status}`;
  const open = (event: React.MouseEvent) => {
    event.preventDefault();
    go(to);
  };
  return (
    <a href={`/console${to}`} onClick={open} data-station={status}>
      <title>{statusMeanings[status]}</title>
      {width === undefined ? (
        <text x={x} y={y} fill="var(--ink)">
          <tspan fill={colour}>{sign}</tspan> {status} <tspan fontWeight="600">{number(count)}</tspan>
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
            {number(count)}
          </text>
        </>
      )}
    </a>
  );
}
