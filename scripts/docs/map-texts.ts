import type { Label, Layout, Point, Route, Station } from './map-layout.ts';
import { eventsOf } from './map-problems.ts';
import type { Lifecycle } from './moves.ts';

/** Every text that must stay inside of something: where it stands, and how large it is. */
export interface Text {
  at: Point;
  words: string;
  size: number;
}

export const stationHeight = 48;
export const lineStep = 16;
/** Three lines of text have to go into one station. */
const stationLineStep = 13;
const nameSize = 14.5;
const smallSize = 12.5;

export const saidBy = (event: string) => `◆ ${event}`;

/** The name of a status over the evidence that leads to it, in the middle of its box. */
export function textsOfStation(
  name: string,
  { x, y }: Station,
  life: Lifecycle,
): { name: Text; evidence: Text[] } {
  const said = life.evidence.filter(({ next }) => next === name).map(({ event }) => saidBy(event));
  const nameY = said.length === 0 ? y + 5 : said.length === 1 ? y - 3 : y - 9;
  const firstY = said.length === 1 ? y + 15 : y + 5;
  const evidence = said.map(
    (words, index): Text => ({ at: [x, firstY + index * stationLineStep], words, size: smallSize }),
  );
  return { name: { at: [x, nameY], words: name, size: nameSize }, evidence };
}

export function textsOfLabel({ moves, kind }: Route, label: Label, life: Lifecycle): Text[] {
  const { at, isOneLine, words, suffix = '' } = label;
  const [x, y] = at;
  const events = [...new Set(moves.flatMap((move) => eventsOf(life, kind, move)))];
  const lines = words ? [words] : isOneLine ? [events.join(' · ')] : events;
  return lines.map(
    (line, index): Text => ({ at: [x, y + index * lineStep], words: line + suffix, size: smallSize }),
  );
}

/** Where a text would lie across a border, as sentences. */
export function textProblems(life: Lifecycle, layout: Layout): string[] {
  return [...acrossBoxes(life, layout), ...acrossTheEdge(life, layout)].map(
    (problem) => `${problem} in scripts/docs/map-layout.ts.`,
  );
}

function acrossBoxes(life: Lifecycle, { stations }: Layout): string[] {
  return Object.entries(stations).flatMap(([status, station]) => {
    const { y, width } = station;
    // A line in the box of what was stopped on purpose has no border of its own.
    if (width === undefined) return [];
    const { name, evidence } = textsOfStation(status, station, life);
    return [name, ...evidence]
      .filter((text) => {
        const { top, bottom } = heightOf(text);
        const isHigh = top < y - stationHeight / 2 || bottom > y + stationHeight / 2;
        return isHigh || widthOf(text) > width;
      })
      .map(
        ({ words }) =>
          `"${words}" lies across the border of ${status} on the life-cycle map: make room for it`,
      );
  });
}

function acrossTheEdge(life: Lifecycle, { routes, height }: Layout): string[] {
  return routes
    .flatMap((route) => (route.label ? textsOfLabel(route, route.label, life) : []))
    .filter((text) => heightOf(text).bottom > height)
    .map(({ words }) => `"${words}" lies across the edge of the life-cycle map: move it`);
}

/** Above and below the line on which it stands, as in the tallest and deepest of the usual fonts. */
function heightOf({ at: [, y], size }: Text): { top: number; bottom: number } {
  return { top: y - 0.76 * size, bottom: y + 0.24 * size };
}

/** A letter takes six tenths of its size on average in DejaVu Sans, the widest of the usual fonts. */
const widthOf = ({ words, size }: Text) => words.length * 0.6 * size;
