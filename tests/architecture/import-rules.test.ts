// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted mistakes are programs.
import { describe, expect, test } from 'vitest';
import { rules } from './rules.ts';
import { planted, readSources } from './source-files.ts';

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
    const line = "import type { Config } from '../settings.ts';";
    expect(rule(planted('src/http/server.ts', line))).toEqual([]);
    expect(rule(planted('src/providers/resend.ts', line))).toEqual([
      'src/providers/resend.ts imports src/settings.ts: providers may import only std, domain and itself, because a provider takes a mail and answers; what follows is not its business.',
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
    expect(rule(planted('src/std/log.ts', "import type { Status } from '../domain/status.ts';"))).toEqual([
      'src/std/log.ts imports src/domain/status.ts: std may import only itself, because it knows nothing of mail.',
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
    const rest = readSources().filter(({ path }) => path !== 'src/providers/capture.ts');
    expect(rules['no exception outlives its reason'](rest)).toEqual([
      'src/providers/capture.ts does not import src/db/database.ts any more: remove the exception from tests/architecture/layers.ts.',
    ]);
  });
});
