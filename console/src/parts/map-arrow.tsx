import type { Move, Point } from '../../../scripts/docs/map-layout.ts';
import type { Status } from '../../../src/domain/status.ts';
import { useWords, type Words } from '../words/words.ts';
import type { Flow } from './map-flows.ts';

/** From a hair to a rope: ten times as many are one step thicker. */
const widthOf = (count: number) => (count === 0 ? 1 : Math.min(8, 1.5 + 1.5 * Math.log10(count)));
/** Nobody hits a hair with a pointer. */
const pointedAt = 12;

/** One stretch of the map's lines, as thick as what passed along it, with that in sentences for whoever points at it. */
export function MapArrow({ flow, passed }: { flow: Flow; passed: ReadonlyMap<string, number> }) {
  const words = useWords();
  const { points, moves, hasHead } = flow;
  const count = moves.reduce((sum, move) => sum + (passed.get(move) ?? 0), 0);
  const width = widthOf(count);
  const head = hasHead ? headOf(points, width) : undefined;
  const corners = (head ? [...points.slice(0, -1), head.base] : points).join(' ');
  return (
    <g
      opacity={count === 0 ? 0.45 : 1}
      fill="none"
      stroke="var(--muted)"
      data-moves={moves.join(' ')}
      data-passed={count}
    >
      <title>{sentencesOf(moves, passed, words)}</title>
      <polyline points={corners} stroke="transparent" strokeWidth={pointedAt} pointerEvents="stroke" />
      <polyline className="line" points={corners} strokeWidth={width} strokeLinejoin="round" />
      {head && <polygon points={head.corners.join(' ')} fill="var(--muted)" stroke="none" />}
    </g>
  );
}

/** An arrow head that grows with its line. */
function headOf(points: readonly Point[], width: number): { base: Point; corners: Point[] } {
  const [fromX, fromY] = points.at(-2) as Point;
  const [x, y] = points.at(-1) as Point;
  const [stepX, stepY] = [Math.sign(x - fromX), Math.sign(y - fromY)];
  const [length, half] = [6 + width, 2.5 + 0.9 * width];
  const base: Point = [x - stepX * length, y - stepY * length];
  return {
    base,
    corners: [
      [x, y],
      [base[0] - stepY * half, base[1] + stepX * half],
      [base[0] + stepY * half, base[1] - stepX * half],
    ],
  };
}

function sentencesOf(moves: readonly Move[], passed: ReadonlyMap<string, number>, { home }: Words): string {
  const ends = moves.map((move) => move.split('>') as [Status, Status]);
  const [[from, to] = []] = ends;
  if (from !== undefined && from === to) return home.stays(from);
  const told = ends.flatMap(([source, target]) => {
    const count = passed.get(`${source}>${target}`) ?? 0;
    return count > 0 ? [home.moved(count, source, target)] : [];
  });
  const [sources, targets] = [ends.map(([source]) => source), ends.map(([, target]) => target)];
  return told.length > 0 ? told.join('\n') : home.noneMoved([...new Set(sources)], [...new Set(targets)]);
}
