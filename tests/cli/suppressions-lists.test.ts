import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireAddress } from '../../src/domain/address.ts';
import { consentOf } from '../support/consent.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, onBothDatabases, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine, type RunOptions } from './command-line.ts';

/** In from somebody else's list, and out to one. Each test goes on where the last one ended. */
onBothDatabases('a list of addresses', (dialect) => {
  let shell: CommandLine;
  let world: World;
  let elsewhere: World;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld(dialect);
    elsewhere = await createWorld('sqlite');
  });
  afterAll(async () => {
    await shell.close();
    await world.close();
    await elsewhere.close();
  });
  const runIn = (url: string, args: string[], options: RunOptions = {}) =>
    shell.run(['suppressions', ...args], {
      ...options,
      env: { DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'debug' },
    });
  const tidings = (...args: string[]) => runIn(world.url, args);
  const importText = (input: string) => runIn(world.url, ['import', '-'], { input });
  const linesOf = ({ db }: World) =>
    db.read
      .selectFrom('suppressions')
      .select(['address_key', 'scope', 'reason', 'note'])
      .where('lifted_at', 'is', null)
      .orderBy('address_key')
      .orderBy('scope')
      .execute();

  test('a dry run says what would come of it, and nothing comes of it', async () => {
    await rowIn(world, 'pending', 4_000);
    const file = join(shell.folder, 'list.csv');
    const lines = Array.from(
      { length: 5_000 },
      (_, number) => `Name ${number},Person-${number}@Example.org,x`,
    );
    writeFileSync(
      file,
      ['\ufeffName,Email Address,Tags', ...lines, lines[0], 'Name,nobody,x', ''].join('\r\n'),
    );
    const dry = await tidings('import', 'list.csv', '--dry-run');
    expect(dry.out.split('\n')).toEqual([
      'Dry run: nothing has been changed.',
      '5002 lines read: 5000 would be new on the list, 1 already on it or named twice, 1 bad.',
      '1 delivery that waits for them would be stopped.',
      'Columns that were not read: Name, Tags.',
      '',
    ]);
    expect(dry.err.split('\n')).toEqual([
      'Line 5003: The address has no @; give one like name@example.com.',
      '',
    ]);
    expect(dry.code).toBe(1);
    expect(await linesOf(world)).toEqual([]);
    expect(await world.db.read.selectFrom('deliveries').select('status').execute()).toEqual([
      { status: 'pending' },
    ]);
  });

  test('5,000 lines are imported, bad ones told by their number; again, and nothing is new', async () => {
    const first = await tidings('import', 'list.csv', '--json');
    expect([first.code, JSON.parse(first.out)]).toEqual([
      1,
      {
        ...{ isDryRun: false, read: 5_002, added: 5_000, alreadyListed: 1, stopped: 1, lifted: 0, bad: 1 },
        problems: [{ line: 5_003, problem: expect.stringContaining('no @') }],
        ignoredColumns: ['Name', 'Tags'],
      },
    ]);
    expect(first.err).not.toContain('@');
    expect(await world.db.read.selectFrom('deliveries').select('status').execute()).toEqual([
      { status: 'suppressed' },
    ]);
    const again = await tidings('import', 'list.csv');
    expect(again.out).toMatch(
      /^5002 lines read: 0 are new on the list, 5001 already on it or named twice, 1 bad\.\n/,
    );
    expect(await linesOf(world)).toHaveLength(5_000);
  });

  test('from standard input, in other shapes; no bad line stops a good one or quotes anybody', async () => {
    await world.db.write.deleteFrom('suppressions').execute();
    const plain = await importText(
      'ana@example.org\n\nnot an address of zed@\n+bob@example.org,plain,complained,"=1+1, ""hm"""\n',
    );
    expect([plain.code, plain.out, plain.err]).toEqual([
      1,
      '3 lines read: 2 are new on the list, 0 already on it or named twice, 1 bad.\n',
      'Line 3: The address has white space in it; remove it.\n',
    ]);
    const json = await importText(
      '[{"email":"cleo@example.org","reason":"bounced_for_good","note":"line\\r\\nline"},\n{"address":"dan@example.org","scope":"none"}]',
    );
    expect([json.code, json.err]).toEqual([
      1,
      'Line 2, entry 2: There is no source of that name; the scope is one of *, plain, course-seats, course-seats-verification, newsletters, code-reviews.\n',
    ]);
    expect(await linesOf(world)).toEqual([
      { address_key: '+bob@example.org', scope: 'plain', reason: 'complained', note: '=1+1, "hm"' },
      { address_key: 'ana@example.org', scope: '*', reason: 'imported', note: null },
      { address_key: 'cleo@example.org', scope: '*', reason: 'bounced_for_good', note: 'line\r\nline' },
    ]);
  });

  test.each(['csv', 'json'])('an export as %s is imported elsewhere as the same list', async (format) => {
    await elsewhere.db.write.deleteFrom('suppressions').execute();
    const { suppressions } = consentOf(world);
    const many = Array.from({ length: 1_100 }, (_, number) => requireAddress(`many-${number}@example.org`));
    const note = "'=twice guarded";
    await suppressions.add(
      many.map((address) => ({ address, reason: 'imported', note })),
      'x',
    );
    const eve = requireAddress('eve@example.org');
    await suppressions.add([{ address: eve, reason: 'operator' }], 'x');
    await suppressions.lift(eve, '*', { by: 'x', because: 'back' });
    const { code, out, err } = await tidings('export', '--format', format, '--with-lifted');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('eve@example.org');
    if (format === 'csv') {
      expect(out).toMatch(/\n'\+bob@example\.org,plain,complained,"'=1\+1, ""hm""",/);
      const active = await tidings('export');
      expect(active.out).toMatch(/^address,scope,reason,note,by,at\n/);
      expect(active.out).not.toContain('eve@example.org');
    }
    const before = await linesOf(world);
    expect(before.length).toBe(1_103);
    const back = await runIn(elsewhere.url, ['import', '-'], { input: out });
    expect([back.code, back.out]).toEqual([
      0,
      expect.stringMatching(/: 1103 are new on the list, 0 already.*\.\n\d passed over: they were taken off/),
    ]);
    expect(back.out).not.toContain('not read');
    expect(await linesOf(elsewhere)).toEqual(before);
  });
});
