import type { Status } from '../../src/domain/status.ts';

/**
 * Where things are on the life-cycle map, by hand: a picture that a machine lays out is a picture nobody reads. What
 * is drawn comes from the table; `map.ts` refuses a status without a station and a move without a route.
 */
export interface Layout {
  width: number;
  height: number;
  stations: Readonly<Record<string, Station>>;
  routes: readonly Route[];
  areas: readonly Area[];
  boxes: readonly Box[];
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  title: string;
}

/** A claim about the statuses in it: whether a mail can exist. */
export interface Area extends Box {
  mailExists: 'no' | 'perhaps' | 'yes';
  /** The middle of its title. */
  titleAt: Point;
}

export interface Station {
  /** Its middle; the left end of its line where it has no frame. */
  x: number;
  y: number;
  /** Without one it is a line in the box of what was stopped on purpose, and has no frame. */
  width?: number;
}

export type Point = readonly [x: number, y: number];

export type Move = `${Status}>${Status}`;

export interface Route {
  moves: readonly Move[];
  kind: 'work' | 'evidence';
  /** Corners as `x,y x,y …`. Each line ends in an arrow head, save those that join another route's line. */
  lines: readonly string[];
  joins?: true;
  label?: Label;
}

/** Where the events' names stand: one below the other, or side by side. */
export interface Label {
  at: Point;
  anchor?: 'start' | 'middle' | 'end';
  isOneLine?: true;
  /** Instead of the names, where there is no room for them. */
  words?: string;
  suffix?: string;
}

const lineY = 124;
const secondY = 240;
const thirdY = 336;

const stations = {
  pending: { x: 104, y: lineY, width: 140 },
  claimed: { x: 300, y: lineY, width: 104 },
  sending: { x: 468, y: lineY, width: 124 },
  sent: { x: 680, y: lineY, width: 116 },
  delivered: { x: 836, y: lineY, width: 120 },
  failed_transient: { x: 104, y: secondY, width: 140 },
  reconciling: { x: 468, y: secondY, width: 124 },
  needs_review: { x: 468, y: thirdY, width: 124 },
  failed_permanent: { x: 598, y: 462, width: 168 },
  skipped_unsubscribed: { x: 40, y: 453 },
  skipped_no_email: { x: 40, y: 475 },
  skipped_ineligible: { x: 40, y: 497 },
  expired: { x: 40, y: 519 },
  suppressed: { x: 252, y: 453 },
} as const satisfies Record<Status, Station>;

/** The tall box around the two statuses that wait, and the one around what was stopped on purpose. */
const boxes: readonly Box[] = [
  { x: 24, y: 90, width: 160, height: 204, title: '' },
  { x: 24, y: 408, width: 404, height: 126, title: 'stopped on purpose' },
];

const areaTop = 12;

/** The question that decides who may send, as areas behind the stations. What has ended is below them. */
const areas: readonly Area[] = (
  [
    { x: 20, width: 344, height: 372, title: 'no mail can exist', mailExists: 'no' },
    { x: 368, width: 218, height: 372, title: 'a mail may exist', mailExists: 'perhaps' },
    { x: 612, width: 292, height: 168, title: 'a mail was accepted', mailExists: 'yes' },
  ] as const
).map((area) => ({ ...area, y: areaTop, titleAt: [area.x + area.width / 2, areaTop + 24] }));

export const waiting = ['pending', 'failed_transient'] as const;
export const stopped = [
  'skipped_unsubscribed',
  'skipped_no_email',
  'skipped_ineligible',
  'expired',
  'suppressed',
] as const;

const routes: readonly Route[] = [
  // The line.
  {
    moves: waiting.map((from): Move => `${from}>claimed`),
    kind: 'work',
    lines: ['184,124 248,124'],
    label: { at: [214, 116], anchor: 'middle' },
  },
  {
    moves: ['claimed>sending'],
    kind: 'work',
    lines: ['352,124 406,124'],
    label: { at: [378, 116], anchor: 'middle' },
  },
  {
    moves: ['sending>sent'],
    kind: 'evidence',
    lines: ['530,124 622,124'],
  },
  {
    moves: ['sent>delivered'],
    kind: 'evidence',
    lines: ['738,124 776,124'],
  },
  // Back to wait.
  {
    moves: ['sending>pending', 'claimed>pending'],
    kind: 'work',
    lines: ['468,100 468,66 104,66 104,100'],
    label: { at: [202, 60], anchor: 'middle', isOneLine: true },
  },
  { moves: ['claimed>pending'], kind: 'work', joins: true, lines: ['300,100 300,66 284,66'] },
  {
    moves: ['failed_transient>pending'],
    kind: 'work',
    lines: ['150,216 150,148'],
    label: { at: [144, 200], anchor: 'end' },
  },
  {
    moves: ['pending>pending'],
    kind: 'work',
    lines: ['46,148 46,164 60,164 60,148'],
    label: { at: [68, 166] },
  },
  {
    moves: ['failed_transient>failed_transient'],
    kind: 'work',
    lines: ['46,264 46,280 60,280 60,264'],
    label: { at: [68, 282] },
  },
  // Known not to have arrived.
  {
    moves: ['reconciling>failed_transient'],
    kind: 'work',
    lines: ['406,240 174,240'],
    label: { at: [190, 256] },
  },
  {
    moves: ['sending>failed_transient'],
    kind: 'work',
    joins: true,
    lines: ['432,148 432,162 380,162 380,240 364,240'],
    label: { at: [190, 234] },
  },
  {
    moves: ['needs_review>failed_transient'],
    kind: 'work',
    joins: true,
    lines: ['406,336 380,336 380,240 364,240'],
    label: { at: [190, 272] },
  },
  // In doubt.
  {
    moves: ['sending>reconciling'],
    kind: 'work',
    lines: ['468,148 468,216'],
    label: { at: [475, 177] },
  },
  {
    moves: ['sent>reconciling'],
    kind: 'work',
    lines: ['664,148 664,230 530,230'],
    label: { at: [657, 200], anchor: 'end' },
  },
  {
    moves: ['reconciling>sent', 'needs_review>sent'],
    kind: 'evidence',
    lines: ['530,250 696,250 696,148'],
  },
  {
    moves: ['needs_review>sent'],
    kind: 'evidence',
    joins: true,
    lines: ['530,326 624,326 624,250 640,250'],
  },
  {
    moves: ['reconciling>reconciling'],
    kind: 'work',
    lines: ['500,264 500,280 514,280 514,264'],
    label: { at: [524, 280], words: 'asks again' },
  },
  {
    moves: ['reconciling>needs_review'],
    kind: 'work',
    lines: ['468,264 468,312'],
    label: { at: [463, 292], anchor: 'end' },
  },
  // Given up.
  {
    moves: ['sending>failed_permanent'],
    kind: 'work',
    lines: ['504,148 504,162 598,162 598,438'],
    label: { at: [606, 368] },
  },
  {
    moves: ['claimed>failed_permanent'],
    kind: 'work',
    joins: true,
    lines: ['334,148 334,396 598,396'],
    label: { at: [446, 413], isOneLine: true },
  },
  {
    moves: ['needs_review>failed_permanent'],
    kind: 'work',
    joins: true,
    lines: ['530,346 598,346 598,362'],
    label: { at: [606, 352] },
  },
  // Stopped on purpose.
  {
    moves: waiting.flatMap((from) => stopped.map((to): Move => `${from}>${to}`)),
    kind: 'work',
    lines: ['104,294 104,408'],
    label: { at: [208, 318], anchor: 'middle' },
  },
  {
    moves: stopped.map((to): Move => `claimed>${to}`),
    kind: 'work',
    lines: ['312,148 312,408'],
  },
  // Back from the ends, by hand.
  {
    moves: [...stopped, 'failed_permanent' as const].map((from): Move => `${from}>pending`),
    kind: 'work',
    lines: ['598,486 598,547 10,547 10,124 34,124'],
    label: { at: [588, 564], anchor: 'end', isOneLine: true, suffix: ' by an operator' },
  },
  {
    moves: stopped.map((from): Move => `${from}>pending`),
    kind: 'work',
    joins: true,
    lines: ['226,534 226,547 210,547'],
  },
];

export const layout: Layout = { width: 912, height: 576, stations, routes, areas, boxes };

/** Left upper corners of the legend's two parts. */
export const legend: { colours: Point; lines: Point } = { colours: [738, 232], lines: [696, 446] };
