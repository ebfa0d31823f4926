import { describe, expect, test } from 'vitest';
import { rules } from './rules.ts';
import { planted } from './source-files.ts';

describe('purity', () => {
  const pure = 'domain is pure, because what it decides must follow from its arguments alone.';

  test.each([
    ['const now = Date.now();', 'uses Date.now'],
    ['const now = new Date();', 'uses new Date()'],
    ['const now = new Date;', 'uses new Date()'],
    ['const chance = Math.random();', 'uses Math.random'],
    ['const started = performance.now();', 'uses performance'],
    ['const id = process.pid;', 'uses process'],
    ['setTimeout(again, 1000);', 'uses setTimeout'],
    ['export async function decide() {}', 'uses async'],
    ['const answer = await ask();', 'uses await'],
    ['function later(): Promise<void> {}', 'uses Promise'],
    ["fetch('https://example.com');", 'uses fetch'],
    ["import { readFileSync } from 'node:fs';", 'imports readFileSync from node:fs'],
    ["import { createHash, createHmac } from 'node:crypto';", 'imports createHmac from node:crypto'],
    ["import * as crypto from 'node:crypto';", 'imports * from node:crypto'],
    ["import { sql } from 'kysely';", 'imports sql from kysely'],
    ["import { systemIds } from '../std/ids.ts';", "uses the system's clock, ids or dice"],
  ])('domain: %s', (line, does) => {
    expect(rules['domain is pure'](planted('src/domain/policy.ts', line))).toEqual([
      `src/domain/policy.ts ${does}: ${pure}`,
    ]);
  });

  test.each([
    "import { createHash } from 'node:crypto';",
    "import { domainToASCII } from 'node:url';",
    'const year = new Date(now).getUTCFullYear();',
    "const day = new Date('2026-01-01');",
    'const at = Date.UTC(2026, 0, 1);',
    '/** Not Date.now(): the time is an argument, and nothing here is async. */',
    "const sentence = 'Math.random() and process.env are for others';",
  ])('domain may: %s', (line) => {
    expect(rules['domain is pure'](planted('src/domain/policy.ts', line))).toEqual([]);
  });

  test('a clock outside std', () => {
    const rule = rules['only the clock reads the clock'];
    expect(rule(planted('src/outbox/claim.ts', 'const now = Date', '  .now();'))).toEqual([
      'src/outbox/claim.ts uses Date.now: only src/std/clock.ts reads the clock (and src/std/log.ts, to date its lines), because tests and the simulator decide what time it is. Take a Clock.',
    ]);
    expect(
      rule(planted('src/dispatch/send.ts', "import { setTimeout } from 'node:timers/promises';")),
    ).toHaveLength(2);
    expect(rule(planted('src/std/clock.ts', 'export const now = () => Date.now();'))).toEqual([]);
    expect(rule(planted('src/outbox/claim.test.ts', 'const now = Date.now();'))).toEqual([]);
  });

  test('a clock that somebody may read, and does not any more', () => {
    expect(rules['only the clock reads the clock'](planted('src/cli/checkup.ts', ''))).toEqual([
      'src/cli/checkup.ts does not use AbortSignal.timeout any more: remove the exception from tests/architecture/purity-rules.ts.',
    ]);
  });

  test('dice outside std', () => {
    const rule = rules['only random and ids make randomness'];
    expect(rule(planted('src/consent/token.ts', "import { randomUUID } from 'node:crypto';"))).toEqual([
      'src/consent/token.ts uses randomUUID: only src/std/random.ts and src/std/ids.ts make randomness, because a simulated run is replayed from its seed. Take Random or Ids.',
    ]);
    expect(rule(planted('src/std/random.ts', 'Math.random();'))).toEqual([]);
  });

  test.each([
    'const url = process.env.DATABASE_URL;',
    "const url = process['env'].DATABASE_URL;",
    'const { env } = process;',
    "import { env } from 'node:process';",
  ])('the environment outside config: %s', (line) => {
    expect(rules['only config reads the environment'](planted('src/db/postgres.ts', line))).toEqual([
      'src/db/postgres.ts reads process.env: only src/config.ts may, because a setting that is read in two places is checked in neither.',
    ]);
  });

  test('the process may be asked for other things', () => {
    const file = planted('src/engine.ts', 'const { pid } = process;', 'process.stderr.write(String(pid));');
    expect(rules['only config reads the environment'](file)).toEqual([]);
  });

  test('printing outside the command line', () => {
    const rule = rules['only the command line prints'];
    expect(rule(planted('src/outbox/record.ts', "console.log('recorded');"))).toEqual([
      'src/outbox/record.ts uses console: only src/cli prints, because everybody else has a Log, whose lines can be searched.',
    ]);
    expect(rule(planted('src/cli/terminal.ts', "console.log('done');"))).toEqual([]);
  });
});
