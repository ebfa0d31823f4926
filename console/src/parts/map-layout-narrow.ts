import { type Layout, type Move, type Route, stopped, waiting } from '../../../scripts/docs/map-layout.ts';
import type { Status } from '../../../src/domain/status.ts';

/**
 * The life-cycle map for a phone: the same stations and moves, with the line from top to bottom and the ways off it beside it. By hand, too;
 * a test compares it with the table.
 */
const left = { x: 92, width: 112 };
const right = { x: 270, width: 132 };

const stations = {
  pending: { ...left, y: 92 },
  failed_transient: { ...right, y: 92 },
  claimed: { ...left, y: 188 },
  sending: { ...left, y: 302 },
  reconciling: { ...right, y: 302 },
  needs_review: { ...right, y: 392 },
  sent: { ...left, y: 492 },
  failed_permanent: { ...right, y: 516 },
  delivered: { ...left, y: 576 },
  skipped_unsubscribed: { x: 44, y: 696 },
  skipped_no_email: { x: 44, y: 724 },
  skipped_ineligible: { x: 44, y: 752 },
  expired: { x: 226, y: 696 },
  suppressed: { x: 226, y: 724 },
} as const satisfies Record<Status, { x: number; y: number; width?: number }>;

const work = (moves: readonly Move[], ...lines: string[]): Route => ({ moves, kind: 'work', lines });
const said = (moves: readonly Move[], ...lines: string[]): Route => ({ moves, kind: 'evidence', lines });
const joining = (route: Route): Route => ({ ...route, joins: true });

const routes: readonly Route[] = [
  // The line.
  work(
    waiting.map((from): Move => `${from}>claimed`),
    '92,136 92,164',
  ),
  work(['claimed>sending'], '92,212 92,278'),
  said(['sending>sent'], '92,326 92,468'),
  said(['sent>delivered'], '92,516 92,552'),
  // Back to wait.
  work(['sending>pending', 'claimed>pending'], '36,296 14,296 14,84 36,84'),
  joining(work(['claimed>pending'], '36,180 14,180 14,164')),
  work(['failed_transient>pending'], '204,84 148,84'),
  work(['pending>pending'], '56,116 56,126 68,126 68,116'),
  work(['failed_transient>failed_transient'], '300,116 300,126 312,126 312,116'),
  // Known not to have arrived.
  work(['reconciling>failed_transient'], '282,278 282,116'),
  joining(work(['sending>failed_transient'], '148,288 176,288 176,262 282,262 282,246')),
  joining(work(['needs_review>failed_transient'], '336,392 345,392 345,262 282,262 282,246')),
  // In doubt.
  work(['sending>reconciling'], '148,302 204,302'),
  work(['sent>reconciling'], '148,484 178,484 178,352 236,352 236,326'),
  said(['reconciling>sent', 'needs_review>sent'], '204,316 190,316 190,500 148,500'),
  joining(said(['needs_review>sent'], '204,392 190,392 190,408')),
  work(['reconciling>reconciling'], '308,326 308,336 320,336 320,326'),
  work(['reconciling>needs_review'], '270,326 270,368'),
  // Given up.
  work(['sending>failed_permanent'], '148,316 164,316 164,456 250,456 250,492'),
  joining(work(['claimed>failed_permanent'], '148,188 164,188 164,332')),
  work(['needs_review>failed_permanent'], '290,416 290,492'),
  // Stopped on purpose.
  work(
    waiting.flatMap((from) => stopped.map((to): Move => `${from}>${to}`)),
    '30,122 6,122 6,716 28,716',
  ),
  work(
    stopped.map((to): Move => `claimed>${to}`),
    '36,196 22,196 22,638 60,638 60,650',
  ),
  // Back from the ends, by hand.
  work(
    [...stopped, 'failed_permanent' as const].map((from): Move => `${from}>pending`),
    '342,716 354,716 354,14 92,14 92,68',
  ),
  joining(work(['failed_permanent>pending'], '336,516 354,516 354,500')),
];

export const narrowLayout: Layout = {
  ...{ width: 360, height: 780, stations, routes },
  areas: [
    {
      ...{ x: 28, y: 24, width: 314, height: 202, titleAt: [185, 43] },
      ...{ title: 'no mail can exist', mailExists: 'no' },
    },
    {
      ...{ x: 28, y: 232, width: 314, height: 194, titleAt: [223, 251] },
      ...{ title: 'a mail may exist', mailExists: 'perhaps' },
    },
    {
      ...{ x: 28, y: 440, width: 128, height: 188, titleAt: [92, 619] },
      ...{ title: 'a mail was accepted', mailExists: 'yes' },
    },
  ],
  boxes: [
    { x: 30, y: 54, width: 310, height: 82, title: '' },
    { x: 28, y: 650, width: 314, height: 122, title: 'stopped on purpose' },
  ],
};
