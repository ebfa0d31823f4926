import { expect, test } from 'vitest';
import { layout } from '../../../scripts/docs/map-layout.ts';
import { mapProblems } from '../../../scripts/docs/map-problems.ts';
import { lifecycle } from '../../../scripts/docs/moves.ts';
import { type Flow, flowsOf } from './map-flows.ts';
import { narrowLayout } from './map-layout-narrow.ts';

test('before another joins, a line carries its own moves; behind that place, both', () => {
  const flows = flowsOf({
    routes: [
      { moves: ['sending>pending', 'claimed>pending'], kind: 'work', lines: ['90,9 90,0 0,0 0,9'] },
      { moves: ['claimed>pending'], kind: 'work', joins: true, lines: ['50,9 50,0 40,0'] },
    ],
  });
  const [before, behind, joining] = flows as [Flow, Flow, Flow];
  expect(before).toEqual({
    points: [
      [90, 9],
      [90, 0],
      [40, 0],
    ],
    moves: ['sending>pending'],
    hasHead: false,
  });
  expect(behind).toMatchObject({ moves: ['sending>pending', 'claimed>pending'], hasHead: true });
  expect(behind.points).toEqual([
    [40, 0],
    [0, 0],
    [0, 9],
  ]);
  expect(joining).toMatchObject({ moves: ['claimed>pending'], hasHead: false });
});

test.each([
  ['wide', layout],
  ['narrow', narrowLayout],
])(
  'on the %s map every arrow leaves from one place, and what joins a line is on it from there on',
  (_, map) => {
    const flows = flowsOf(map);
    for (const { joins, moves } of map.routes)
      if (joins)
        for (const move of moves)
          expect(flows.filter((flow) => flow.hasHead && flow.moves.includes(move))).toHaveLength(1);
    // What leaves from who waits and from who is claimed is not told by one thickness.
    const ofStopped = flows.filter(({ moves }) => moves.some((move) => move.endsWith('>expired')));
    expect(
      ofStopped.map(({ moves }) => new Set(moves.map((move) => move.startsWith('claimed>'))).size),
    ).toEqual([1, 1]);
  },
);

test('the narrow map shows the whole table, and fits a phone', () => {
  expect(mapProblems(lifecycle, narrowLayout)).toEqual([]);
  expect(narrowLayout.width).toBeLessThanOrEqual(360);
});
