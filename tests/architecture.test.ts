// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted mistakes are programs.
import { describe, expect, test } from 'vitest';
import { rules } from './architecture/rules.ts';
import { readSources } from './architecture/source-files.ts';

const sources = readSources();

describe('the house rules', () => {
  test('there is something to check', () => {
    expect(sources.map(({ path }) => path)).toContain('src/outbox/outbox.ts');
  });

  for (const [name, rule] of Object.entries(rules)) {
    test(name, () => expect(rule(sources)).toEqual([]));
  }
});

/** One file with a mistake in it, among the real ones where the rule looks at more than one. */
function planted(path: string, ...lines: string[]) {
  return [{ path, text: `${lines.join('\n')}\n` }];
}

describe('imports go one way', () => {
  const rule = rules['imports go one way'];

  test('the outbox does not know consent', () => {
    const file = planted(
      'src/outbox/claim.ts',
      "import { sql } from 'kysely';",
      "import { createSuppressions } from '../consent/suppressions.ts';",
    );
    expect(rule(file)).toEqual([
      'src/outbox/claim.ts imports src/consent/suppressions.ts: outbox may import only std, domain, db and itself, because it is below everybody who reports to it, and hears of consent and sources only by what it is given.',
    ]);
  });

  test('consent may know the outbox', () => {
    expect(
      rule(planted('src/consent/unsubscribe.ts', "import type { Outbox } from '../outbox/outbox.ts';")),
    ).toEqual([]);
  });

  test('dispatch knows no particular source and no particular provider', () => {
    const file = planted(
      'src/dispatch/send.ts',
      "import { plainSource } from '../sources/plain/plain.ts';",
      "import { createCapture } from '../providers/capture.ts';",
      "import type { Source } from '../sources/source.ts';",
      "import type { Provider } from '../providers/provider.ts';",
      "import { render } from '../emails/render.ts';",
      "import { compose } from './compose.ts';",
    );
    const only =
      'dispatch may import only std, domain, db, outbox, consent, emails/render.ts, sources/source.ts, providers/provider.ts and itself, because it works with any source and any provider, so it knows no particular one.';
    expect(rule(file)).toEqual([
      `src/dispatch/send.ts imports src/sources/plain/plain.ts: ${only}`,
      `src/dispatch/send.ts imports src/providers/capture.ts: ${only}`,
    ]);
  });

  test('a source does not know another source', () => {
    const file = planted(
      'src/sources/course-seats/fan-out.ts',
      "import type { Source } from '../source.ts';",
      "import { poll } from './feed/poll.ts';",
      "export { periodOf } from '../newsletters/period.ts';",
    );
    expect(rule(file)).toEqual([
      'src/sources/course-seats/fan-out.ts imports src/sources/newsletters/period.ts: a source may import only std, domain, db, outbox, consent, sources/source.ts and itself, because a source never sees another source, and never sends.',
    ]);
  });

  test('what a source is does not depend on one of them', () => {
    const [sentence] = rule(
      planted('src/sources/source.ts', "import { plainSource } from './plain/plain.ts';"),
    );
    expect(sentence).toBe(
      'src/sources/source.ts imports src/sources/plain/plain.ts: sources may import only std, domain, db, outbox, consent and itself, because what a source is does not depend on any one of them.',
    );
  });

  test('a dynamic import is an import, and so is a type', () => {
    const file = planted(
      'src/emails/render.ts',
      "const outbox = await import('../outbox/outbox.ts');",
      "import type { Database } from '../db/database.ts';",
    );
    const only =
      'emails may import only std, domain and itself, because a mail is made from its props alone.';
    expect(rule(file)).toEqual([
      `src/emails/render.ts imports src/outbox/outbox.ts: ${only}`,
      `src/emails/render.ts imports src/db/database.ts: ${only}`,
    ]);
  });

  test('settings are read by whoever puts the parts together', () => {
    const line = "import type { Config } from '../config.ts';";
    expect(rule(planted('src/http/server.ts', line))).toEqual([]);
    expect(rule(planted('src/providers/resend.ts', line))).toEqual([
      'src/providers/resend.ts imports src/config.ts: providers may import only std, domain and itself, because a provider takes a mail and answers; what follows is not its business.',
    ]);
  });

  test('the built-in inbox may know the database by its types only, and no other provider may at all', () => {
    expect(
      rule(planted('src/providers/capture.ts', "import type { Database } from '../db/database.ts';")),
    ).toEqual([]);
    expect(
      rule(planted('src/providers/capture.ts', "import { openDatabase } from '../db/database.ts';")),
    ).toEqual([
      'src/providers/capture.ts imports more than types from src/db/database.ts: it may import types only, because the built-in inbox is the one provider whose wire is the database.',
    ]);
    expect(
      rule(planted('src/providers/smtp.ts', "import type { Database } from '../db/database.ts';")),
    ).toHaveLength(1);
  });

  test('std knows nobody, and nobody reaches out of src', () => {
    expect(rule(planted('src/std/log.ts', "import type { Status } from '../domain/lifecycle.ts';"))).toEqual([
      'src/std/log.ts imports src/domain/lifecycle.ts: std may import only itself, because it knows nothing of mail.',
    ]);
    expect(rule(planted('src/std/log.ts', "import { root } from '../../scripts/root.mjs';"))).toEqual([
      'src/std/log.ts imports scripts/root.mjs: nothing in src may import from outside it, because only src is shipped.',
    ]);
  });

  test('a path that is put together at run time cannot be checked', () => {
    expect(rule(planted('src/cli/cli.ts', 'await import(`./commands/${name}.ts`);'))).toEqual([
      'src/cli/cli.ts imports what only a run can tell: write the path out, because imports are checked by reading.',
    ]);
  });

  test('a commented-out or quoted import is none', () => {
    const file = planted(
      'src/std/log.ts',
      "// import { a } from '../outbox/outbox.ts';",
      "/* import { b } from '../outbox/outbox.ts'; */",
      'const text = "import { c } from \'../outbox/outbox.ts\';";',
    );
    expect(rule(file)).toEqual([]);
  });

  test('a new folder must be put into the table', () => {
    expect(rules['every folder says whom it may import'](planted('src/plugins/plugin.ts', ''))).toEqual([
      'src/plugins is in no layer: say in tests/architecture/layers.ts whom it may import, and why.',
    ]);
  });

  test('an exception that nobody uses must go', () => {
    const rest = sources.filter(({ path }) => path !== 'src/providers/capture.ts');
    expect(rules['no exception outlives its reason'](rest)).toEqual([
      'src/providers/capture.ts does not import src/db/database.ts any more: remove the exception from tests/architecture/layers.ts.',
    ]);
  });
});

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

describe('only the outbox writes deliveries', () => {
  const rule = rules['only the outbox writes deliveries'];
  const writes = (path: string, match: string) =>
    `${path} writes deliveries (${match}): only src/outbox may, because with a second writer nobody can say what may follow a status.`;

  test.each([
    ["tx.updateTable('deliveries').set({ status: 'sent' });", "updateTable('deliveries"],
    ['tx.updateTable("deliveries as d").set({});', 'updateTable("deliveries'],
    ["tx\n  .insertInto(\n    'deliveries',\n  )\n  .values(rows);", "insertInto( 'deliveries"],
    ["tx.deleteFrom('deliveries').execute();", "deleteFrom('deliveries"],
    ["sql`UPDATE deliveries SET status = 'sent'`;", 'UPDATE deliveries SET'],
    ["sql`\n  update\n    deliveries\n  set status = 'sent'\n`;", 'update deliveries set'],
    ['sql`UPDATE public."deliveries" AS d SET round = 1`;', 'UPDATE public."deliveries" AS d SET'],
    ["sql`UPDATE ${sql.table('deliveries')} SET round = 1`;", "UPDATE ${sql.table('deliveries')} SET"],
    ['sql`insert into deliveries (id) values (1)`;', 'insert into deliveries'],
    ['sql`INSERT OR IGNORE INTO deliveries (id) VALUES (1)`;', 'INSERT OR IGNORE INTO deliveries'],
    ["db.script('DELETE FROM deliveries', tx);", 'DELETE FROM deliveries'],
    ['sql`DELETE /* all */ FROM deliveries`;', 'DELETE FROM deliveries'],
  ])('%s', (text, match) => {
    expect(rule(planted('src/consent/unsubscribe.ts', text))).toEqual([
      writes('src/consent/unsubscribe.ts', match),
    ]);
  });

  test.each([
    "tx.updateTable('delivery_mails').set({});",
    "tx.insertInto('deliveries_archive').values(rows);",
    "tx.selectFrom('deliveries').selectAll();",
    'sql`UPDATE delivery_mails SET round = 1 FROM deliveries`;',
    "log.info('update deliveries later');",
    "// tx.updateTable('deliveries') would be wrong here.",
  ])('is none: %s', (text) => {
    expect(rule(planted('src/consent/unsubscribe.ts', text))).toEqual([]);
  });

  test('the outbox itself does, and a rule that saw nothing there would be blind', () => {
    const moved = sources
      .filter(({ path }) => path.startsWith('src/outbox/'))
      .map(({ path, text }) => ({ path: path.replace('outbox', 'elsewhere'), text }));
    expect(rule(moved)).toEqual(
      expect.arrayContaining([
        writes('src/elsewhere/claim.ts', 'UPDATE deliveries SET'),
        writes('src/elsewhere/enqueue.ts', 'INSERT INTO deliveries'),
        writes('src/elsewhere/rows.ts', 'UPDATE deliveries SET'),
      ]),
    );
  });
});

describe('shape', () => {
  test.each(['export default function open() {}', 'function open() {}\nexport { open as default };'])(
    '%s',
    (text) => {
      expect(rules['no default exports'](planted('src/db/database.ts', text))).toEqual([
        'src/db/database.ts has a default export: export it by name, because a thing has one name everywhere.',
      ]);
    },
  );

  test.each([
    ['src/outbox/index.ts', 'export const nothing = 1;'],
    [
      'src/outbox/everything.ts',
      "// All of it.\nexport * from './claim.ts';\nexport { type A } from './record.ts';",
    ],
  ])('a barrel: %s', (path, text) => {
    expect(rules['no barrels'](planted(path, text))).toEqual([
      `${path} is a barrel: import from the file that makes the thing, because a reader must see where it comes from.`,
    ]);
  });

  test.each([
    ['src/std/utils.ts', 'src/std/utils.ts'],
    ['src/std/date-helpers.ts', 'src/std/date-helpers.ts'],
    ['src/domain/types.ts', 'src/domain/types.ts'],
    ['src/common/log.ts', 'src/common'],
  ])('a drawer: %s', (path, drawer) => {
    expect(rules['no drawers for everything'](planted(path, ''))).toEqual([
      `${drawer} is a drawer for everything: name it after what is in it, because a reader looks for things by their name.`,
    ]);
  });

  test('300 lines are enough', () => {
    const rule = rules['no file is too long to read'];
    const lines = (count: number) => [{ path: 'src/http/server.ts', text: '//\n'.repeat(count) }];
    expect(rule(lines(300))).toEqual([]);
    expect(rule(lines(301))).toEqual([
      'src/http/server.ts has 301 lines, and may have 300: split it by meaning, because nobody reads more as a whole.',
    ]);
  });

  test('a folder without a front door, and a front door without a word', () => {
    const rule = rules['every folder has a front door'];
    expect(rule(planted('src/outbox/claim.ts', ''))).toEqual([
      'src/outbox has no front door: make src/outbox/outbox.ts, because a reader must know which file to open first.',
    ]);
    expect(rule(planted('src/sources/newsletters/period.ts', ''))).toEqual([
      'src/sources/newsletters has no front door: make src/sources/newsletters/newsletters.ts, because a reader must know which file to open first.',
    ]);
    expect(rule(planted('src/runners/runner.ts', 'export interface Runner {}'))).toEqual([
      'src/runners/runner.ts opens without a word: begin with what src/runners is, promises and never does.',
    ]);
  });
});
