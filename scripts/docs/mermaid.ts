import type { Lifecycle, Move } from './moves.ts';

/** The life cycle in small diagrams, each about one question; a single one with every arrow reads as a knot. */
export function mermaidDiagrams(life: Lifecycle): { title: string; text: string }[] {
  const isStop = ({ to }: Move) => life.statuses[to]?.colour === 'stopped on purpose';
  const isRequeue = ({ events }: Move) => events.includes('requeued');
  const isLoop = ({ from, to }: Move) => from === to;
  const rest = life.moves.filter((move) => !isStop(move) && !isRequeue(move) && !isLoop(move));
  return [
    { title: 'From waiting to an answer', text: diagram('TB', [...rest, ...usual(life)].map(arrowOf)) },
    { title: 'Stopped on purpose', text: stops(life.moves.filter(isStop)) },
    { title: 'Back, by an operator', text: diagram('LR', life.moves.filter(isRequeue).map(arrowOf)) },
    { title: 'Evidence, from any status', text: said(life) },
  ];
}

/** The evidence along the line, without which the first diagram would have no happy end. */
function usual({ evidence }: Lifecycle): Move[] {
  const line = ['sending', 'sent', 'delivered'];
  return evidence.flatMap(({ event, next }) => {
    const from = line[line.indexOf(next) - 1];
    return from === undefined ? [] : [{ from, to: next, events: [`${event} (evidence)`] }];
  });
}

function diagram(direction: 'LR' | 'TB', lines: readonly string[]): string {
  return [
    '```mermaid',
    'stateDiagram-v2',
    `  direction ${direction}`,
    ...lines.map((line) => `  ${line}`),
    '```',
  ].join('\n');
}

function arrowOf({ from, to, events }: Move): string {
  return `${from} --> ${to}: ${events.join(', ')}`;
}

/** What every status on this side of the wire may do is drawn once. */
function stops(moves: readonly Move[]): string {
  const sources = [...new Set(moves.map(({ from }) => from))];
  const arrows = [...new Set(moves.map(({ to }) => to))].flatMap((to) => {
    const here = moves.filter((move) => move.to === to);
    const isShared = new Set(here.map(({ events }) => events.join())).size === 1;
    const [first] = here;
    return first && isShared && here.length === sources.length
      ? [arrowOf({ ...first, from: 'held' })]
      : here.map(arrowOf);
  });
  return diagram('LR', [`state "${sources.join(', ')}" as held`, ...arrows]);
}

function said({ evidence }: Lifecycle): string {
  const targets = [...new Set(evidence.map(({ next }) => next))];
  const arrows = targets.map((to) => {
    const events = evidence.filter(({ next }) => next === to).map(({ event }) => event);
    return arrowOf({ from: 'anything', to, events });
  });
  return diagram('LR', ['state "any status" as anything', ...arrows]);
}
