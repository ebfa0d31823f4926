import { Readable } from 'node:stream';
import type { Clock } from '../../std/clock.ts';
import type { Log } from '../../std/log.ts';
import { Refusal } from '../../std/refusal.ts';
import { failureFields } from '../database-away.ts';

/**
 * Those who look on. However many there are, the database is asked once a second, and not at all while nobody looks. Who reads too slowly is
 * left behind, never waited for: a browser that comes back asks anew.
 */
export interface Watchers {
  /** What is so now, and then whatever is new, as server-sent events. */
  watch(): Readable;
  readonly count: number;
}

export interface WatcherParts {
  read(): Promise<unknown>;
  clock: Clock;
  log: Log;
  isStopping(): boolean;
}

const everyMs = 1_000;
/** So that a proxy does not take silence for an end. */
const pulseMs = 15_000;
const watchersMax = 100;
/** A browser that has gone to sleep does not read; what would be kept for it stays small. */
const behindOctetsMax = 1_000_000;

export function createWatchers({ read, clock, log, isStopping }: WatcherParts): Watchers {
  const watchers = new Map<Readable, { saw: string }>();
  let isLooking = false;

  function leave(watcher: Readable): void {
    watchers.delete(watcher);
    if (!watcher.destroyed) watcher.push(null);
  }

  function tell(said: string): void {
    for (const [watcher, known] of watchers) {
      if (watcher.readableLength > behindOctetsMax) leave(watcher);
      else if (known.saw !== said) {
        known.saw = said;
        watcher.push(`data: ${said}\n\n`);
      }
    }
  }

  async function lookOn(): Promise<void> {
    isLooking = true;
    let pulsedAt = clock.monotonic();
    let isTold = false;
    while (watchers.size > 0 && !isStopping()) {
      try {
        tell(JSON.stringify(await read()));
        isTold = false;
      } catch (error) {
        // Each second it is the same trouble, until a look succeeds.
        if (!isTold) log.warn('console.not_read', failureFields(error));
        isTold = true;
        for (const watcher of watchers.keys()) watcher.push('event: broken\ndata: {}\n\n');
      }
      if (clock.monotonic() - pulsedAt >= pulseMs) {
        pulsedAt = clock.monotonic();
        for (const watcher of watchers.keys()) watcher.push(': still here\n\n');
      }
      await clock.sleep(everyMs);
    }
    isLooking = false;
    for (const watcher of [...watchers.keys()]) leave(watcher);
  }

  return {
    watch() {
      if (watchers.size >= watchersMax)
        throw new Refusal('too_many_requests', `${watchersMax} pages are open already. Close one of them.`);
      const watcher: Readable = new Readable({
        read() {},
        destroy: (_, done) => {
          watchers.delete(watcher);
          done(null);
        },
      });
      watchers.set(watcher, { saw: '' });
      watcher.push('retry: 2000\n\n');
      if (!isLooking) void lookOn();
      return watcher;
    },
    get count() {
      return watchers.size;
    },
  };
}
