import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { skewFinding } from '../../src/cli/check-database.ts';
import { cureOf, paceFindings, upFinding } from '../../src/cli/check-provider.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { openDatabase } from '../../src/db/database.ts';
import { sqlitePathOf } from '../../src/db/dialect.ts';
import { freshPace } from '../../src/domain/pace.ts';
import { claimForSamples } from '../../src/samples/claim-samples.ts';
import { systemClock } from '../../src/std/clock.ts';
import { silentLog } from '../../src/std/log.ts';
import { linkSettings } from '../support/consent.ts';
import { startFakePostmark } from '../support/fake-postmark/fake-postmark.ts';
import { startFakeResend } from '../support/fake-resend/fake-resend.ts';
import { emptyDatabase } from '../support/own-database.ts';
import { rowIn } from '../support/rows.ts';
import { createWorld, onBothDatabases } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

let shell: CommandLine;
beforeEach(() => {
  shell = createCommandLine();
});
afterEach(() => shell.close());

async function doctor(env: Record<string, string>) {
  const { code, out } = await shell.run(['doctor', '--json'], { env: { PORT: '0', ...env } });
  const { findings, ...rest } = JSON.parse(out) as { findings: Finding[] } & Record<string, unknown>;
  const marked = (mark: Finding['mark']) =>
    findings.filter((one) => one.mark === mark).map(({ sentence }) => sentence);
  return { code, findings, marked, rest, out };
}

const startLate = 86_400_000;

test('a database that everybody on the machine may read is a note, with the command that ends it', async () => {
  const world = await createWorld('sqlite');
  try {
    const path = sqlitePathOf(world.url);
    const sentence = 'Every user of this machine may read the database, with the addresses in it.';
    chmodSync(path, 0o644);
    const open = await doctor({ DATABASE_URL: world.url });
    expect(open.findings.find((one) => one.sentence === sentence)).toMatchObject({
      mark: 'note',
      cure: expect.stringMatching(/^chmod 600 /),
    });
    chmodSync(path, 0o640);
    expect((await doctor({ DATABASE_URL: world.url })).out).not.toContain(sentence);
  } finally {
    await world.close();
  }
});

test('a .env that others may read is a note, with the command that ends it', async () => {
  const path = join(shell.folder, '.env');
  writeFileSync(path, '');
  const sentence = 'Other users of this machine may read .env, with the keys and passwords in it.';
  for (const mode of [0o640, 0o604]) {
    chmodSync(path, mode);
    const { findings } = await doctor({});
    expect(findings).toContainEqual({ mark: 'note', sentence, cure: 'chmod 600 .env' });
  }
  chmodSync(path, 0o600);
  expect((await doctor({})).out).not.toContain(sentence);
});

test('who has set nothing sees no head of a table without lines', async () => {
  const { out } = await shell.run(['doctor'], { env: { PORT: '' } });
  expect(out).toMatch(/^\d+ settings have their defaults: npx tidings doctor --settings\n/);
});

test('a provider that answers while it refuses our credentials is not said to take mail', () => {
  expect(upFinding('smtp', { ...freshPace, openSince: 1, openReason: 'unauthorised' })).toMatchObject({
    mark: 'note',
    sentence: expect.stringContaining('only to a mail'),
  });
  expect(upFinding('smtp', freshPace)).toMatchObject({ mark: 'ok' });
  expect(upFinding('smtp', null)).toMatchObject({ mark: 'ok' });
});

test('people see what they have set, and all of it when they ask', async () => {
  const world = await createWorld('sqlite');
  try {
    const env = { DATABASE_URL: world.url, PORT: '0' };
    const { out } = await shell.run(['doctor'], { env });
    expect(out).toMatch(
      /^SETTING .*\n(.* environment *\n)+\d+ settings have their defaults: npx tidings doctor --settings\n/,
    );
    const all = await shell.run(['doctor', '--settings'], { env });
    expect(all.out).toMatch(/^RESEND_MAX_RPS +2 +default/m);
    expect(all.out).not.toContain('have their defaults');
  } finally {
    await world.close();
  }
});

test('TLS on a port without it has a cure of its own', () => {
  expect(cureOf('smtp', 'no session with 127.0.0.1:25 (ERR_SSL_WRONG_VERSION_NUMBER)')).toContain(
    'write smtp://',
  );
  expect(cureOf('smtp', 'ECONNREFUSED')).toContain('SMTP_URL');
});

onBothDatabases('doctor', (dialect) => {
  test('all is well: reachable, writable, clocks agree, the provider takes mail', async () => {
    const world = await createWorld(dialect);
    try {
      const { code, marked, findings } = await doctor({ DATABASE_URL: world.url });
      expect(code).toBe(0);
      expect(marked('ok').join('\n')).toMatch(
        /up to date.*\nThe database can be written to\.\n(.*\n)*The clock.*\n(.*\n)*capture was asked just now, and takes mail\./,
      );
      expect(marked('problem')).toEqual([]);
      // Every finding that is not as it should be says what to do, but for what is only good to know.
      expect(findings.filter(({ mark, cure }) => mark === 'problem' && cure === null)).toEqual([]);
      const before = await world.db.read.selectFrom('instance').selectAll().execute();
      expect(before).toHaveLength(1);
    } finally {
      await world.close();
    }
  });

  test('a database that is there and empty: what makes its tables, and it stays empty', async () => {
    const { url, drop } = await emptyDatabase(dialect);
    try {
      if (dialect === 'sqlite') writeFileSync(sqlitePathOf(url), '');
      for (const _ of ['the first time', 'and again']) {
        const { code, findings, rest, marked } = await doctor({ DATABASE_URL: url });
        expect([code, marked('problem')]).toEqual([0, []]);
        expect(findings).toContainEqual({
          ...{ mark: 'note', sentence: 'The database is reachable and still empty.' },
          cure: 'npm start or npx tidings migrate makes its tables.',
        });
        expect(rest).toMatchObject({ database: { state: 'reachable', applied: 0 }, deliveries: null });
      }
      const db = await openDatabase(url, { clock: systemClock, log: silentLog });
      const tables = await db.read.introspection.getTables();
      await db.close();
      expect(tables).toEqual([]);
    } finally {
      await drop();
    }
  });

  test('what a worker has in hand is told where no server answers, until when, by its name', async () => {
    const world = await createWorld(dialect);
    try {
      const dueAt = Date.parse('2126-01-01T00:00:00Z');
      await rowIn(world, 'claimed', 1, { dueAt });
      await rowIn(world, 'sending', 2, { dueAt: dueAt - 60_000 });
      await rowIn(world, 'sending', 3, { dueAt, lockedBy: 'worker-2' });
      const inHand = ({ findings }: Awaited<ReturnType<typeof doctor>>) =>
        findings.filter(({ sentence }) => sentence.includes(' in the hands of '));
      const cure = 'If it has died, npm start starts one, which takes them back then.';
      // A port on which nothing listens: the highest is hardly ever taken.
      expect(inHand(await doctor({ DATABASE_URL: world.url, PORT: '65535' }))).toEqual(
        ['2 deliveries are in the hands of worker-1', '1 delivery is in the hands of worker-2'].map(
          (what) => ({
            ...{
              mark: 'note',
              sentence: `${what}, until 2126-01-01T00:00:00Z; no server answers here.`,
              cure,
            },
          }),
        ),
      );
      expect(inHand(await doctor({ DATABASE_URL: world.url }))).toEqual([]);
    } finally {
      await world.close();
    }
  });

  test('nobody sends, leases are over, people are needed, books are owed: each with its cure', async () => {
    const world = await createWorld(dialect);
    try {
      for (const [number, status] of (
        ['pending', 'claimed', 'needs_review', 'failed_permanent'] as const
      ).entries())
        await rowIn(world, status, number);
      const owed = {
        delivery_seq: 1,
        source: 'plain',
        fact: '{}',
        at: 1,
        due_at: 1,
        tries: 4,
        last_error: 'x',
      };
      await world.db.write.insertInto('owed_facts').values(owed).execute();
      const { code, findings, marked } = await doctor({ DATABASE_URL: world.url });
      expect(code).toBe(1);
      expect(marked('problem')).toEqual([
        expect.stringMatching(/^The oldest that waits \(plain\) has been due for \d+ d\. Nothing is sending/),
        expect.stringMatching(/^1 in the hands of a worker whose time is up/),
        'A source has not booked 1 fact; it was told up to 4 times.',
      ]);
      expect(marked('note').join('\n')).toMatch(
        /1 needs a person \(needs_review\)[\s\S]*1 needs a person \(failed_permanent\)/,
      );
      const cureOf = (text: string) => findings.find(({ sentence }) => sentence.includes(text))?.cure;
      expect(cureOf('(needs_review)')).toContain('npx tidings reconcile list');
      const [, words = ''] =
        /: npx tidings (.*) --reason "…"$/.exec(cureOf('(failed_permanent)') ?? '') ?? [];
      const cured = await shell.run([...words.split(' '), '--reason', '…'], {
        env: { DATABASE_URL: world.url },
      });
      expect([cured.code, cured.out]).toEqual([
        0,
        expect.stringMatching(/^Dry run: 1 delivery would be put back[\s\S]* LAST ERROR\n/),
      ]);
      expect(findings.every(({ mark, cure }) => mark !== 'problem' || cure)).toBe(true);
    } finally {
      await world.close();
    }
  });
});

describe('doctor and the provider', () => {
  test('is really asked, by a question without a mail; and no secret is shown', async () => {
    const apiKey = 're_secret_0123456789abcdef';
    const world = await createWorld('sqlite');
    const fake = await startFakeResend({ keys: [{ apiKey, account: 'main' }] });
    try {
      const env = {
        ...{ DATABASE_URL: world.url, MAIL_PROVIDER: 'resend', RESEND_BASE_URL: fake.url },
        ...linkSettings,
        EMAIL_FROM_ADDRESS: 'us@example.org',
      };
      const good = await doctor({ ...env, RESEND_API_KEY: apiKey });
      expect(good.code).toBe(0);
      expect(good.marked('ok')).toContain('resend was asked just now, and takes mail.');
      expect(good.marked('ok').join()).toContain('Real: MAIL_PROVIDER is resend');
      expect(fake.ledger.accepted).toEqual([]);
      const bad = await doctor({ ...env, RESEND_API_KEY: 're_another_0123456789abcdef' });
      expect(bad.code).toBe(1);
      expect(bad.marked('problem').join('\n')).toMatch(/^resend was asked just now, and takes no mail: /);
      expect(good.out + bad.out).not.toMatch(/0123456789abcdef/);
    } finally {
      await fake.close();
      await world.close();
    }
  });

  test('Postmark is asked for token and stream, and told how to make its webhook', async () => {
    const world = await createWorld('sqlite');
    const token = 'c0ffee00-0000-4000-8000-00000000d0c7';
    const fake = await startFakePostmark({ tokens: [token] });
    try {
      const env = {
        ...{ DATABASE_URL: world.url, MAIL_PROVIDER: 'postmark', POSTMARK_BASE_URL: fake.url },
        ...{ ...linkSettings, EMAIL_FROM_ADDRESS: 'us@example.org', POSTMARK_SERVER_TOKEN: token },
      };
      const good = await doctor(env);
      expect(good.code).toBe(0);
      expect(good.marked('ok')).toContain('postmark was asked just now, and takes mail.');
      expect(good.marked('note').join()).toContain('POSTMARK_WEBHOOK_PASSWORD is not set');
      const password = 'x0123456789abcdef0123456789abcdef';
      const bad = await doctor({
        ...{ ...env, POSTMARK_MESSAGE_STREAM: 'nowhere', POSTMARK_WEBHOOK_PASSWORD: password },
      });
      expect(bad.marked('problem').join()).toContain('takes no mail: status 422 error 1226');
      expect(bad.marked('note').join()).not.toContain('POSTMARK_WEBHOOK_PASSWORD');
      expect(good.out + bad.out).not.toMatch(/d0c7|0123456789abcdef/);
      expect(fake.ledger.submissions()).toEqual([]);
    } finally {
      await fake.close();
      await world.close();
    }
  });

  test('a mail server that is not there: where, why and what to check, and no password', async () => {
    const { code, findings, out } = await doctor({
      ...{ MAIL_PROVIDER: 'smtp', SMTP_URL: 'smtp://ana:geheim@127.0.0.1:1', ...linkSettings },
      EMAIL_FROM_ADDRESS: 'us@example.org',
    });
    expect(code).toBe(1);
    expect(findings).toContainEqual({
      mark: 'problem',
      sentence:
        'smtp was asked just now, and takes no mail: unreachable: no session with 127.0.0.1:1 (ECONNREFUSED).',
      cure: 'Check host, port, user and password in SMTP_URL, and that a mail server listens there. What waits is kept and goes on by itself.',
    });
    expect(out).not.toContain('geheim');
  });

  test('is asked also before there is a database, and none is made by that', async () => {
    const fake = await startFakeResend({ keys: [{ apiKey: 're_secret_0123456789abcdef', account: 'main' }] });
    try {
      const { code, marked, out } = await doctor({
        ...{ MAIL_PROVIDER: 'resend', RESEND_BASE_URL: fake.url, EMAIL_FROM_ADDRESS: 'us@example.org' },
        ...linkSettings,
        RESEND_API_KEY: 're_another_0123456789abcdef',
      });
      expect(code).toBe(1);
      expect(marked('problem')).toEqual([
        expect.stringMatching(/^resend was asked just now, and takes no mail: /),
      ]);
      expect(JSON.parse(out)).toMatchObject({ database: { state: 'not made yet' }, deliveries: null });
      expect(existsSync(join(shell.folder, 'data'))).toBe(false);
    } finally {
      await fake.close();
    }
  });

  test('with the sample people inside it says what serve would, and what to do', async () => {
    const world = await createWorld('sqlite');
    const fake = await startFakePostmark({ tokens: ['c0ffee00-0000-4000-8000-00000000d0c7'] });
    try {
      await claimForSamples(world.db, 1);
      expect((await doctor({ DATABASE_URL: world.url })).marked('problem')).toEqual([]);
      const { code, findings } = await doctor({
        ...{ DATABASE_URL: world.url, MAIL_PROVIDER: 'postmark', POSTMARK_BASE_URL: fake.url },
        ...{ ...linkSettings, EMAIL_FROM_ADDRESS: 'us@example.org' },
        POSTMARK_SERVER_TOKEN: 'c0ffee00-0000-4000-8000-00000000d0c7',
      });
      expect(code).toBe(1);
      expect(findings.filter(({ mark }) => mark === 'problem')).toEqual([
        {
          mark: 'problem',
          sentence: expect.stringMatching(/^This database holds the sample people .* in earnest\.$/),
          cure: expect.stringMatching(
            /^Set DATABASE_URL to a new database, such as .* or delete this one\.$/,
          ),
        },
      ]);
    } finally {
      await fake.close();
      await world.close();
    }
  });

  test('an open circuit, a pause and a rate that all processes know', () => {
    const now = startLate;
    const open = { ...freshPace, openSince: now - 60_000, openReason: 'over_quota', probeAt: now };
    expect(paceFindings(open, 'resend', now)).toEqual([
      {
        mark: 'problem',
        sentence:
          'The circuit is open since 60 s ago: no mail is handed to resend, because its quota is used up.',
        cure: expect.stringContaining('Raise the quota'),
      },
    ]);
    const [refused] = paceFindings({ ...open, openReason: 'unauthorised' }, 'resend', now);
    // A domain that is not verified reads as a wrong key does, and is the more usual of the two.
    expect(refused?.sentence).toContain('because it refuses our key or our sender.');
    expect(refused?.cure).toMatch(
      /^See whether the domain of EMAIL_FROM_ADDRESS is verified there\..*RESEND_API_KEY/,
    );
    const [paused] = paceFindings({ ...freshPace, pausedUntil: now + 5_000 }, 'resend', now);
    expect(paused).toMatchObject({ mark: 'note', sentence: 'resend asked us to wait; mails go on in 5 s.' });
    const [rate] = paceFindings({ ...freshPace, seenRatePerSecond: 2 }, 'resend', now);
    expect(rate?.sentence).toBe('resend allows 2 mails a second, by its own answers.');
    expect(paceFindings(freshPace, 'resend', now)).toEqual([]);
  });
});

test('says of each setting where it comes from, and that a sample is no production', async () => {
  writeFileSync(join(shell.folder, '.env'), 'TIDINGS_ENV=production\nMAIL_RETENTION_DAYS=30\n');
  const { code, out } = await shell.run(['doctor'], { env: { PORT: '0', MAIL_RETENTION_DAYS: '10' } });
  expect(out).toMatch(/TIDINGS_ENV +production +\.env\n/);
  expect(out).toMatch(/MAIL_RETENTION_DAYS +10 +environment\n/);
  expect(out).toMatch(
    /✗ Sample: MAIL_PROVIDER is capture, .* TIDINGS_ENV is production\.\n {4}To reach people, set/,
  );
  expect(out).toMatch(/\n1 problem\. \d notes\.\n$/);
  expect(code).toBe(1);
});

test('who must decide is counted in the last line, and is no problem', async () => {
  const world = await createWorld('sqlite');
  try {
    await rowIn(world, 'needs_review', 1);
    await rowIn(world, 'failed_permanent', 2);
    // A port on which nothing listens: the highest is hardly ever taken.
    const env = { DATABASE_URL: world.url, PORT: '65535' };
    const { code, out } = await shell.run(['doctor'], { env });
    expect(out).toMatch(/\nNo problems; 2 deliveries need a person\. \d+ notes\.\n$/);
    expect(out.replace(/\s+/g, ' ')).toContain('If yours is on another port, set PORT here too.');
    expect(code).toBe(0);
  } finally {
    await world.close();
  }
});

test('clocks that differ: how much, which way, and from when on it matters', () => {
  expect(skewFinding(-900, 'cure').mark).toBe('ok');
  expect(skewFinding(5_000, 'cure')).toEqual({
    ...{ mark: 'note', cure: 'cure' },
    sentence: "The clock of this machine is 5 s ahead of the database's.",
  });
  expect(skewFinding(-300_000, 'cure')).toMatchObject({
    mark: 'problem',
    sentence: expect.stringContaining('5 min behind'),
  });
});

test('a folder that can never be made is told at once', async () => {
  const { code, err } = await shell.run(['migrate'], {
    env: { DATABASE_URL: 'sqlite:/proc/tidings/no/such.db' },
  });
  expect(code).toBe(2);
  expect(err).toMatch(/^Cannot write \/proc\/tidings\/no\/such\.db\./);
});
