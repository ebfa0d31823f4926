import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import type { SharedFailure } from '../std/loop.ts';
import { isDatabaseAway } from './is-database-away.ts';

/** A database that is away stops every loop of a process: it is told once when that begins, and once when it is over. */
export function createOutage({ clock, log }: { clock: Pick<Clock, 'monotonic'>; log: Log }): SharedFailure {
  let since: number | undefined;
  return {
    isIt(error) {
      if (!isDatabaseAway(error)) return false;
      if (since === undefined) {
        since = clock.monotonic();
        const { code, message } = error as Error & { code?: unknown };
        const remedy = 'it is asked again by itself, at least every ten seconds; what waits is kept';
        log.error('database.away', { problem: message || String(code), remedy });
      }
      return true;
    },
    isOver() {
      if (since === undefined) return;
      log.info('database.back', { awayMs: Math.round(clock.monotonic() - since) });
      since = undefined;
    },
  };
}
