import type { Clock } from '../../../std/clock.ts';
import type { FoundAddress } from './user-directory.ts';

/**
 * What was answered a moment ago, for a while: an address for five minutes, that there is none for one, because who has just verified
 * theirs waits for it. Never more than so many; the oldest go first. What could not be asked is not kept.
 */
export interface AddressCache {
  get(userId: string): FoundAddress | undefined;
  set(userId: string, found: FoundAddress): void;
}

const keptMax = 10_000;
const keptMs = { address: 5 * 60_000, none: 60_000 } as const;

export function createAddressCache(clock: Pick<Clock, 'monotonic'>, most = keptMax): AddressCache {
  const kept = new Map<string, { found: FoundAddress; until: number }>();
  return {
    get(userId) {
      const entry = kept.get(userId);
      if (!entry || entry.until > clock.monotonic()) return entry?.found;
      kept.delete(userId);
      return undefined;
    },
    set(userId, found) {
      if (found.kind === 'later') return;
      // Anew, so that it stands last.
      kept.delete(userId);
      const [oldest] = kept.keys();
      if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
      kept.set(userId, { found, until: clock.monotonic() + keptMs[found.kind] });
    },
  };
}
