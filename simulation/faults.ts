import { lockedCode } from '../src/db/dialect.ts';
import type { Clock } from '../src/std/clock.ts';
import { type Chance, hourMs, minuteMs, secondMs } from './chance.ts';
import type { Story } from './story.ts';
import type { FaultName } from './tally.ts';

/**
 * What can go wrong between a process and the world. Everything that a process awaits goes through `call`, and there it
 * dies, is put to sleep or gets an error: before the call, in the middle of it, or after it took effect.
 */
export interface Faults {
  call<T>(what: What, work: (strike: Strike) => Promise<T>): Promise<T>;
  readonly isDead: boolean;
  /** How often a call has failed. */
  readonly failures: number;
  die(how: string): void;
  pause(ms: number): void;
  /** The whole machine stands still: its monotonic clock does not know it afterwards. */
  suspend(ms: number): void;
  clock: Clock;
  setClock(aheadMs: number): void;
}

/** Throws where a transaction is struck, so that it rolls back. */
export interface Strike {
  beforeWork(): void;
  beforeCommit(): void;
}

/** Where a fault does most harm it comes most often: around the call that no transaction can undo. */
const calls = {
  'a read': { risk: 0.5, isProvider: false },
  'a statement': { risk: 1.5, isProvider: false },
  'a transaction': { risk: 1, isProvider: false },
  'a call to the provider': { risk: 3, isProvider: true },
  'a look-up': { risk: 1.5, isProvider: true },
  'a question': { risk: 1.5, isProvider: true },
  'a probe': { risk: 1, isProvider: true },
  'a question to the feed': { risk: 2, isProvider: true },
  'a question to the budget': { risk: 3, isProvider: true },
  'a question to the directory': { risk: 2, isProvider: true },
} as const;
export type What = keyof typeof calls;

const kinds = {
  dies_before: 3,
  dies_inside: 2,
  dies_after: 4,
  fails_before: 2,
  fails_inside: 1,
  fails_after: 3,
  sleeps_before: 4,
  sleeps_after: 2,
};
type FaultKind = keyof typeof kinds;
const sleepyKinds = { ...kinds, sleeps_before: 16, sleeps_after: 12 };
const pausesMs = [500, 20 * secondMs, 100 * secondMs, 4 * minuteMs, 20 * minuteMs, 3 * hourMs];
/** The longest lease of a run: the longest call and its margin. */
const leaseLongestMs = 150 * secondMs;

export interface FaultParts {
  name: string;
  chance: Chance;
  clock: Clock;
  story: Story;
  isSleepy: boolean;
  /** How likely each call is to be struck; 0 while the run is being brought to its end. */
  rate: () => number;
  /** Counts it; false where this one is left out of the run. */
  mayStrike: (fault: FaultName) => boolean;
  isDiskFull: () => boolean;
  /** To a moment at which some lease or wait is over, or nearly so. */
  untilEdge: () => number;
}

const never = () => new Promise<never>(() => {});

export function createFaults(parts: FaultParts): Faults {
  const { name, chance, clock, story, rate, mayStrike, isDiskFull, untilEdge, isSleepy } = parts;
  let isDead = false;
  let pausedUntil = 0;
  let aheadMs = 0;
  let asleepMs = 0;
  let failures = 0;

  function die(how: string): void {
    if (!isDead) story.tell(`${name} dies ${how}`);
    isDead = true;
  }

  function pause(ms: number, isAsleep = false): void {
    const before = Math.max(pausedUntil, clock.monotonic());
    pausedUntil = Math.max(before, clock.monotonic() + ms);
    // Only by what it sleeps longer than it stands still anyway: a monotonic clock never goes back.
    if (isAsleep) asleepMs += pausedUntil - before;
    story.tell(`${name} stands still for ${ms / 1000} s`);
  }

  /** A dead process never gets an answer; one that stands still gets it when it goes on. */
  async function resume(): Promise<void> {
    while (!isDead && clock.monotonic() < pausedUntil) await clock.sleep(pausedUntil - clock.monotonic());
    if (isDead) await never();
  }

  function failure(what: string, code?: string): Error {
    failures += 1;
    story.tell(`${name}: ${what}`);
    return Object.assign(new Error(`connection lost: ${what}`), code === undefined ? {} : { code });
  }

  /** What strikes this call, if anything does. */
  function struck(what: What): Fault | null {
    const { risk, isProvider } = calls[what];
    if (!chance.isTrue(risk * rate())) return null;
    const rolled = chance.weighted(isSleepy ? sleepyKinds : kinds);
    // A provider never throws and has no middle: what would be that is a sender that stands still before its post. A read
    // has no middle either.
    const kind = isProvider && /fails|inside/.test(rolled) ? 'sleeps_before' : inWhole(rolled, what);
    const pauseMs = chance.isTrue(isSleepy ? 0.6 : 0.3) ? untilEdge() : chance.one(pausesMs);
    const isBusy = !isProvider && what !== 'a read' && chance.isTrue(0.5);
    const isAsleep = isProvider && chance.isTrue(0.3);
    const fault = { kind, pauseMs, isBusy, isAsleep };
    return mayStrike(nameOf(fault, what)) ? fault : null;
  }

  async function call<T>(what: What, work: (strike: Strike) => Promise<T>): Promise<T> {
    await resume();
    const fault = struck(what);
    if (fault?.kind === 'dies_before') die(`before ${what}`);
    if (fault?.kind === 'sleeps_before') pause(fault.pauseMs, fault.isAsleep);
    await resume();
    if (fault?.kind === 'fails_before') {
      throw fault.isBusy ? failure('the database is locked', lockedCode) : failure(`${what} fails`);
    }
    const strike: Strike = {
      beforeWork() {
        if (isDead) throw new Error('the process is dead');
      },
      beforeCommit() {
        if (fault?.kind === 'dies_inside') die(`inside ${what}, which is rolled back`);
        if (isDead) throw new Error('the process is dead');
        if (fault?.kind === 'fails_inside') throw failure(`${what} is rolled back`);
        if (isDiskFull()) throw failure('the disk is full');
      },
    };
    let result: T;
    try {
      result = await work(strike);
    } catch (error) {
      await resume();
      throw error;
    }
    if (fault?.kind === 'dies_after') die(`after ${what}, before its answer`);
    if (fault?.kind === 'sleeps_after') pause(fault.pauseMs, fault.isAsleep);
    await resume();
    if (fault?.kind === 'fails_after') throw failure(`${what} is done, but its answer is lost`);
    return result;
  }

  return {
    call,
    die,
    pause: (ms) => pause(ms),
    suspend: (ms) => pause(ms, true),
    get isDead() {
      return isDead;
    },
    get failures() {
      return failures;
    },
    setClock(ms) {
      aheadMs = ms;
      story.tell(`${name}'s clock now goes ${ms} ms ahead`);
    },
    clock: {
      now: () => clock.now() + aheadMs,
      monotonic: () => clock.monotonic() - asleepMs,
      async sleep(ms, signal) {
        await clock.sleep(ms, signal);
        await resume();
      },
      nextTurn: () => clock.nextTurn(),
    },
  };
}

interface Fault {
  kind: FaultKind;
  pauseMs: number;
  isBusy: boolean;
  /** The machine is: its monotonic clock stands, too. */
  isAsleep: boolean;
}

function inWhole(kind: FaultKind, what: What): FaultKind {
  if (what !== 'a read') return kind;
  return kind === 'dies_inside' ? 'dies_before' : kind === 'fails_inside' ? 'fails_before' : kind;
}

function nameOf({ kind, pauseMs, isBusy, isAsleep }: Fault, what: What): FaultName {
  switch (kind) {
    case 'dies_before':
      return 'a process dies before a call';
    case 'dies_inside':
      return 'a process dies inside a transaction';
    case 'dies_after':
      return 'a process dies after a call, before its answer';
    case 'fails_before':
      return isBusy
        ? 'the database is busy'
        : what === 'a read'
          ? 'a read fails'
          : 'a call fails before it is made';
    case 'fails_inside':
      return 'a commit fails';
    case 'fails_after':
      return what === 'a read' ? 'a read fails' : 'a commit is done, its answer lost';
    case 'sleeps_before':
    case 'sleeps_after':
      if (isAsleep) return 'a machine sleeps, and its monotonic clock with it';
      return pauseMs > leaseLongestMs
        ? 'a process stands still for longer than its lease'
        : 'a process stands still';
  }
}
