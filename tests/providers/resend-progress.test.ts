import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AcceptedMail } from '../../src/providers/provider.ts';
import type { ResendParts } from '../../src/providers/resend.ts';
import type { FakeResendOptions } from '../support/fake-resend/fake-resend.ts';
import { createResendWorld, type ResendWorld } from '../support/fake-resend/resend-world.ts';

let world: ResendWorld;
beforeEach(() => start());
afterEach(() => world.close());

async function start(options: FakeResendOptions = {}) {
  world = await createResendWorld(options, { ratePerSecond: Infinity });
}

/** In the order in which they were accepted, a second apart. */
function accepted(count: number, lastEvent = 'delivered'): AcceptedMail[] {
  return Array.from({ length: count }, (_, number) => {
    const id = `mail-${number}`;
    const at = world.clock.now() - (count - number) * 1_000;
    const body = { from: 'a@example.org', to: 'b@example.org', subject: 's' };
    const mail = { id, key: null, account: 'main', body, bodyText: '', at, submissions: 1, lastEvent };
    world.fake.ledger.accepted.push(mail);
    return { messageId: id, leftAt: at };
  });
}

const always = async () => true;
const ask = async (mails: readonly AcceptedMail[], more: Partial<ResendParts> = {}, mayAsk = always) => {
  const provider = world.resend(more);
  const asked = provider.progress?.(mails, mayAsk);
  return whileWaiting(asked ?? Promise.reject(new Error('no progress')));
};
/** Lets pass what questions wait for, not what they are given up after. */
async function whileWaiting<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const ms = world.clock.nextWakeMs();
    if (ms !== undefined && ms < 3_000) await world.clock.advance(ms);
  }
  return done;
}

const paths = () => world.fake.ledger.requests.map(({ path, query }) => `${path}?${query}`);

test('the newest is asked for by its id, the others are read off the pages behind it', async () => {
  const mails = accepted(150);
  const { answers, isRefused } = await ask([...mails].reverse());
  expect([answers.size, isRefused]).toEqual([150, false]);
  expect([...answers.values()].every((answer) => answer?.event === 'confirmed')).toBe(true);
  expect(paths()).toEqual([
    '/emails/mail-149?',
    '/emails?limit=100&after=mail-149',
    '/emails?limit=100&after=mail-49',
  ]);
});

test('one alone takes one question', async () => {
  const [mail] = accepted(30).slice(3);
  const { answers } = await ask(mail ? [mail] : []);
  expect([answers.size, paths()]).toEqual([1, ['/emails/mail-3?']]);
});

test.each([
  ['b@example.org', 'b@example.org'],
  [['b@example.org'], 'b@example.org'],
  [['b@example.org', 'c@example.org'], undefined],
  ['nobody', undefined],
])('a mail to %j went to %s', async (to, address) => {
  const mails = accepted(2);
  for (const mail of world.fake.ledger.accepted) mail.body.to = to;
  const { answers } = await ask(mails);
  expect(mails.map(({ messageId }) => answers.get(messageId)?.to)).toEqual([address, address]);
});

test('nothing takes none', async () => {
  expect((await ask([])).answers.size).toBe(0);
  expect(paths()).toEqual([]);
});

test('a mail that is not there has no progress, and the others are asked for all the same', async () => {
  const [first, second] = accepted(2);
  if (!first || !second) throw new Error('not accepted');
  const gone = { messageId: 'gone', leftAt: world.clock.now() };
  const { answers } = await ask([first, gone, second]);
  expect(answers.get('gone')).toBeNull();
  expect([answers.get('mail-0')?.event, answers.get('mail-1')?.event]).toEqual(['confirmed', 'confirmed']);
});

test('an id that would be another path is not asked for, and nothing will ever be known of it', async () => {
  const { answers } = await ask([{ messageId: '../domains?x', leftAt: 1 }]);
  expect([[...answers], paths()]).toEqual([[['../domains?x', null]], []]);
});

test('one that it cannot tell of does not stand in front of the others', async () => {
  const mails = accepted(5);
  const error = { kind: 'answer', isAccepted: false, status: 500 } as const;
  world.fake.rules.push({ lie: error, match: ({ path }) => path === '/emails/mail-4' || path === '/emails' });
  const { answers } = await ask(mails);
  expect(answers.get('mail-4'), 'asked, and no news').toBeNull();
  expect([...answers.values()].filter((answer) => answer?.event === 'confirmed')).toHaveLength(4);
});

test('three failures in a row are trouble of its own, and the rest is not asked for', async () => {
  const mails = accepted(6);
  world.fake.rules.push({ lie: { kind: 'answer', isAccepted: false, status: 500 } });
  expect((await ask(mails)).answers.size).toBe(0);
  expect(paths()).toEqual(['/emails/mail-5?', '/emails/mail-4?', '/emails/mail-3?']);
});

test('a page that repeats itself is read once', async () => {
  const mails = accepted(3);
  const page = { data: [{ id: 'mail-1', last_event: 'delivered' }], has_more: true };
  world.fake.rules.push({
    lie: { kind: 'answer', isAccepted: false, status: 200, body: JSON.stringify(page) },
    match: ({ path }) => path === '/emails',
  });
  expect((await ask(mails)).answers.size).toBe(3);
  expect(paths()).toEqual([
    '/emails/mail-2?',
    '/emails?limit=100&after=mail-2',
    '/emails?limit=100&after=mail-1',
    '/emails/mail-0?',
  ]);
});

test('what is known of a mail is not forgotten over a page that is behind', async () => {
  const mails = accepted(3);
  const stale = ['mail-2', 'mail-1', 'mail-0'].map((id) => ({ id, last_event: 'sent' }));
  world.fake.rules.push({
    lie: { kind: 'answer', isAccepted: false, status: 200, body: JSON.stringify({ data: stale }) },
    match: ({ path }) => path === '/emails',
  });
  const { answers } = await ask(mails);
  expect(answers.get('mail-2')).toMatchObject({ event: 'confirmed' });
  expect([answers.get('mail-1'), answers.get('mail-0')]).toEqual([null, null]);
});

test('a key that may only send is refused once, and asked no more', async () => {
  await world.close();
  await start({ keys: [{ apiKey: 're_test', account: 'main', access: 'sending' }] });
  expect(await ask(accepted(5))).toMatchObject({ isRefused: true, answers: new Map() });
  expect(paths()).toHaveLength(1);
});

test('no more than a quarter of the rate, shared with look-ups', async () => {
  const mails = accepted(4, 'sent');
  const startedAt = world.clock.now();
  // Apart from each other, so that each is asked for by itself.
  for (const number of [0, 1, 2]) world.fake.ledger.accepted.splice(number * 151 + 1, 0, ...others(150));
  const provider = world.resend({ ratePerSecond: 2 });
  const both = Promise.all([
    provider.progress?.(mails, always),
    provider.lookUp?.({ key: 'x', messageId: 'mail-0', sentAfter: startedAt }),
  ]);
  await whileWaiting(both);
  const times = world.fake.ledger.requests.map(({ at }) => at - startedAt);
  expect(times.length).toBe(6);
  expect(times.every((at, index) => at >= index * 2_000)).toBe(true);
});

test('less where Resend itself says that it allows less', async () => {
  world.fake.limits.ratePerSecond = 4;
  const mails = accepted(3);
  const startedAt = world.clock.now();
  await ask(mails.slice(0, 1), { ratePerSecond: 1_000 });
  const provider = world.resend({ ratePerSecond: 1_000 });
  for (const _ of [1, 2, 3]) await whileWaiting(provider.progress?.(mails.slice(0, 1), always) ?? never);
  const times = world.fake.ledger.requests.slice(1).map(({ at }) => at - startedAt);
  // The first cannot know.
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(1_000);
});

const never = Promise.reject(new Error('no progress'));
never.catch(() => {});

function others(count: number) {
  const body = { from: 'a@example.org', to: 'b@example.org', subject: 's' };
  return Array.from({ length: count }, (_, number) => ({
    ...{ id: `other-${number}`, key: null, account: 'main', body, bodyText: '', at: 1, submissions: 1 },
    lastEvent: 'sent',
  }));
}

test('what there is no time for is not answered, and who may not ask asks no more', async () => {
  const mails = accepted(5);
  world.fake.rules.push({
    lie: { kind: 'answer', isAccepted: false, status: 200, body: '{}' },
    match: ({ path }) => path === '/emails',
  });
  const { answers } = await ask(mails, { ratePerSecond: 2, progressTimeoutMs: 5_000 });
  // One mail, a page that tells nothing, another mail.
  expect([...answers.keys()]).toEqual(['mail-4', 'mail-3']);
  const before = paths().length;
  expect((await ask(mails, {}, async () => false)).answers.size).toBe(0);
  expect(paths()).toHaveLength(before);
});

test('it may be stopped between two pages', async () => {
  const mails = accepted(250);
  let turns = 0;
  const { answers } = await ask(mails, {}, async () => {
    turns += 1;
    return turns <= 2;
  });
  expect([answers.size, turns]).toEqual([101, 3]);
  expect(paths()).toHaveLength(2);
});
