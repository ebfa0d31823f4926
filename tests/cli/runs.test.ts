import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBudgetStore } from '../../src/sources/newsletters/budget/budget-store.ts';
import { systemClock } from '../../src/std/clock.ts';
import { both, entity } from '../newsletters/budget-lines.ts';
import { type CivicWorld, createCivicWorld, monthly } from '../newsletters/civic-world.ts';
import { type CommandLine, createCommandLine } from './command-line.ts';
import { cleared, onScreen, withoutColours } from './screen.ts';

const yearly = 'newsletter_entity_yearly';
const of2024 = [yearly, '--period', '2024'];
const unknownId = '00000000-0000-4000-8000-000000000000';

let shell: CommandLine;
let world: CivicWorld;
beforeAll(async () => {
  shell = createCommandLine();
  world = await createCivicWorld('sqlite', { startsAt: systemClock.now() });
  const lines = [
    entity('4305857', { name: 'Cluj-Napoca' }),
    ...both('4305857', '2024', '2000000', '1500000'),
  ];
  await createBudgetStore(world).put(lines);
  for (const number of [1, 2, 3]) await world.follow(number, { type: yearly });
});
afterAll(async () => {
  await shell.close();
  await world.close();
});

/** Without what a server logs of the same. */
const env = () => ({ DATABASE_URL: world.url, LOG_LEVEL: 'warn' });
const tidings = (...args: string[]) => shell.run(args, { env: env() });
/** What it prints, where all went well. */
async function printed(...args: string[]): Promise<string> {
  const { code, out, err } = await tidings(...args);
  expect([args.join(' '), code, err]).toEqual([args.join(' '), 0, '']);
  return out;
}
const json = async (...args: string[]) => JSON.parse(await printed(...args, '--json'));

/** Each test goes on where the last one ended. */
describe('runs on the command line', () => {
  let plan: string;

  test('before the first there is none, and a dry run counts and does nothing', async () => {
    expect(await printed('runs', 'list')).toBe(
      'No run yet. Begin one with: npx tidings plan newsletter_entity_monthly\n',
    );
    expect(await printed('trigger', ...of2024, '--dry-run')).toBe(
      '3 people are to be told of 2024. Nothing was done.\n',
    );
    expect(await printed('trigger', ...of2024, '--dry-run', '--limit', '1')).toMatch(
      /^1 person is to be told /,
    );
    expect(await json('trigger', ...of2024, '--dry-run')).toEqual({
      ...{ runId: expect.any(String), notificationType: yearly, periodKey: '2024', dryRun: true },
      ...{ eligibleCount: 3, collectJobEnqueued: false },
    });
    expect(await json('runs', 'list')).toEqual({ runs: [] });
  });

  test('a plan shows who, who not and what they would read, and how to apply it', async () => {
    const out = await printed('plan', ...of2024, '--limit', '2', '--canary', '1', '--canary-wait', '1s');
    const lines = out.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      '2 on the list for 2024.',
      '  1 not on it: over_limit',
      '',
      'The first of them would read: Bugetul pe 2024: Cluj-Napoca',
    ]);
    expect(out).toContain('\n  Venituri: 2 mil. RON\n  Cheltuieli: 1,5 mil. RON\n');
    const [, id = ''] =
      /\n\nSend exactly this within a day: npx tidings apply ([\w-]{36})\n$/.exec(out) ?? [];
    plan = id;
    expect(await printed('plan', 'newsletter_entity_quarterly')).toMatch(
      /^0 on the list for Q\d \d{4}\.\n\nThere is nobody to be told, and nothing to apply\.\n$/,
    );
    // Kept for its reasons, and no work.
    expect(await printed('runs', 'list')).toMatch(
      /\nnewsletter_entity_quarterly +Q\d \d{4} +nobody to tell +0 /,
    );
    const [empty] = (await json('runs', 'list')).runs;
    expect(empty).toMatchObject({ status: 'planned', eligibleCount: 0 });
    expect(await printed('runs', 'show', empty.runId)).toMatch(/, nobody to tell\n {2}0 on its list;/);
  });

  test('it is applied once, and shown with what there is to know', async () => {
    expect(await json('apply', plan)).toMatchObject({
      runId: plan,
      status: 'running',
      progress: { total: 2 },
    });
    const again = await tidings('apply', plan);
    expect([again.code, again.out, again.err]).toEqual([
      ...[2, '', 'A plan is applied once, and this one is running. Make a new one.\n'],
    ]);
    const [first, ...others] = (await printed('runs', 'show', plan)).split('\n');
    expect(first).toMatch(new RegExp(`^Run ${plan}: ${yearly}, 2024, running: applied by \\S+`));
    expect(others).toEqual([
      '  2 on its list; 0 settled, 2 to be collected, 0 to be composed.',
      '  Not told: 1 over_limit.',
      '  Canary of 1: not passed yet; 0 accepted, 0 under way, 0 bounced or refused.',
      '',
    ]);
  });

  test('its list, in a table and for programs', async () => {
    const [title, ...rows] = (await printed('runs', 'items', plan)).trimEnd().split('\n');
    expect(title).toMatch(/^USER +STATE +WHY +DELIVERY +NOTIFICATION$/);
    expect(rows.filter((row) => / planned {2}/.test(row))).toHaveLength(2);
    expect(rows.filter((row) => / excluded +over_limit /.test(row))).toHaveLength(1);
    const { items, next } = await json('runs', 'items', plan, '--state', 'excluded');
    expect([items, next]).toMatchObject([
      [{ state: 'excluded', reason: 'over_limit', deliverySeq: null }],
      null,
    ]);
    expect(await printed('runs', 'items', plan, '--state', 'composed')).toBe('Nobody is on this list.\n');
  });

  test('it is held back with a reason, goes on, and is followed to its end', async () => {
    const paused = await printed('runs', 'pause', plan, '--because', 'a figure is wrong');
    expect(paused).toMatch(/^Run .*, 2024, paused: a figure is wrong \(\S+\)\n/);
    expect(await json('runs', 'resume', plan, '--because', 'it is mended')).toMatchObject({
      ...{ status: 'running', because: expect.stringMatching(/^it is mended /) },
    });
    const following = shell.start(['runs', 'show', plan, '--follow'], onScreen(80, env()));
    await following.until(/0 of 2 of newsletter_entity_yearly, 2024 …/);
    await world.settle();
    await world.clock.advance(1_000);
    await world.settle();
    const { code, out: seen, err } = await following.ended;
    const out = withoutColours(seen);
    expect([code, out.split('\n').slice(1)]).toEqual([
      0,
      [
        '  2 on its list; 2 settled, 0 to be collected, 0 to be composed.',
        '  Deliveries: 2 sent.',
        '  Not told: 1 over_limit.',
        '  Canary of 1: passed.',
        '',
      ],
    ]);
    expect(out).toMatch(/^Run .*, finished/);
    expect(err.split(cleared)[1]).toMatch(/^·{20} {3}0 % 0 of 2 of newsletter_entity_yearly, 2024 …/);
    expect(world.provider.ledger).toHaveLength(2);
  });

  test('a second click says so, force looks again, and a run is ended for good', async () => {
    expect(await printed('trigger', ...of2024)).toMatch(
      /^There is a run for 2024 already: npx tidings runs show [\w-]{36}\. /,
    );
    const forced = await printed('trigger', ...of2024, '--force');
    const [, runId = ''] = /^1 person is to be told of 2024\. Run (\S+) has begun\.\n/.exec(forced) ?? [];
    expect(forced.split('\n')[1]).toBe(`See how far it is: npx tidings runs show ${runId}`);
    expect(await json('runs', 'cancel', runId, '--because', 'not today')).toMatchObject({
      status: 'cancelled',
    });
    await world.settle();
    expect(world.provider.ledger).toHaveLength(2);
    expect(await printed('runs', 'show', runId)).toContain('\n  Not told: 1 run_cancelled.\n');
    const [title, ...rows] = (await printed('runs', 'list')).trimEnd().split('\n');
    expect(title).toMatch(/^TYPE +PERIOD +STATUS +LIST +AGE +RUN$/);
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(new RegExp(`^${yearly} +2024 +cancelled +1 +(just now|\\d+ s ago) +${runId}$`));
    const { runs } = await json('runs', 'list');
    expect(runs.map(({ status }: { status: string }) => status)).toEqual([
      'cancelled',
      'planned',
      'finished',
    ]);
  });

  test.each<[string[], string | RegExp]>([
    [
      ['trigger', 'newsletter'],
      /^There is no notification type "newsletter"\. There are: newsletter_entity_/,
    ],
    [
      ['trigger', yearly, '--period', '2024-13'],
      `The period of ${yearly} is written like 2025, not "2024-13".`,
    ],
    [['plan', yearly, '--period', '2099'], /^The period 2099 is not over\. The last one that is: \d{4}\.\n$/],
    [['trigger', ...of2024, '--limit', '0'], 'limit must be a whole number from 1 to 10000000.'],
    [['plan', ...of2024, '--limit', 'all'], '--limit must be a whole number.'],
    [['trigger', ...of2024, '--canary', '0'], /^A canary has a size from 1 to 10000, /],
    [
      ['plan', ...of2024, '--canary', '5', '--canary-wait', 'long'],
      /^--canary-wait is a duration such as 30m, /,
    ],
    [['trigger', ...of2024, '--dryrun'], /^Unknown option '--dryrun'\. Did you mean --dry-run\?$/m],
    [['apply', unknownId], 'There is no such run. `npx tidings runs list` shows those there are.'],
    [['runs', 'show', 'x'], 'There is no such run. `npx tidings runs list` shows those there are.'],
    [['runs', 'items', unknownId, '--state', 'sent'], /^There is no state "sent"\. The states are planned, /],
    [['runs', 'pause', unknownId], 'Say why with --reason: everybody who looks at the run is told.'],
    [['runs', 'stop', unknownId], /^Unknown command 'stop'\./],
  ])('%j is refused with what to do', async (args, sentence) => {
    const { code, out, err } = await tidings(...args);
    expect([code, out]).toEqual([2, '']);
    if (typeof sentence === 'string') expect(err).toBe(`${sentence}\n`);
    else expect(err).toMatch(sentence);
  });

  test('a long list says how to go on', async () => {
    for (let number = 1; number <= 201; number++) await world.follow(number);
    const { run_id } = await world.newsletters.runs.plan({ notificationType: monthly }, { by: 'ana' });
    const first = await printed('runs', 'items', run_id, '--state', 'planned');
    const [, next = ''] =
      /\n\nThe next ones: npx tidings (runs items .* --after [\w-]{36})\n$/.exec(first) ?? [];
    const { items } = await json(...next.split(' '));
    expect([items.length, first.includes(items[0].notification_id)]).toEqual([1, false]);
  });

  test('a refusal for programs has a code and how the run stands', async () => {
    const { code, err } = await tidings('runs', 'resume', plan, '--because', 'why', '--json');
    expect([code, JSON.parse(err)]).toEqual([
      2,
      {
        error: 'The run is finished and cannot become running from there.',
        ...{ code: 'run_not_changed', details: { status: 'finished' } },
      },
    ]);
    expect(world.provider.ledger).toHaveLength(2);
  });
});
