import type { Clock } from '../src/std/clock.ts';
import { type Chance, hourMs, minuteMs, secondMs } from './chance.ts';
import type { Story } from './story.ts';

/**
 * What can go wrong between a process and the world. Everything that a process awaits goes through `call`, and there it
 * dies, is put to sleep or gets an error: before the call, in the middle of it, or after it took effect.
 */
export interface Faults {
  call<T>(what: What, work: (strike: Strike) => Promise<T>): Promise<T>;
  readonly isDead: boolean;
  die(how: string): void;
  pause(ms: number): void;
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
  'a probe': { risk: 1, isProvider: true },
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
const pausesMs = [20 * secondMs, 100 * secondMs, 4 * minuteMs, 20 * minuteMs, 3 * hourMs];

export interface FaultParts {
  name: string;
  chance: Chance;
  clock: Clock;
  story: Story;
  /** How likely each call is to be struck; 0 while the run is being brought to its end. */
  rate: () => number;
}

const never = () => new Promise<never>(() => {});

export function createFaults({ name, chance, clock, story, rate }: FaultParts): Faults {
  let isDead = false;
  let pausedUntil = 0;
  let aheadMs = 0;

  function die(how: string): void {
    if (!isDead) story.tell(`${name} dies ${how}`);
    isDead = true;
  }

  function pause(ms: number): void {
    pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms);
    story.tell(`${name} stands still for ${ms / 1000} s`);
  }

  /** A dead process never gets an answer; one that stands still gets it when it goes on. */
  async function resume(): Promise<void> {
    while (!isDead && clock.monotonic() < pausedUntil) await clock.sleep(pausedUntil - clock.monotonic());
    if (isDead) await never();
  }

  async function call<T>(what: What, work: (strike: Strike) => Promise<T>): Promise<T> {
    await resume();
    const { risk, isProvider } = calls[what];
    const rolled: FaultKind | null = chance.isTrue(risk * rate()) ? chance.weighted(kinds) : null;
    // A provider never throws and has no middle: what would be that is a sender that stands still before its post.
    const fault = isProvider && rolled?.match(/fails|inside/) ? 'sleeps_before' : rolled;
    if (fault === 'dies_before') die(`before ${what}`);
    if (fault === 'sleeps_before') pause(chance.one(pausesMs));
    await resume();
    if (fault === 'fails_before') throw failure(story, name, `${what} fails`);
    const strike: Strike = {
      beforeWork() {
        if (isDead) throw new Error('the process is dead');
      },
      beforeCommit() {
        if (fault === 'dies_inside') die(`inside ${what}, which is rolled back`);
        if (isDead) throw new Error('the process is dead');
        if (fault === 'fails_inside') throw failure(story, name, `${what} is rolled back`);
      },
    };
    let result: T;
    try {
      result = await work(strike);
    } catch (error) {
      await resume();
      throw error;
    }
    if (fault === 'dies_after') die(`after ${what}, before its answer`);
    if (fault === 'sleeps_after') pause(chance.one(pausesMs));
    await resume();
    if (fault === 'fails_after') throw failure(story, name, `${what} is done, but its answer is lost`);
    return result;
  }

  return {
    call,
    die,
    pause,
    get isDead() {
      return isDead;
    },
    setClock(ms) {
      aheadMs = ms;
      story.tell(`${name}'s clock now goes ${ms} ms ahead`);
    },
    clock: {
      now: () => clock.now() + aheadMs,
      monotonic: () => clock.monotonic(),
      async sleep(ms, signal) {
        await clock.sleep(ms, signal);
        await resume();
      },
      nextTurn: () => clock.nextTurn(),
    },
  };
}

function failure(story: Story, name: string, what: string): Error {
  story.tell(`${name}: ${what}`);
  return new Error(`connection lost: ${what}`);
}
