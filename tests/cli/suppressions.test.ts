import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { consentOf } from '../support/consent.ts';
import { rowIn } from '../support/rows.ts';
import { createShellWorld, type ShellWorld } from './shell-world.ts';

const me = userInfo().username;

/** Each test goes on where the last one ended. */
describe('suppressions', () => {
  let world: ShellWorld;
  beforeAll(async () => {
    world = await createShellWorld();
  });
  afterAll(() => world.close());
  const tidingsIn = (url: string, ...args: string[]) =>
    world.shell.run(['suppressions', ...args], { env: { DATABASE_URL: url, PORT: '0' } });
  const tidings = (...args: string[]) => tidingsIn(world.url, ...args);
  const importText = (input: string) =>
    world.shell.run(['suppressions', 'import', '-'], { env: { DATABASE_URL: world.url, PORT: '0' }, input });

  test('an empty list says what to do', async () => {
    const { code, out } = await tidings('list');
    expect(code).toBe(0);
    expect(out).toMatch(/^No address is suppressed\..*\nPut one on it: npx tidings suppressions add /);
    expect((await tidings('list', '--address', 'ana@example.org')).out).toBe('It is not on the list.\n');
    expect(JSON.parse((await tidings('list', '--json')).out)).toEqual({ suppressions: [], next: null });
  });

  test('bad addresses are all told by their place, and nothing is added', async () => {
    const because = ['--because', 'x'];
    const several = await tidings('add', 'ana@example.org', 'nobody', 'x@y@z.org', ...because);
    expect([several.code, several.err.split('\n')]).toEqual([
      2,
      [
        'Address 2 of 3: The address has no @; give one like name@example.com.',
        'Address 3 of 3: The address has more than one @; give one address at a time.',
        'Nothing was added.',
        '',
      ],
    ]);
    const one = await tidings('add', 'nobody', ...because, '--json');
    expect([one.code, JSON.parse(one.err)]).toMatchObject([
      2,
      { code: 'invalid_address', details: { problems: [{ index: 0, code: 'no_at_sign' }] } },
    ]);
    expect((await tidings('list')).out).toContain('No address is suppressed.');
  });

  test('why, and a scope that there is, are asked for', async () => {
    const without = await tidings('add', 'ana@example.org');
    expect([without.code, without.err]).toEqual([2, 'Say why with --because: it is kept with the line.\n']);
    const long = await tidings('add', 'ana@example.org', '--because', 'x'.repeat(501));
    expect([long.code, long.err]).toEqual([
      2,
      'Say why in at most 500 characters: it is kept with the line.\n',
    ]);
    const unknown = await tidings('add', 'ana@example.org', '--scope', 'plian', '--because', 'x');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toMatch(
      /^There is no source "plian"\. Did you mean plain\? The scope is one of \*, plain, course-seats, course-seats-verification, newsletters, code-reviews;/,
    );
  });

  test('adding stops what waits, and says who was on the list already', async () => {
    await rowIn(world, 'pending', 1);
    await rowIn(world, 'failed_transient', 2);
    const first = await tidings('add', 'Person-1@example.org', '--because', ' she asked ');
    expect([first.code, first.out]).toEqual([
      0,
      'Added: nothing is mailed to 1 address from now on.\n1 delivery that waited is stopped.\n',
    ]);
    const second = await tidings('add', 'person-1@example.org', 'person-2@example.org', '--because', 'y');
    expect([second.code, second.out]).toEqual([
      0,
      'Added: nothing is mailed to 1 address from now on.\nperson-1@example.org was on the list already; its line is as it was.\n1 delivery that waited is stopped.\n',
    ]);
    const known = await tidings('add', 'person-1@example.org', '--because', 'y');
    expect([known.code, known.out]).toEqual([
      0,
      'person-1@example.org was on the list already; its line is as it was.\n',
    ]);
    const scoped = await tidings(
      'add',
      'person-1@example.org',
      '--scope',
      'plain',
      '--because',
      'y',
      '--json',
    );
    expect(JSON.parse(scoped.out)).toEqual({ scope: 'plain', added: 1, stopped: 0, alreadyListed: [] });
    expect(await world.db.read.selectFrom('deliveries').select('status').execute()).toEqual([
      { status: 'suppressed' },
      { status: 'suppressed' },
    ]);
  });

  test('the list is a table for people, a page at a time', async () => {
    const { code, out } = await tidings('list', '--limit', '2');
    const [head, first, second = '', more] = out.split('\n');
    expect(code).toBe(0);
    expect(head).toMatch(/^ADDRESS +SCOPE +REASON +NOTE +BY +AGE +NUMBER$/);
    expect(first).toMatch(new RegExp(`^person-1@example.org +plain +operator +y +${me} +\\S.* \\d+$`));
    expect(second).toMatch(/^person-2@example.org +\* +operator/);
    const number = /\d+$/.exec(second)?.[0] ?? '';
    expect(more).toBe(`More: npx tidings suppressions list --limit 2 --below ${number}`);
    const last = await tidings('list', '--limit', '2', '--below', number, '--json');
    expect(JSON.parse(last.out)).toMatchObject({
      suppressions: [{ seq: 1, address: 'person-1@example.org', scope: '*', note: 'she asked', by: me }],
      next: null,
    });
    const filtered = await tidings('list', '--address', 'PERSON-1@example.org', '--scope', 'plain', '--json');
    expect(JSON.parse(filtered.out).suppressions).toMatchObject([{ scope: 'plain' }]);
    expect((await tidings('list', '--reason', 'complained')).out).toMatch(/^No line of the list matches\./);
    const unknown = await tidings('list', '--reason', 'complaint');
    expect([unknown.code, unknown.err]).toMatchObject([
      2,
      expect.stringContaining('There is no reason "complaint".'),
    ]);
  });

  test('the doctor counts addresses, not lines', async () => {
    const { out } = await world.shell.run(['doctor'], { env: { DATABASE_URL: world.url, PORT: '0' } });
    expect(out).toContain('Suppressed: 2 addresses that are not mailed.');
  });

  test('several are removed at once, and one that is no address keeps all of them where they are', async () => {
    const two = ['many-1@example.org', 'many-2@example.org'];
    expect((await tidings('add', ...two, '--because', 'a trial')).code).toBe(0);
    const wrong = await tidings('remove', ...two, 'nobody', '--because', 'over');
    expect(wrong.code).toBe(2);
    const { code, out } = await tidings('remove', ...two, '--because', 'over', '--json');
    const removed = two.map((address) => ({ address, scope: '*', isRemoved: true, stillListed: [] }));
    expect([code, JSON.parse(out)]).toEqual([0, removed]);
    const again = await tidings('remove', ...two, '--because', 'over');
    expect([again.code, again.out.match(/there is nothing to remove/g)]).toEqual([
      1,
      expect.objectContaining({ length: 2 }),
    ]);
  });

  test('removing says what stays stopped and what is still on the list', async () => {
    const without = await tidings('remove', 'person-1@example.org');
    expect([without.code, without.err]).toEqual([2, 'Say why with --because: it is kept with the line.\n']);
    const { code, out } = await tidings('remove', 'Person-1@example.org', '--because', 'the mailbox is back');
    expect([code, out.split('\n')]).toEqual([
      0,
      [
        'person-1@example.org is off the list: what is asked for from now on may be mailed by every source.',
        'What was stopped stays stopped. See it: npx tidings deliveries list --to Person-1@example.org --status suppressed',
        'Put it back: npx tidings deliveries requeue <number> --reason "…"',
        'It is on the list for the source plain. Take it off: npx tidings suppressions remove Person-1@example.org --scope plain --because "…"',
        '',
      ],
    ]);
    const again = await tidings('remove', 'person-1@example.org', '--because', 'again');
    expect([again.code, again.out]).toEqual([
      1,
      'person-1@example.org is not on the list for everything: there is nothing to remove.\nIt is on the list for the source plain. Take it off: npx tidings suppressions remove person-1@example.org --scope plain --because "…"\n',
    ]);
    const scoped = await tidings(
      'remove',
      'person-1@example.org',
      '--scope',
      'plain',
      '--because',
      'x',
      '--json',
    );
    expect([scoped.code, JSON.parse(scoped.out)]).toEqual([
      0,
      { address: 'person-1@example.org', scope: 'plain', isRemoved: true, stillListed: [] },
    ]);
    const lifted = await tidings('list', '--address', 'person-1@example.org', '--with-lifted');
    expect(lifted.out).toMatch(
      /^ADDRESS .* LIFTED +NUMBER\n(person-1@example.org .* (ago|just now) +\d\n){2}$/,
    );
  });

  test('what cannot be read at all is refused, and makes no database', async () => {
    const url = `sqlite:${join(world.shell.folder, 'none.db')}`;
    const missing = await tidingsIn(url, 'import', 'none.csv');
    expect([missing.code, missing.err]).toEqual([
      2,
      'There is no file "none.csv". Check its name, and the folder you are in.\n',
    ]);
    const folder = await tidingsIn(url, 'import', '.');
    expect([folder.code, folder.err]).toEqual([2, '"." is a folder. Give a file.\n']);
    expect(existsSync(join(world.shell.folder, 'none.db'))).toBe(false);
    const header = await importText('Contact,Name\nana@example.org,Ana\n');
    expect([header.code, header.err]).toMatchObject([2, expect.stringContaining('called address, email')]);
    const format = await tidings('export', '--format', 'xml');
    expect([format.code, format.err]).toEqual([2, 'There is no format "xml". Give csv or json.\n']);
    expect((await importText('')).out).toBe('There is no line in it: nothing was added.\n');
  });

  test('of many bad lines the first hundred are told, and how many more there are', async () => {
    const { code, err } = await importText('nobody\n'.repeat(250));
    expect((await tidings('import', '--help')).out).toContain('the exit code is 1 where some were not taken');
    const lines = err.trimEnd().split('\n');
    expect([code, lines.length, lines[99], lines.at(-1)]).toEqual([
      ...[1, 101, 'Line 100: The address has no @; give one like name@example.com.'],
      'And 150 more. Mend these and import the file again: what is in already is passed over.',
    ]);
  });

  test('who left by a link is told of, and brought back only at their wish', async () => {
    const { unsubscribe } = consentOf(world);
    const owner = { source: 'plain', recipient: 'eve@example.org' };
    const token =
      [...(await unsubscribe.linksFor([{ seq: 1, ...owner }])).values()][0]?.split('/').at(-1) ?? '';
    await unsubscribe.stop(token, 'one-click');
    const told = await tidings('list', '--address', 'Eve@example.org');
    expect(told.out).toMatch(
      /^It is not on the list\.\nThey left the source plain .*: npx tidings suppressions remove Eve@example\.org --unsubscribed-from plain --because "…"\n$/,
    );
    const json = JSON.parse((await tidings('list', '--address', 'eve@example.org', '--json')).out);
    expect(json.unsubscribed).toMatchObject([{ source: 'plain' }]);
    const back = ['remove', 'Eve@example.org', '--unsubscribed-from', 'plain', '--because', 'she asked'];
    const [first, second] = [await tidings(...back), await tidings(...back)];
    expect([first.code, first.out]).toEqual([
      0,
      'eve@example.org gets mails of the source plain again, from what is asked for now on. What was stopped stays stopped.\n',
    ]);
    expect([second.code, second.out]).toMatchObject([1, expect.stringContaining('has not left')]);
    const [row] = await world.db.read.selectFrom('unsubscribe_tokens').selectAll().execute();
    expect(row).toMatchObject({ unsubscribed_at: null, reopened_by: me, reopened_because: 'she asked' });
  });
});
