import type { Layout, Route } from './map-layout.ts';
import type { Lifecycle } from './moves.ts';

/** Where the layout and the table disagree, as sentences. With none, the map shows the whole table and nothing else. */
export function mapProblems(life: Lifecycle, layout: Layout): string[] {
  return [
    ...withoutStation(life, layout),
    ...withoutRoute(life, layout),
    ...withoutMove(life, layout),
    ...misplaced(life, layout),
  ].map((problem) => `${problem} in scripts/docs/map-layout.ts.`);
}

function withoutStation({ statuses }: Lifecycle, { stations }: Layout): string[] {
  return Object.keys(statuses)
    .filter((name) => !Object.hasOwn(stations, name))
    .map((name) => `The status ${name} has no place on the life-cycle map: give it one`);
}

function withoutRoute({ moves }: Lifecycle, { routes }: Layout): string[] {
  const drawn = new Set<string>(routes.flatMap(({ kind, moves: shown }) => (kind === 'work' ? shown : [])));
  return moves
    .map(({ from, to }) => `${from}>${to}`)
    .filter((move) => !drawn.has(move))
    .map((move) => `The move ${move} has no line on the life-cycle map: give it one`);
}

function withoutMove(life: Lifecycle, { routes }: Layout): string[] {
  return routes.flatMap(({ kind, moves }) =>
    moves
      .filter((move) => eventsOf(life, kind, move).length === 0)
      .map((move) => `The life-cycle map draws ${move}, which the table does not have: remove it`),
  );
}

/** The areas are a claim about the statuses in them. */
function misplaced({ statuses }: Lifecycle, { stations, areas }: Layout): string[] {
  return Object.entries(stations).flatMap(([name, { x, y }]) => {
    const around = areas.find(
      (area) => x > area.x && x < area.x + area.width && y > area.y && y < area.y + area.height,
    );
    const said = statuses[name]?.mailExists;
    if (!around || !said || around.mailExists === said) return [];
    return [
      `The life-cycle map shows ${name} under "${around.title}", but the table says "${said}": move it`,
    ];
  });
}

export function eventsOf(life: Lifecycle, kind: Route['kind'], move: string): readonly string[] {
  if (kind === 'evidence') {
    return life.evidence.filter(({ next }) => move.endsWith(`>${next}`)).map(({ event }) => event);
  }
  return life.moves.find(({ from, to }) => move === `${from}>${to}`)?.events ?? [];
}
