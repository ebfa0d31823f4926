import { writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';
import { createShellWorld, type ShellWorld } from './shell-world.ts';

/** What is changed from the command line is written down as what the API changes is. */
onBothDatabases('the audit log and the command line', (dialect) => {
  let world: ShellWorld;
  beforeAll(async () => {
    world = await createShellWorld(dialect);
  });
  afterAll(() => world.close());
  const tidings = (...args: string[]) =>
    world.shell.run(args, { env: { DATABASE_URL: world.url, PORT: '0' } });
  const lines = async () => JSON.parse((await tidings('audit', '--json')).out).lines;
  /** What one command has added. */
  const added = async (...args: string[]) => {
    const before = (await lines()).length;
    const { code, err } = await tidings(...args);
    const after = await lines();
    return { code, err, lines: after.slice(0, after.length - before) };
  };
  const who = `${userInfo().username}@${hostname()}`;

  test('nothing yet', async () => {
    const { code, out } = await tidings('audit');
    expect([code, out]).toEqual([0, 'Nothing has been changed yet.\n']);
  });

  test('who typed it and where, the command as it was typed, the reason and what came of it', async () => {
    expect(await added('pause', 'plain', '--because', 'told by bob@example.org')).toMatchObject({
      code: 0,
      lines: [
        {
          ...{ who, verb: 'tidings pause', reason: 'told by [address]', answer: 'done' },
          details: '{"arguments":["plain"]}',
        },
      ],
    });
    const { out } = await tidings('audit');
    expect(out.split('\n')[0]).toMatch(/^WHO +WHAT +WHY +ANSWER +AGE +NUMBER$/);
    expect(out).toContain(`${who}  tidings pause  told by [address]  done`);
  });

  test('what is refused is in it with its code, and what is no command is not', async () => {
    expect(await added('pause', 'plian', '--reason', 'x')).toMatchObject({
      code: 2,
      lines: [{ verb: 'tidings pause', answer: 'unknown_source' }],
    });
    expect((await added('pause')).lines).toEqual([]);
    expect((await added('pause', '--raison', 'x')).lines).toEqual([]);
    expect((await added('deliveries', 'list')).lines).toEqual([]);
  });

  test('each command that changes something, and no dry run', async () => {
    const dead = await rowIn(world, 'failed_permanent', 1);
    writeFileSync(join(world.shell.folder, 'list.csv'), 'cleo@example.org\nnobody\n');
    writeFileSync(join(world.shell.folder, 'users.csv'), 'user_id,email\nu1,dan@example.org\n');
    const because = ['--because', 'why'];
    const commands: [string[], string, string | null][] = [
      [['resume', 'plain'], 'done', null],
      [['deliveries', 'requeue', String(dead), ...because], 'done', 'why'],
      [['deliveries', 'requeue', '987654', ...because], 'not all done', 'why'],
      [['deliveries', 'requeue', '--status', 'expired', ...because, '--yes'], 'done', 'why'],
      [['deliveries', 'resolve', String(dead), '--as', 'sent', ...because], 'not all done', 'why'],
      [['suppressions', 'add', 'ana@example.org', ...because], 'done', 'why'],
      [['suppressions', 'remove', 'ana@example.org', ...because], 'done', 'why'],
      [['suppressions', 'import', 'list.csv'], 'not all done', null],
      [['users', 'set', 'u2', '--email', 'eva@example.org'], 'done', null],
      [['users', 'import', 'users.csv'], 'done', null],
      [['users', 'remove', 'u1'], 'done', null],
      [['budget', 'remove', '4305857', '2023'], 'not all done', null],
      [['plan', 'newsletter_entity_monthly'], 'done', null],
      [['reconcile', 'run'], 'done', null],
    ];
    for (const [args, answer, reason] of commands) {
      const { lines: own } = await added(...args);
      const [group = '', verb = ''] = args;
      expect([args, own]).toMatchObject([
        args,
        [{ who, answer, reason, verb: expect.stringMatching(new RegExp(`^tidings ${group}( ${verb})?$`)) }],
      ]);
    }
    for (const args of [
      ['deliveries', 'requeue', '--status', 'expired', ...because],
      ['suppressions', 'import', 'list.csv', '--dry-run'],
      ['trigger', 'newsletter_entity_monthly', '--dry-run'],
      ['suppressions', 'list'],
      ['users', 'list'],
    ])
      expect([args, (await added(...args)).lines]).toEqual([args, []]);
    expect(JSON.stringify(await lines())).not.toMatch(/ana@|eva@|cleo@|dan@/);
  });

  test('a password in an argument is not in it', async () => {
    const from = 'postgres://reader:s3cret@127.0.0.1:1/old';
    const { out, err } = await tidings('notifications', 'import', '--from', from);
    expect(out + err).not.toContain('s3cret');
    expect(JSON.stringify(await lines())).not.toContain('s3cret');
  });

  test('page by page, with details for who wants them', async () => {
    const first = await tidings('audit', '--limit', '2', '--with-details');
    const [, below = ''] =
      /\nMore: npx tidings audit --with-details --limit 2 --below (\d+)\n$/.exec(first.out) ?? [];
    expect(first.out).toContain('DETAILS');
    const next = JSON.parse((await tidings('audit', '--limit', '1', '--below', below, '--json')).out);
    expect(next).toMatchObject({ lines: [{ seq: expect.any(Number) }], next: { below: expect.any(Number) } });
    expect(next.lines[0].seq).toBeLessThan(Number(below));
    const all = JSON.parse((await tidings('audit', '--limit', '200', '--json')).out);
    const last = await tidings('audit', '--below', String(all.lines.at(-1).seq));
    expect(last.out).toBe('No earlier lines.\n');
  });
});
