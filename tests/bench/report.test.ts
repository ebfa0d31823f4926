import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bars } from '../../bench/report/bars.ts';
import { benches, goals } from '../../bench/report/goals.ts';
import { goalsTable, runLines } from '../../bench/report/page.ts';
import type { MeasuredContender, Result } from '../../bench/report/result.ts';
import { expectPicture } from '../support/expect-picture.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const contender = (name: string, group: string, perSecond: number): MeasuredContender => ({
  ...{ name, group, perSecond, lowest: perSecond - 1, highest: perSecond + 1, cpuMicros: 100 },
});

const throughput: Result = {
  ...{ bench: 'throughput', rounds: 5, dropped: 2, rows: 5_000, machine: '', at: '2026-01-02T03:04:05.000Z' },
  goals: [
    { name: 'everything/bullmq', of: 'BullMQ', goal: '≥ 3×', measured: 3.004, isMet: true },
    { name: 'everything/pg-boss', of: 'pg-boss, fetch loop', goal: '≥ 2×', measured: 1.5, isMet: false },
  ],
  contenders: [
    contender('Tidings on PostgreSQL', 'PostgreSQL', 9_000),
    contender('bare loop', 'control', 20_000),
    contender('slow (PostgreSQL, the same durable work)', 'PostgreSQL, the same durable work', 1_000),
    contender('fast <one> (PostgreSQL, the same durable work)', 'PostgreSQL, the same durable work', 12_000),
  ],
  problems: ['slow, round 3: 4,999 status rows for 5,000 mails'],
  versions: { 'pg-boss': '10.4.2' },
};

describe('the table of goals', () => {
  const lines = goalsTable([throughput]).split('\n').slice(2);

  test('has a line for every goal, in words: met, missed, not measured', () => {
    expect(lines).toHaveLength(Object.keys(goals).length);
    expect(lines.filter((line) => line.endsWith('| ≥ 3× | 3.00× | ✅ met |'))).toHaveLength(1);
    expect(lines.filter((line) => line.endsWith('| ≥ 2× | 1.50× | ❌ **missed** |'))).toHaveLength(1);
    expect(lines.filter((line) => line.endsWith('| – | ⬜ not measured |'))).toHaveLength(lines.length - 2);
  });

  test('rounds that were dropped, versions and problems are said', () => {
    const text = runLines([throughput], 'On a machine');
    expect(text).toContain('5 rounds counted, 2 dropped');
    expect(text).toContain('pg-boss 10.4.2');
    expect(text).toContain('- slow, round 3: 4,999 status rows for 5,000 mails');
    expect(text).not.toContain('Everything arrived once');
  });
});

describe('the picture', () => {
  const svg = bars([throughput]);

  test('has a bar for everybody, by speed, the engine in the group of its peers', () => {
    const texts = [...svg.matchAll(/<text class="(?:name|figure)"[^>]*>([^<]*)</g)].map(([, text]) => text);
    const peers = ['fast &lt;one&gt;', '12,000', 'Tidings on PostgreSQL', '9,000', 'slow', '1,000'];
    expect(texts).toEqual(['bare loop', '20,000', ...peers]);
  });

  test('is well-formed, says what it is, and loads nothing', () => expectPicture(svg, 'bars'));
});

test('`npm run bench` runs every bench that a goal names, in the order of the table', async () => {
  const { ofTheTable } = (await import(join(root, 'scripts/bench/benches.mjs'))) as { ofTheTable: string[] };
  // Last, what has no goal: where the time goes.
  expect(ofTheTable).toEqual([...benches, 'profile']);
});

describe.each(['.', 'bench'])('the lockfile of %s', (folder) => {
  const text = readFileSync(join(root, folder, 'package-lock.json'), 'utf8');

  test('is of its package.json, and names no host', () => {
    const wanted = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as object;
    const { packages } = JSON.parse(text) as { packages: Record<string, { dependencies?: object }> };
    expect(packages['']?.dependencies).toEqual('dependencies' in wanted ? wanted.dependencies : undefined);
    const linked = text.matchAll(/"resolved": "([^"]*)"/g);
    expect([...linked].map(([, address]) => address)).toEqual([]);
  });
});

test('what is only for the bench is no dependency of the program', () => {
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const { dependencies, devDependencies, files } = read('package.json');
  const peers = ['graphile-worker', 'pg-boss', 'plainjob', 'better-sqlite3'];
  expect(Object.keys(read('bench/package.json').dependencies)).toEqual(expect.arrayContaining(peers));
  expect(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => peers.includes(name))).toEqual(
    [],
  );
  expect(files).not.toContain('bench');
});
