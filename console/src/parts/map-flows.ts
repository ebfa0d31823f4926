import type { Layout, Move, Point, Route } from '../../../scripts/docs/map-layout.ts';

/** A stretch of a line that the same moves pass along: from a station to where others join, or from there to the next. */
export interface Flow {
  points: readonly Point[];
  moves: readonly Move[];
  hasHead: boolean;
}

/**
 * The lines of a layout, cut where one joins another: before that place a line carries its own moves, and behind it also those that have
 * joined. So each can be as thick as what passed along it.
 */
export function flowsOf({ routes }: Pick<Layout, 'routes'>): Flow[] {
  const joining = routes.filter(({ joins }) => joins);
  return routes.flatMap((route) =>
    route.lines.flatMap((line) => {
      const points = pointsOf(line);
      if (route.joins) return [{ points, moves: route.moves, hasHead: false }];
      return cut(
        points,
        route,
        joining.filter((other) => placeOf(points, endOf(other)) !== undefined),
      );
    }),
  );
}

function cut(points: readonly Point[], { moves }: Route, joined: readonly Route[]): Flow[] {
  const later = new Set(joined.flatMap((other) => other.moves));
  const cuts = joined
    .map((other) => ({ at: endOf(other), place: placeOf(points, endOf(other)) ?? 0, moves: other.moves }))
    .sort((one, other) => one.place - other.place);
  const flows: Flow[] = [];
  let carried: readonly Move[] = moves.filter((move) => !later.has(move));
  let from: { at: Point; place: number } = { at: points[0] as Point, place: 0 };
  for (const each of [...cuts, { at: points.at(-1) as Point, place: points.length - 1, moves: [] }]) {
    if (each.place > from.place) {
      const between = points.filter((_, index) => index > from.place && index < each.place);
      flows.push({
        ...{ points: [from.at, ...between, each.at], moves: carried },
        hasHead: each.place === points.length - 1,
      });
    }
    carried = [...carried, ...each.moves];
    from = each;
  }
  return flows;
}

const endOf = ({ lines }: Route): Point => pointsOf(lines[0] ?? '').at(-1) as Point;

function pointsOf(line: string): Point[] {
  return line.split(' ').map((corner) => {
    const [x = 0, y = 0] = corner.split(',').map(Number);
    return [x, y];
  });
}

/** How far along the line a point is, in corners and parts of the way between them; undefined where it is not on it. */
function placeOf(points: readonly Point[], [x, y]: Point): number | undefined {
  for (let index = 1; index < points.length; index++) {
    const [[fromX, fromY], [toX, toY]] = [points[index - 1] as Point, points[index] as Point];
    const isBetween =
      x >= Math.min(fromX, toX) &&
      x <= Math.max(fromX, toX) &&
      y >= Math.min(fromY, toY) &&
      y <= Math.max(fromY, toY);
    // All lines are upright or level.
    if (!isBetween) continue;
    const length = Math.abs(toX - fromX) + Math.abs(toY - fromY);
    return index - 1 + (Math.abs(x - fromX) + Math.abs(y - fromY)) / length;
  }
  return undefined;
}
