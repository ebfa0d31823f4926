import type { Database } from '../db/database.ts';
import type { ProviderPaceRow } from '../db/schema.ts';
import {
  afterProbe,
  claimProbe,
  freshPace,
  giveBackPermits,
  isNews,
  type Observation,
  observe,
  type PaceState,
  type Permits,
  type Purpose,
  refusalOfSlots,
  takePermits,
} from '../domain/pace.ts';
import type { Provider } from '../providers/provider.ts';
import type { Clock } from '../std/clock.ts';
import { createTurns } from '../std/in-turn.ts';
import type { Log } from '../std/log.ts';
import { everything, pausedScopes } from './pauses.ts';

/**
 * Pace before claim: a worker asks here how many mails may leave, and claims at most so many. A provider that is down,
 * throttled, over quota or rejects us closes the gate for all processes at once, so that no delivery is claimed in vain and
 * no attempt is burnt; one process asks it from time to time, without a mail, and the backlog goes on when it answers.
 */
export interface Pace {
  take(wanted: number, purpose?: Purpose): Promise<Permits & { pausedSources: ReadonlySet<string> }>;
  giveBack(permits: Permits, used: number): Promise<void>;
  observe(seen: Observation): Promise<void>;
  /**
   * Whether it may be asked what is no mail: null while it is down, wants to be left alone, or everything is paused; otherwise
   * whose mails do not leave at present.
   */
  mayAsk(): Promise<{ pausedSources: ReadonlySet<string> } | null>;
  /** Asks the provider whether it is up again, if that is due and nobody else does. */
  probeIfDue(): Promise<void>;
}

/** Longer than any probe may take. */
const questionMs = 30_000;
const pausedLookMs = 1_000;

export interface PaceParts {
  db: Database;
  provider: Provider;
  clock: Clock;
  log: Log;
}

type Decide<T> = (state: PaceState) => { state: PaceState; result: T };

export function createPace({ db, provider, clock, log }: PaceParts): Pace {
  const { account } = provider;
  const { ratePerSecond } = provider.guarantees;
  /** The row as this process last saw it. */
  let known: PaceState | undefined;
  const inTurn = createTurns();

  /**
   * Reads the row, lets `decide` say what becomes of it, and writes that if the row is still as it was; if not, once more. Without a
   * transaction, because a process that is stopped in the middle of one would hold the row, and nobody could send until it loses it.
   * One at a time in a process: those that it sends with at once would only be in each other's way, again and again.
   */
  function change<T>(decide: Decide<T>): Promise<T> {
    return inTurn(account, async () => {
      for (;;) {
        const before = (await readPace(db, account)) ?? (await addPace(db, account));
        const { state, result } = decide(before);
        if (state === before || (await replace(db, account, before, state))) {
          known = state;
          return result;
        }
      }
    });
  }

  return {
    async take(wanted, purpose) {
      // Slots that this process has seen given away are gone, whoever has them: nobody need be asked.
      const refused = known && refusalOfSlots(known, wanted, ratePerSecond, clock.now(), purpose);
      if (refused) return { ...refused, pausedSources: new Set() };
      const paused = await pausedScopes(db.read);
      if (paused.has(everything)) {
        const none = { count: 0, firstAt: clock.now(), spacingMs: 0, waitMs: pausedLookMs };
        return { ...none, pausedSources: paused };
      }
      return change((before) => {
        const { state, permits } = takePermits(before, wanted, ratePerSecond, clock.now(), purpose);
        return { state, result: { ...permits, pausedSources: paused } };
      });
    },

    async giveBack(permits, used) {
      if (used >= permits.count || (permits.spacingMs === 0 && !permits.isTrial)) return;
      await change((before) => ({ state: giveBackPermits(before, permits, used), result: undefined }));
    },

    async observe(seen) {
      // Nothing to write on the hot path, and not even a row to read.
      if (known && !isNews(known, seen)) return;
      const opened = await change((before) => {
        const state = isNews(before, seen) ? observe(before, seen, clock.now()) : before;
        return { state, result: before.openSince === null && state.openSince !== null ? state : null };
      });
      if (opened) log.error('provider.circuit_opened', { account, reason: opened.openReason });
      if (seen.pauseMs !== null) log.warn('provider.paused', { account, forMs: seen.pauseMs });
    },

    async mayAsk() {
      const paused = await pausedScopes(db.read);
      if (paused.has(everything)) return null;
      const state = await readPace(db, account);
      known = state ?? known;
      const isFree = state === null || (state.openSince === null && state.pausedUntil <= clock.now());
      return isFree ? { pausedSources: paused } : null;
    },

    async probeIfDue() {
      if (known?.openSince === null) return;
      const isMine = await change((before) => {
        const claimed = claimProbe(before, questionMs, clock.now());
        return { state: claimed ?? before, result: claimed !== null };
      });
      if (!isMine) return;
      const answer = await provider.probe();
      await change((before) => ({
        state: afterProbe(before, answer.isUp, clock.now()),
        result: undefined,
      }));
      if (answer.isUp) log.info('provider.circuit_closed', { account });
      else log.warn('provider.still_down', { account, reason: answer.reason });
    },
  };
}

/** For those who only look; null where the account was never asked. */
export async function readPace(db: Database, account: string): Promise<PaceState | null> {
  const row = await db.read
    .selectFrom('provider_pace')
    .selectAll()
    .where('account', '=', account)
    .executeTakeFirst();
  return row ? stateOf(row) : null;
}

function stateOf(row: ProviderPaceRow): PaceState {
  return {
    nextSlotAt: row.next_slot_at,
    seenRatePerSecond: row.seen_rate_per_second,
    pausedUntil: row.paused_until,
    openSince: row.open_since,
    openReason: row.open_reason,
    probeAt: row.probe_at,
    doubts: row.doubts,
    openings: row.openings,
  };
}

/** The first process to ask makes the row; another that does so at the same moment finds it. */
async function addPace(db: Database, account: string): Promise<PaceState> {
  await db.write
    .insertInto('provider_pace')
    .values({ account })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await readPace(db, account)) ?? freshPace;
}

/** Answers whether it was still so. */
async function replace(db: Database, account: string, before: PaceState, after: PaceState): Promise<boolean> {
  let query = db.write.updateTable('provider_pace').set(rowOf(after)).where('account', '=', account);
  for (const [column, value] of Object.entries(rowOf(before)))
    query = query.where(column as keyof ReturnType<typeof rowOf>, value === null ? 'is' : '=', value);
  const { numUpdatedRows } = await query.executeTakeFirst();
  return numUpdatedRows > 0n;
}

const rowOf = (state: PaceState) => ({
  next_slot_at: state.nextSlotAt,
  seen_rate_per_second: state.seenRatePerSecond,
  paused_until: state.pausedUntil,
  open_since: state.openSince,
  open_reason: state.openReason,
  probe_at: state.probeAt,
  doubts: state.doubts,
  openings: state.openings,
});
