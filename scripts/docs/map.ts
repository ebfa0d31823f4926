import type { Meaning } from '../../src/domain/meanings.ts';
import {
  type Area,
  type Box,
  type Layout,
  legend,
  layout as ourLayout,
  type Point,
  type Route,
  type Station,
} from './map-layout.ts';
import { mapProblems } from './map-problems.ts';
import { style } from './map-style.ts';
import {
  lineStep,
  saidBy,
  stationHeight,
  type Text,
  textProblems,
  textsOfLabel,
  textsOfStation,
} from './map-texts.ts';
import { madeFrom } from './markdown.ts';
import { type Lifecycle, lifecycle, type StatusOnMap } from './moves.ts';

/**
 * The life-cycle map: stations on a line from left to right, the ways off the line below it. It names every status and
 * draws every move of the table; if the layout cannot place one, there is no map.
 */
export function drawMap(life: Lifecycle = lifecycle, layout: Layout = ourLayout): string {
  const problems = [...mapProblems(life, layout), ...textProblems(life, layout)];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const size = `width="${layout.width}" height="${layout.height}"`;
  return [
    madeFrom('src/domain/lifecycle.ts'),
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${layout.width} ${layout.height}" ${size} role="img" aria-labelledby="map-title map-description">`,
    '<title id="map-title">The life cycle of a delivery</title>',
    `<desc id="map-description">${escaped(description(life))}</desc>`,
    `<style>${style}</style>`,
    `<defs>${arrowHead('work')}${arrowHead('evidence')}</defs>`,
    `<rect class="paper" ${size} rx="12"/>`,
    ...layout.areas.map(drawArea),
    ...layout.boxes.map(drawBox),
    ...layout.routes.map((route) => drawRoute(route, life)),
    ...Object.entries(life.statuses).map(([name, status]) =>
      drawStation(name, status, layout.stations[name] as Station, life),
    ),
    ...drawLegend(),
    '</svg>',
    '',
  ].join('\n');
}

/** What somebody who cannot see the picture hears. */
function description({ moves, evidence }: Lifecycle): string {
  const work = moves.map(({ from, to, events }) => `from ${from} to ${to} by ${events.join(', ')}`);
  const said = evidence.map(({ event, next }) => `to ${next} by ${event}`);
  return `What we do: ${work.join('; ')}. What the provider says, from any status: ${said.join('; ')}.`;
}

function arrowHead(kind: Route['kind']): string {
  const size = 'refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse"';
  return `<marker id="head-${kind}" class="head ${kind}" viewBox="0 0 8 8" ${size} orient="auto"><path d="M0 .6 7.4 4 0 7.4z"/></marker>`;
}

function drawArea({ x, y, width, height, title, mailExists, titleAt }: Area): string {
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/>`;
  return `<g class="area ${mailExists}">${frame}${textAt(titleAt, title, 'middle')}</g>`;
}

function drawBox({ x, y, width, height, title }: Box): string {
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10"/>`;
  return `<g class="box">${frame}${title === '' ? '' : textAt([x + 16, y + 22], title)}</g>`;
}

function drawRoute(route: Route, life: Lifecycle): string {
  const end = route.joins ? '' : ` marker-end="url(#head-${route.kind})"`;
  const lines = route.lines.map((corners) => `<path d="${rounded(corners)}"${end}/>`).join('');
  return `<g class="route ${route.kind}" data-moves="${escaped(route.moves.join(' '))}">${lines}${drawLabel(route, life)}</g>`;
}

function drawLabel(route: Route, life: Lifecycle): string {
  const { label } = route;
  return label ? drawTexts(textsOfLabel(route, label, life), label.anchor) : '';
}

/** Straight lines with rounded corners. */
function rounded(corners: string): string {
  const points = corners.split(' ').map((corner): Point => {
    const [x = 0, y = 0] = corner.split(',').map(Number);
    return [x, y];
  });
  return points
    .map((point, index) => {
      const before = points[index - 1];
      const after = points[index + 1];
      if (!before) return `M${point.join(' ')}`;
      if (!after) return `L${point.join(' ')}`;
      return `L${towards(point, before).join(' ')}Q${point.join(' ')} ${towards(point, after).join(' ')}`;
    })
    .join('');
}

const cornerRadius = 10;

function towards([x, y]: Point, [otherX, otherY]: Point): Point {
  const [acrossX, acrossY] = [otherX - x, otherY - y];
  const length = Math.hypot(acrossX, acrossY);
  const part = Math.min(cornerRadius, length / 2) / length;
  return [x + acrossX * part, y + acrossY * part];
}

function drawStation(
  name: string,
  { meaning, colour }: StatusOnMap,
  { x, y, width }: Station,
  life: Lifecycle,
): string {
  const hint = `<title>${escaped(`${name}: ${meaning}`)}</title>`;
  const open = `<g class="station ${classOf(colour)}" data-status="${name}">${hint}`;
  const texts = textsOfStation(name, { x, y }, life);
  if (width === undefined) {
    const evidence = texts.evidence.map(({ words }) => words);
    const said = textsAt([x + 18, y + 18], evidence);
    return `${open}${drawMark(colour, [x + 4, y - 5])}${textAt([x + 18, y], name)}<g class="said">${said}</g></g>`;
  }
  const [left, top] = [x - width / 2, y - stationHeight / 2];
  const frame = `<rect x="${left}" y="${top}" width="${width}" height="${stationHeight}" rx="8"/>`;
  const said = drawTexts(texts.evidence, 'middle');
  return `${open}${frame}${drawMark(colour, [left, top])}${drawTexts([texts.name], 'middle')}<g class="said">${said}</g></g>`;
}

const classOf = (colour: Meaning) => colour.replaceAll(' ', '-');

/** The shape that says what the colour says. */
function drawMark(colour: Meaning, [x, y]: Point): string {
  const shapes: Record<Meaning, string> = {
    good: '<circle r="7.5"/><path d="M-3.4 .2-.9 2.8 3.6-2.6"/>',
    'in hand': '<circle r="7.5"/><path d="M0-4V.4L2.8 2.2"/>',
    'needs a person': '<path class="filled" d="M0-8.5 9 7H-9z"/><path d="M0-2.6V1.6M0 4.1v.5"/>',
    'stopped on purpose': '<rect x="-7" y="-7" width="14" height="14" rx="3"/><path d="M-3.4 0H3.4"/>',
  };
  return `<g class="mark" transform="translate(${x} ${y})">${shapes[colour]}</g>`;
}

function drawLegend(): string[] {
  const [x, y] = legend.colours;
  const colours: Meaning[] = ['good', 'in hand', 'needs a person', 'stopped on purpose'];
  const rows = colours.map((colour, index) => {
    const middle = y + index * 26;
    const words = textAt([x + 26, middle + 4], colour);
    return `<g class="${classOf(colour)}">${drawMark(colour, [x + 8, middle])}${words}</g>`;
  });
  const said = [saidBy('what the provider says:'), 'evidence, from any status;', 'the highest rank wins'];
  return [...rows, legendLine('work', 0, ['what we do']), legendLine('evidence', 26, said)];
}

function legendLine(kind: Route['kind'], down: number, words: readonly string[]): string {
  const [x, top] = legend.lines;
  const y = top + down;
  const line = `<path d="M${x} ${y}h24" marker-end="url(#head-${kind})"/>`;
  return `<g class="route ${kind}">${line}${textsAt([x + 34, y + 4], words)}</g>`;
}

type Anchor = 'start' | 'middle' | 'end';

function textAt([x, y]: Point, text: string, anchor: Anchor = 'start'): string {
  return `<text x="${x}" y="${y}"${anchor === 'start' ? '' : ` text-anchor="${anchor}"`}>${escaped(text)}</text>`;
}

function drawTexts(texts: readonly Text[], anchor?: Anchor): string {
  return texts.map(({ at, words }) => textAt(at, words, anchor)).join('');
}

function textsAt([x, y]: Point, texts: readonly string[]): string {
  return texts.map((text, index) => textAt([x, y + index * lineStep], text)).join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
