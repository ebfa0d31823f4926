import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/cli/finding.ts';
import { barOf } from '../../src/cli/progress-bar.ts';
import {
  type RunningSampleCampus,
  startSampleCampus,
} from '../../src/sources/course-seats/sample/sample-server.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createWorld, type World } from '../support/world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';

const termId = '12027';

/** Each test goes on where the last one ended. The feed is a sample campus, taken for a real one. */
describe('tidings seats', () => {
  let shell: CommandLine;
  let world: World;
  let sample: RunningSampleCampus;
  let watched: string;
  let settings: Record<string, string>;
  beforeAll(async () => {
    shell = createCommandLine();
    world = await createWorld('sqlite');
    sample = await startSampleCampus({
      clock: systemClock,
      termIds: [termId],
      sections: 120,
      openingEveryMs: null,
    });
    const closed = sample.campus
      .sections(termId)
      .find(({ isOpen, course }) => !isOpen && course.campusCode === 'NB');
    watched = closed?.index as string;
    settings = {
      DATABASE_URL: world.url,
      PORT: '0',
      SOC_BASE_URL: sample.url,
      SOC_TERMS: termId,
      LOG_LEVEL: 'error',
    };
  });
  afterAll(async () => {
    await shell.close();
    await sample.close();
    await world.close();
  });
  const seats = (...args: string[]) => shell.run(['seats', ...args], { env: settings });
  const changeList = (row: object) => world.db.write.updateTable('open_lists').set(row).execute();
  /** On a busy machine the commands before may have taken the minute after which it is stale. */
  const refresh = () => changeList({ good_at: Date.now() });
  const doctor = async (env = settings) => {
    const { code, out } = await shell.run(['doctor', '--json'], { env });
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    return {
      code,
      told: findings.map(({ mark, sentence, cure }) => `${mark}: ${sentence} ${cure ?? ''}`).join('\n'),
    };
  };

  test('before the first poll: nothing was checked, nobody watches', async () => {
    const { code, out } = await seats('status');
    expect(code).toBe(0);
    expect(out).toMatch(/^LIST +OPEN +CHECKED +STATE\nspring 2027 NB, NK, CM +- +never +not polled yet\n/);
    expect(out).toContain('Watches: none yet.\nLast hour: 0 opened, 0 closed.');
    const { told } = await doctor();
    expect(told).toContain('ok: Real: the section feed is that of SOC_BASE_URL.');
    expect(told).toContain(
      'problem: The list of spring 2027 NB, NK, CM is stale: it has never been read, and no poll has failed. Is a worker running?',
    );
    expect(told).toMatch(
      /note: There is no catalog of spring 2027 yet.*npx tidings seats ingest --term 12027/,
    );
  });

  test('ingest reads one campus, or all that are polled; the second time nothing is new', async () => {
    const one = await seats('ingest', '--term', termId, '--campus', 'nb');
    expect([one.code, one.err]).toEqual([0, '']);
    expect(one.out).toMatch(/^spring 2027 NB: \d+ courses, \d+ sections; \d+ new or changed, 0 gone, 0 with/);
    const all = await seats('ingest', '--json');
    const { catalogs } = JSON.parse(all.out) as {
      catalogs: { campusCode: string; result: { sections: number; changed: number } }[];
    };
    expect(catalogs.map(({ campusCode }) => campusCode)).toEqual(['NB', 'NK', 'CM']);
    expect(catalogs[0]?.result.changed).toBe(0);
    expect(catalogs.reduce((sum, { result }) => sum + result.sections, 0)).toBe(120);
  });

  test('a catalog that does not come is told, with exit code 1, and what is known stays', async () => {
    sample.switches.set({ kind: 'server_error', of: 'courses' });
    const { code, err } = await seats('ingest', '--campus', 'NB');
    sample.switches.off();
    expect(code).toBe(1);
    expect(err).toMatch(/^spring 2027 NB: .*\(http_503\)\n$/);
    const { count } = await world.db.read
      .selectFrom('sections')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('gone_at', 'is', null)
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(120);
  });

  test('the first list is a baseline; what opens and closes after it is told by its name', async () => {
    const first = await seats('poll', '--once');
    expect([first.code, first.err]).toEqual([0, '']);
    expect(first.out).toMatch(/^spring 2027 NB, NK, CM: \d+ open\. This is the first list: .*\n$/);
    sample.switches.open(watched);
    const second = await seats('poll', '--once', '--term', termId, '--campus', 'NK');
    expect(second.out).toMatch(
      new RegExp(
        `open\\. Believed\\.\\n {2}opened {2}\\d\\d:\\d{3}:\\d{3} .*, section \\d\\d \\(index ${watched}\\)\\n$`,
      ),
    );
    sample.switches.open('99999');
    const third = JSON.parse((await seats('poll', '--once', '--term', termId, '--json')).out);
    expect(third.polled).toMatchObject([{ kind: 'heard', verdict: 'taken', opened: ['99999'], closed: [] }]);
    sample.switches.release(watched);
    sample.switches.release('99999');
  });

  test('a feed that fails is told with exit code 1, and an empty list is no closing', async () => {
    sample.switches.set({ kind: 'too_many_requests', retryAfterSeconds: 5, answers: 1 });
    const failed = await seats('poll', '--once');
    expect([failed.code, failed.out]).toEqual([1, '']);
    expect(failed.err).toMatch(/^spring 2027 NB, NK, CM: .*\(http_429\)\n$/);
    sample.switches.set({ kind: 'empty', answers: 1 });
    const empty = await seats('poll', '--once');
    expect(empty.out).toMatch(/: 0 open\. An empty list is taken for an outage, and nothing for closed\.\n$/);
  });

  test('poll goes on until Ctrl-C', async () => {
    const running = shell.start(['seats', 'poll'], { env: settings });
    await running.until(/Believed\./);
    running.signal('SIGINT');
    expect((await running.ended).code).toBe(0);
  });

  test('watch makes a watch once, and says which mail comes and where to look', async () => {
    const order = ['watch', '--index', watched, '--email', 'ana@example.org'];
    const { code, out, err } = await seats(...order);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      new RegExp(`^Watching \\d\\d:\\d{3}:\\d{3} .*\\(index ${watched}\\), spring 2027\\. It is believed `),
    );
    expect(out).toMatch(/\nA mail to ana@example\.org asks whether it is theirs; .* npx tidings inbox\n$/);
    const again = JSON.parse((await seats(...order, '--json')).out);
    expect(again).toMatchObject({
      kind: 'existing',
      status: 'pending',
      sectionResolved: true,
      campusCode: 'NB',
    });
    expect(again.token).toBeUndefined();
    const rows = await world.db.read.selectFrom('subscriptions').select('status').execute();
    expect(rows).toEqual([{ status: 'pending' }]);
  });

  test('watch says of one that rests why, and what can be done', async () => {
    const order = ['watch', '--index', watched, '--email', 'ana@example.org'];
    const set = (status: 'paused' | 'suppressed' | 'pending') =>
      world.db.write.updateTable('subscriptions').set({ status }).execute();
    await set('paused');
    expect((await seats(...order)).out).toMatch(
      / is paused, by its owner or after as many mails as they wished/,
    );
    await set('suppressed');
    const line = { scope: '*', reason: 'bounced_for_good', created_by: 'a test', created_at: 1 } as const;
    await world.db.write
      .insertInto('suppressions')
      .values({ ...line, address_key: 'ana@example.org' })
      .execute();
    expect((await seats(...order)).out).toMatch(/npx tidings suppressions list --address ana@example\.org\n/);
    await world.db.write.deleteFrom('suppressions').execute();
    await set('pending');
  });

  test('004-15 an opening that a person has seen is reported once, detected by hand', async () => {
    const index = sample.campus.sections(termId).find((one) => !one.isOpen && one.index !== watched)
      ?.index as string;
    const { code, out } = await seats('report', '--index', index);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Reported \(open event \d+\): .* is open\.\nWhoever watches it is told within seconds.*\n$/,
    );
    const events = world.db.read
      .selectFrom('open_events')
      .select('detected_by')
      .where('index_number', '=', index);
    expect(await events.execute()).toEqual([{ detected_by: 'manual' }]);
    expect((await seats('report', '--index', index)).out).toMatch(
      /^Nothing was done: it is known already .* was told; whoever came later hears of the next opening\.\n$/,
    );
    expect(await events.execute()).toHaveLength(1);
  });

  test('status tells of it all, for people and for programs', async () => {
    await refresh();
    const { out } = await seats('status');
    expect(out).toMatch(/spring 2027 NB, NK, CM +\d+ +(just now|\d+ s ago) +fresh\n/);
    expect(out).toContain('Watches: 1 pending.\n');
    expect(out).toMatch(
      /Last hour: 3 opened, \d+ closed\. Last day: 3 opened, \d+ closed\.\nNewest: index \d{5} \(\w+\) became (open|closed), /,
    );
    expect(out).toMatch(/\d openings wait until a running worker makes deliveries of them\.\n$/);
    await refresh();
    const json = JSON.parse((await seats('status', '--json')).out);
    expect(json).toMatchObject({
      isSample: false,
      lists: [
        {
          termId,
          campusCode: 'NB',
          campuses: ['NB', 'NK', 'CM'],
          isStale: false,
          isHeld: false,
          failures: 0,
        },
      ],
      watches: { pending: 1 },
      lastHour: { opened: 3 },
    });
    expect(json.lists[0].goodAt).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('what is stale is a problem, with what can be done; what is held back is not', async () => {
    await refresh();
    expect((await doctor()).told).toMatch(
      /ok: The list of spring 2027 NB, NK, CM: \d+ open, checked \d+ m?s ago\./,
    );
    const at = Date.now() - 300_000;
    await changeList({ good_at: at, failures: 7, last_error: 'http_503: out of order' });
    const stale = await doctor();
    expect(stale.code).toBe(1);
    expect(stale.told).toContain(
      'problem: The list of spring 2027 NB, NK, CM is stale: it was last believed 5 min ago, and 7 polls in a row failed: http_503: out of order. Ask for it now: npx tidings seats poll --once.',
    );
    expect((await seats('status')).out).toMatch(
      /5 min ago +stale; 7 failures in a row; http_503: out of order\n/,
    );
    const run = { startedAt: at, lastAt: at, samples: 1, missing: [] };
    const held = JSON.stringify({ since: at, run });
    await changeList({
      held,
      failures: 0,
      last_error: 'held_back: 90 of 300 open sections are missing at once',
    });
    expect((await doctor()).told).toContain(
      'note: The list of spring 2027 NB, NK, CM has been held back for 5 min: held_back: 90 of 300',
    );
    expect((await seats('status')).out).toMatch(/stale; held back for 5 min; held_back: 90 of 300/);
    await changeList({ held: null, last_error: null });
  });

  test('mistakes are told with what could be done instead', async () => {
    for (const [args, sentence] of [
      [['watch', '--email', 'a@example.org'], /^Say which section with --index/],
      [
        ['watch', '--index', '4711', '--email', 'a@example.org'],
        /^--index "4711" is no index\. It has five digits/,
      ],
      [['watch', '--index', '04711'], /^Say who is told with --email/],
      [['watch', '--index', watched, '--email', 'nobody'], /./],
      [['watch', '--index', '99998', '--email', 'a@example.org'], /^The catalog does not know this index/],
      [
        ['watch', '--index', watched, '--email', 'a@example.org', '--campus', 'NBB'],
        /^There is no campus "NBB"\. Did you mean NB\?/,
      ],
      [['report', '--index', '99998'], /^There is no section with the index 99998 in spring 2027/],
      [['ingest', '--term', 'spring'], /^--term "spring" is no term\. .*such as 12026 for spring 2026/],
      [['poll', '--once', '--campus', 'Camden'], /^There is no campus "Camden"/],
    ] as const) {
      const { code, err, out } = await seats(...args);
      expect([args.join(' '), code, out]).toEqual([args.join(' '), 2, '']);
      expect(err).toMatch(sentence);
    }
  });

  test('without a feed the commands say how to have one, and with two terms they ask which', async () => {
    const off = await shell.run(['seats', 'status'], { env: { ...settings, SOC_BASE_URL: 'off' } });
    expect([off.code, off.err]).toEqual([
      2,
      expect.stringMatching(/^There is no section feed: SOC_BASE_URL is off/),
    ]);
    expect((await doctor({ ...settings, SOC_BASE_URL: 'off' })).told).toContain(
      'note: Off: no section feed is polled.',
    );
    const two = await shell.run(['seats', 'ingest'], { env: { ...settings, SOC_TERMS: '12027,92027' } });
    expect([two.code, two.err]).toEqual([2, 'Say which term with --term: 12027 or 92027.\n']);
  });

  test('without a setting there is a sample campus, and whoever asks is told so', async () => {
    const { SOC_BASE_URL: _, SOC_TERMS: __, ...rest } = settings;
    const polled = await shell.run(['seats', 'poll', '--once', '--term', '92027', '--campus', 'NB'], {
      env: { ...rest, SOC_TERMS: '92027' },
    });
    expect(polled.out).toMatch(/^fall 2027 NB, NK, CM: [45]\d\d open\. This is the first list/);
    const { out } = await shell.run(['seats', 'status'], { env: rest });
    expect(out).toMatch(
      /^A sample campus is polled: its courses are made up\. For a real one, set SOC_BASE_URL/,
    );
    expect((await doctor(rest)).told).toContain('note: Sample: the section feed is a sample campus');
    // What a person reports, the list of that campus does not know.
    const byHand = sample.campus
      .sections(termId)
      .filter(({ isOpen }) => !isOpen)
      .at(-1)?.index as string;
    const reported = await shell.run(['seats', 'report', '--term', termId, '--index', byHand], { env: rest });
    expect(reported.out).toMatch(
      /\nThe list of the sample campus still has it closed: when it opens there, that is a new opening, and a new mail\.\n$/,
    );
  });

  test.each([
    ['sample', undefined, /^The sections in this database are those of the sample campus/],
    ['real', '', /^The sections in this database are those of a real feed/],
  ] as const)(
    'a database of the %s feed is refused to the other, as serve does',
    async (feed, url, sentence) => {
      const setFeed = (seats_feed: typeof feed | null) =>
        world.db.write.updateTable('instance').set({ seats_feed }).execute();
      await setFeed(feed);
      try {
        const env = { ...settings, SOC_BASE_URL: url ?? sample.url };
        const status = await shell.run(['seats', 'status'], { env });
        expect([status.code, status.err]).toEqual([2, expect.stringMatching(sentence)]);
        const { code, told } = await doctor(env);
        expect(code).toBe(1);
        expect(told).toContain(`problem: ${status.err.trimEnd()}`);
        expect(told).not.toContain('Off: no section feed');
      } finally {
        await setFeed(null);
      }
    },
  );
});

test('a bar says how much is done, and not more than all', () => {
  expect(barOf(0)).toBe('····················   0 %');
  expect(barOf(0.4)).toBe('████████············  40 %');
  expect(barOf(1.2)).toBe('████████████████████ 100 %');
});
