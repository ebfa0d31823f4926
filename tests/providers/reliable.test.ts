import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Outcome, strongest } from '../../src/domain/outcome.ts';
import type { Guarantees } from '../../src/providers/provider.ts';
import { createReliable, type ReliableOptions } from '../../src/providers/reliable.ts';
import { createManualClock } from '../../src/std/clock.ts';
import { createSeededRandom } from '../../src/std/random.ts';
import { createFakeProvider } from '../support/fake-provider.ts';
import { mailTo } from '../support/mails.ts';
import { advanceUntil } from '../support/world.ts';

const error = (code: string) => ({ code, provider: 'fake' });
const accepted: Outcome = { kind: 'accepted', messageId: 'id' };
const lost: Outcome = { kind: 'unknown', error: error('answer_lost') };
const dropped: Outcome = { kind: 'refused_for_now', error: error('connection_lost') };
const greylisted: Outcome = { kind: 'refused_for_now', error: error('refused_for_now') };
const no: Outcome = { kind: 'refused_for_good', error: error('policy') };
const conflict: Outcome = { kind: 'key_conflict', error: error('conflict') };
const down: Outcome = { kind: 'deferred', error: error('down'), trouble: 'unreachable' };
const all = [accepted, lost, dropped, greylisted, no, conflict, down];

function createWorld(guarantees: Partial<Guarantees> = {}, options: Partial<ReliableOptions> = {}) {
  const clock = createManualClock();
  const inner = createFakeProvider({ longestCallMs: 2_000, ...guarantees });
  const reliable = createReliable(inner, { clock, random: createSeededRandom(1), ...options });
  const parcel = (key = 'a', number = 1, startBefore = Infinity) => ({
    key,
    mail: mailTo(number),
    startBefore,
    leaseEndsAt: Infinity,
  });
  return {
    clock,
    inner,
    reliable,
    parcel,
    script(...outcomes: Outcome[]) {
      let next = 0;
      inner.answer(() => outcomes[Math.min(next++, outcomes.length - 1)] ?? accepted);
    },
    send: (one = parcel()) => advanceUntil(clock, reliable.send(one)),
  };
}
const keyless = { idempotencyWindowMs: null };
const kinds = ({ attempts }: { attempts: readonly { outcome: Outcome }[] }) =>
  attempts.map(({ outcome }) => outcome.kind);

describe('inner attempts', () => {
  it('000-81 A lost answer is asked for again under the same key, within one call', async () => {
    const world = createWorld();
    world.script(lost, lost, accepted);
    const result = await world.send();
    expect(result).toMatchObject({ kind: 'accepted', messageId: 'id' });
    expect(kinds(result)).toEqual(['unknown', 'unknown', 'accepted']);
    expect(world.inner.ledger.map(({ key, mail }) => [key, mail])).toEqual(Array(3).fill(['a', mailTo(1)]));
    const [first, second, third] = result.attempts;
    // Equal jitter around 250 ms and 1 s.
    expect((second?.startedAt ?? 0) - (first?.endedAt ?? 0)).toBeGreaterThanOrEqual(125);
    expect((second?.startedAt ?? 0) - (first?.endedAt ?? 0)).toBeLessThan(250);
    expect((third?.startedAt ?? 0) - (second?.endedAt ?? 0)).toBeGreaterThanOrEqual(500);
    expect((third?.startedAt ?? 0) - (second?.endedAt ?? 0)).toBeLessThan(1000);
  });

  it('without keys an unknown outcome is never tried again', async () => {
    const world = createWorld(keyless);
    world.script(lost, accepted);
    expect(await world.send()).toMatchObject({ kind: 'unknown', attempts: [{ outcome: lost }] });
    expect(world.inner.ledger).toHaveLength(1);
  });

  it('without keys a mail that is known not to have arrived is', async () => {
    const world = createWorld(keyless);
    world.script(dropped, accepted);
    expect(await world.send()).toMatchObject({ kind: 'accepted' });
    expect(world.inner.ledger).toHaveLength(2);
  });

  it.each([
    ['a refusal for good', no],
    ['a considered refusal for now', greylisted],
    ['a conflict', conflict],
    ['trouble of the provider', down],
    ['an acceptance', accepted],
  ])('%s is not tried again', async (_what, outcome) => {
    const world = createWorld();
    world.script(outcome, accepted);
    expect(await world.send()).toEqual({ ...outcome, attempts: [expect.objectContaining({ outcome })] });
    expect(world.inner.ledger).toHaveLength(1);
  });

  it('a refusal after a lost answer leaves the outcome unknown', async () => {
    for (const refusal of [no, greylisted, down]) {
      const world = createWorld();
      world.script(lost, refusal);
      expect(await world.send()).toMatchObject({ kind: 'unknown', attempts: [{}, {}] });
    }
  });

  it('are bounded', async () => {
    const world = createWorld({}, { attemptsMax: 2 });
    world.script(lost);
    expect(kinds(await world.send())).toEqual(['unknown', 'unknown']);
  });

  it('a wait that the provider asks for is kept, and ends the call if it is too long', async () => {
    const patient = createWorld();
    patient.script({ ...dropped, retryAfterMs: 3_000 }, accepted);
    const { attempts } = await patient.send();
    expect((attempts[1]?.startedAt ?? 0) - (attempts[0]?.endedAt ?? 0)).toBe(3_000);
    const hurried = createWorld();
    hurried.script({ ...dropped, retryAfterMs: 60_000 }, accepted);
    expect(await hurried.send()).toMatchObject({
      kind: 'refused_for_now',
      retryAfterMs: 60_000,
      attempts: [{}],
    });
  });

  it('do not begin after the moment after which nothing may leave', async () => {
    const world = createWorld();
    world.script(lost);
    expect(kinds(await world.send(world.parcel('a', 1, 100)))).toEqual(['unknown']);
    expect(world.inner.ledger[0]?.startBefore).toBe(100);
    const late = createWorld();
    await late.clock.advance(200);
    expect(await late.send(late.parcel('a', 1, 100))).toMatchObject({
      kind: 'deferred',
      error: { code: 'not_started' },
      attempts: [],
    });
    expect(late.inner.ledger).toEqual([]);
  });

  it('never say less than the strongest that was heard, never take longer than promised', async () => {
    const scripts = fc.array(fc.record({ outcome: fc.constantFrom(...all), ms: fc.nat(2_000) }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.boolean(),
        fc.nat(20_000),
        fc.integer(),
        async (script, hasKeys, startBefore, seed) => {
          const random = createSeededRandom(seed);
          const world = createWorld(hasKeys ? {} : keyless, { random, attemptsMax: 4, ratePerSecond: 5 });
          let next = 0;
          const startedAt: number[] = [];
          world.inner.answer(async () => {
            startedAt.push(world.clock.monotonic());
            const step = script[Math.min(next++, script.length - 1)];
            await world.clock.sleep(step?.ms ?? 0);
            return step?.outcome ?? accepted;
          });
          const { attempts, ...outcome } = await world.send(world.parcel('a', 1, startBefore));
          const [first, ...more] = attempts.map((attempt) => attempt.outcome);
          if (first) expect(outcome).toEqual(strongest([first, ...more]));
          expect(attempts.length).toBeLessThanOrEqual(4);
          expect(world.clock.monotonic()).toBeLessThanOrEqual(world.reliable.guarantees.longestCallMs);
          for (const at of startedAt) expect(at).toBeLessThanOrEqual(startBefore);
          const all = attempts.map((attempt) => attempt.outcome.kind);
          if (!hasKeys) expect(all.slice(0, -1)).not.toContain('unknown');
          expect(all.slice(0, -1).every((kind) => kind === 'unknown' || kind === 'refused_for_now')).toBe(
            true,
          );
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('whatever the provider does', () => {
  it.each([
    ['rejects', () => Promise.reject(new TypeError('secret-token'))],
    [
      'throws',
      () => {
        throw new TypeError('secret-token');
      },
    ],
  ])(
    '000-80 one that %s leaves an unknown outcome, and its words are not repeated',
    async (_what, answer) => {
      const world = createWorld(keyless);
      world.inner.send = answer;
      const result = await world.send();
      expect(result).toMatchObject({ kind: 'unknown', error: { code: 'provider_threw', provider: 'fake' } });
      expect(JSON.stringify(result)).not.toContain('secret');
    },
  );

  it('000-80 one that never answers leaves an unknown outcome in time', async () => {
    const world = createWorld(keyless);
    world.inner.send = () => new Promise(() => {});
    expect(await world.send()).toMatchObject({ kind: 'unknown', error: { code: 'provider_silent' } });
    expect(world.clock.monotonic()).toBeLessThanOrEqual(world.reliable.guarantees.longestCallMs);
  });

  it('a probe that throws says that it is down', async () => {
    const world = createWorld();
    world.inner.probe = () => Promise.reject(new TypeError('x'));
    expect(await world.reliable.probe()).toEqual({ isUp: false, reason: 'TypeError' });
  });
});

describe('one key', () => {
  it('000-71 while a mail is in flight, its key is not sent a second time', async () => {
    const world = createWorld();
    const calls = [world.reliable.send(world.parcel()), world.reliable.send(world.parcel())];
    const [one, two] = await advanceUntil(world.clock, Promise.all(calls));
    expect(one).toBe(two);
    expect(world.inner.ledger).toHaveLength(1);
    await world.send();
    expect(world.inner.ledger).toHaveLength(2);
  });

  it('another mail under it is a conflict, and does not leave', async () => {
    const world = createWorld();
    const first = world.reliable.send(world.parcel('a', 1));
    expect(await world.reliable.send(world.parcel('a', 2))).toMatchObject({
      kind: 'key_conflict',
      isAttempt: false,
      attempts: [],
    });
    expect(await advanceUntil(world.clock, first)).toMatchObject({ kind: 'accepted' });
    expect(world.inner.ledger).toHaveLength(1);
  });
});

describe('the rate', () => {
  it("is the provider's unless somebody says otherwise, and inner attempts count", async () => {
    const world = createWorld({ ratePerSecond: 2 });
    const startedAt: number[] = [];
    world.inner.answer(() => {
      startedAt.push(world.clock.monotonic());
      return startedAt.length === 1 ? lost : accepted;
    });
    const calls = ['a', 'b', 'c'].map((key) => world.reliable.send(world.parcel(key)));
    await advanceUntil(world.clock, Promise.all(calls));
    expect(startedAt).toEqual([0, 500, 1000, 1500]);
    expect(world.reliable.guarantees.ratePerSecond).toBe(2);
  });

  /** Of a process that stands still until then: nobody in it hears of the end of a sleep before. */
  function standStill(untilMs: number) {
    const clock = createManualClock();
    const sleep = async (ms: number, signal?: AbortSignal) => {
      await clock.sleep(ms, signal);
      if (clock.monotonic() < untilMs) await clock.sleep(untilMs - clock.monotonic());
    };
    const inner = createFakeProvider({ longestCallMs: 2_000 });
    const own = { clock: { ...clock, sleep }, random: createSeededRandom(1) };
    const sendAll = (keys: string, ratePerSecond: number) => {
      const { send } = createReliable(inner, { ...own, ratePerSecond });
      const rest = { mail: mailTo(1), startBefore: Infinity, leaseEndsAt: Infinity };
      return Promise.all([...keys].map((key) => send({ key, ...rest })));
    };
    return { clock, inner, sendAll };
  }

  it('seed 93378: who waited while the process stood still does not leave with all others who did', async () => {
    const { clock, inner, sendAll } = standStill(2_000);
    const startedAt: number[] = [];
    inner.answer(() => {
      startedAt.push(clock.monotonic());
      return startedAt.length <= 3 ? lost : accepted;
    });
    await advanceUntil(clock, sendAll('abcdef', 10));
    expect(startedAt).toHaveLength(9);
    expect(startedAt.slice(0, 2)).toEqual([0, 2_000]);
    const gaps = startedAt.slice(2).map((at, index) => at - (startedAt[index + 1] ?? 0));
    // One of them is early by what a moment may be late; then they keep to the rate.
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(75);
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(99);
  });

  it('whoever would have to wait too long after that is given back in time', async () => {
    const { clock, sendAll } = standStill(9_500);
    const outcomes = await advanceUntil(clock, sendAll('abcde', 1));
    const expected = ['accepted', 'accepted', 'deferred', 'deferred', 'deferred'];
    expect(outcomes.map(({ kind }) => kind)).toEqual(expected);
    expect(clock.monotonic()).toBeLessThan(10_000);
  });

  it('a mail that would have to wait too long is given back', async () => {
    const world = createWorld({}, { ratePerSecond: 0.01 });
    expect(await world.send(world.parcel('a'))).toMatchObject({ kind: 'accepted' });
    expect(await world.send(world.parcel('b'))).toMatchObject({
      kind: 'deferred',
      error: { code: 'not_started' },
    });
    expect(world.inner.ledger).toHaveLength(1);
  });
});

it('000-72 is a provider like the one inside it, with the time for what it adds', async () => {
  const { inner, reliable } = createWorld();
  expect(reliable).toMatchObject({ name: inner.name, account: inner.account });
  expect(reliable.guarantees).toEqual({ ...inner.guarantees, longestCallMs: 10_000 + 2_000 + 1_000 });
  expect(await reliable.lookUp?.({ key: 'a', messageId: null, sentAfter: 0 })).toEqual({ kind: 'absent' });
  const { lookUp: _lookUp, ...mute } = inner;
  expect(
    createReliable(mute, { clock: createManualClock(), random: createSeededRandom(1) }),
  ).not.toHaveProperty('lookUp');
});
