import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { cutOf } from '../../simulation/cut.ts';
import { root } from '../../simulation/many.ts';
import { parseOptions, suggestion } from '../../simulation/options.ts';
import { createProgress } from '../../simulation/progress.ts';

/** The command lines of the proof: whatever is written there is used or refused, and what a program is to read it can read. */
const options = {
  seeds: { type: 'string' },
  seed: { type: 'string' },
  shrink: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;
const parse = (args: string[], env = {}) => parseOptions('npm run simulate', options, args, env);

it('what is right is taken as it is, and help comes before any mistake behind it', () => {
  expect(parse(['--seeds', '5', '--shrink'])).toEqual({
    values: { seeds: '5', shrink: true },
    problem: null,
  });
  // For whoever reads the number to refuse, in words of their own.
  expect(parse(['--seed', '-1']).values).toEqual({ seed: '-1' });
  for (const help of ['--help', '-h']) expect(parse([help, '--sedes']).values).toBe('help');
});

it.each<[string[], object, string]>([
  [['--sedes', '5'], {}, 'There is no option --sedes. Did you mean --seeds?'],
  [['--weather'], {}, 'There is no option --weather.'],
  [['--toString'], {}, 'There is no option --toString.'],
  [['--seeds'], {}, '--seeds needs a value after it.'],
  [['--json=1'], {}, '--json takes no value.'],
  [['--seeds', '1', '--seeds', '2'], {}, '--seeds is there twice: leave one out.'],
  [['5'], {}, 'Unexpected argument 5. npm needs -- before options: npm run simulate -- --seeds 5'],
  [
    ['5'],
    { npm_config_seed: 'true' },
    'Unexpected argument 5. npm needs -- before options: npm run simulate -- --seed 5',
  ],
  [
    ['5', '7'],
    { npm_config_seeds: 'true', npm_config_seed: 'true' },
    'Unexpected argument 5. npm needs -- before options: npm run simulate -- --seeds … --seed …',
  ],
  [
    [],
    { npm_config_seeds: '5', npm_config_shrink: 'true' },
    'npm has kept an option for itself. npm needs -- before options: npm run simulate -- --seeds 5 --shrink',
  ],
  [
    ['--', '--seeds', '5'],
    {},
    'Unexpected argument --seeds. npm needs -- before options: npm run simulate -- --seeds 5',
  ],
])('%j with %j is refused in words that help', (args, env, problem) => {
  expect(parse(args, env)).toEqual({ values: null, problem });
});

it('what npm itself knows by the same name is nobody’s mistake', () => {
  expect(parse([], { npm_config_json: 'true' })).toEqual({ values: {}, problem: null });
});

it('a name is suggested when it is near, or when it is part of one', () => {
  const names = ['window-not-checked', 'lease-not-checked'];
  expect(suggestion('windwo-not-chekced', names)).toBe(' Did you mean window-not-checked?');
  expect(suggestion('lease', names)).toBe(' Did you mean lease-not-checked?');
  expect(suggestion('weather', names)).toBe('');
  expect(suggestion('', names)).toBe('');
});

it('what is to be left out of a run is a list of steps and of faults, or nothing at all', () => {
  expect(cutOf({})).toEqual({ steps: new Set(), faults: new Set() });
  expect(cutOf({ steps: '3,7', faults: '12.1,999.2' })).toEqual({
    steps: new Set([3, 7]),
    faults: new Set(['12.1', '999.2']),
  });
  for (const steps of ['x', '0', '', '3,', '1.5']) expect(cutOf({ steps })).toBeNull();
  for (const faults of ['abc', '12', '12.0', '']) expect(cutOf({ faults })).toBeNull();
});

describe('progress', () => {
  function watched(isTTY: boolean) {
    const written: string[] = [];
    const time = { now: 0 };
    const output = { isTTY, write: (text: string) => written.push(text) > 0 };
    return { written, time, progress: createProgress(1_000, output, () => time.now) };
  }

  it('is one line on a terminal, and a line now and then in a log', () => {
    for (const [isTTY, lines] of [
      [true, ['\r\x1b[K50 of 1,000 seeds', '\r\x1b[K75 of 1,000 seeds']],
      [false, ['75 of 1,000 seeds\n']],
    ] as const) {
      const { written, time, progress } = watched(isTTY);
      progress.show(25);
      time.now = 2_000;
      progress.show(50);
      time.now = 20_000;
      progress.show(75);
      expect(written).toEqual(lines);
    }
  });

  it('says how far a run was that is broken off', () => {
    const { written, progress } = watched(false);
    progress.tellInterrupted();
    progress.show(25);
    progress.tellInterrupted();
    expect(written).toEqual([
      'Broken off within its first few seeds.\n',
      'Broken off after 25 of 1,000 seeds, which kept every promise.\n',
    ]);
  });
});

it.each([
  ['--seeds 2', { seeds: 2, broken: null, missed: null }],
  ['--seed 485', { seed: 485, violation: null, isSameAgain: true, shrunk: null }],
])('simulate %s --json: one line of JSON on stdout, and the words on stderr', async (args, expected) => {
  const command = ['--import', 'tsx', 'simulation/simulate.ts', ...args.split(' '), '--json'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: root });
  expect(stdout.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(stdout)).toMatchObject(expected);
  expect(stderr).toMatch(/kept/);
});
