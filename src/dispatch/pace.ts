import type { Database, Tx } from '../db/database.ts';
import type { ProviderPaceRow } from '../db/schema.ts';
import {
  afterProbe,
  claimProbe,
  giveBackPermits,
  isNews,
  type Observation,
  observe,
  type PaceState,
  type Permits,
  takePermits,
} from '../domain/pace.ts';
import type { Provider } from '../providers/provider.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';
import { everything, pausedScopes } from './pauses.ts';

/**
 * Pace before claim: a worker asks here how many mails may leave, and claims at most so many. A provider that is down,
 * throttled, over quota or rejects us closes the gate for all processes at once, so that no delivery is claimed in vain and
 * no attempt is burnt; one process asks it from time to time, without a mail, and the backlog goes on when it answers.
 */
export interface Pace {
  take(wanted: number): Promise<Permits & { pausedSources: ReadonlySet<string> }>;
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

export function createPace({ db, provider, clock, log }: PaceParts): Pace {
  const { account } = provider;
  const { ratePerSecond } = provider.guarantees;
  /** The row as this process last saw it. */
  let known: PaceState | undefined;

  /** Reads the row under a lock, lets `decide` say what becomes of it, and writes it if that is something else. */
  async function change<T>(
    decide: (state: PaceState, tx: Tx) => Promise<{ state: PaceState; result: T }>,
  ): Promise<T> {
    const { state, result } = await db.transaction(async (tx) => {
      const before = await lock(tx, db, account);
      const decided = await decide(before, tx);
      if (decided.state !== before) await write(tx, account, decided.state);
      return decided;
    });
    known = state;
    return result;
  }

  return {
    take: (wanted) =>
      change(async (before, tx) => {
        const paused = await pausedScopes(tx);
        if (paused.has(everything)) {
          const none = { count: 0, firstAt: clock.now(), spacingMs: 0, waitMs: pausedLookMs };
          return { state: before, result: { ...none, pausedSources: paused } };
        }
        const { state, permits } = takePermits(before, wanted, ratePerSecond, clock.now());
        return { state, result: { ...permits, pausedSources: paused } };
      }),

    async giveBack(permits, used) {
      if (used >= permits.count || (permits.spacingMs === 0 && !permits.isTrial)) return;
      await change(async (before) => ({ state: giveBackPermits(before, permits, used), result: undefined }));
    },

    async observe(seen) {
      // Nothing to write on the hot path, not even a row to lock.
      if (known && !isNews(known, seen)) return;
      const opened = await change(async (before) => {
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
      const isFree = state === null || (state.openSince === null && state.pausedUntil <= clock.now());
      return isFree ? { pausedSources: paused } : null;
    },

    async probeIfDue() {
      const isMine = await change(async (before) => {
        const claimed = claimProbe(before, questionMs, clock.now());
        return { state: claimed ?? before, result: claimed !== null };
      });
      if (!isMine) return;
      const answer = await provider.probe();
      await change(async (before) => ({
        state: afterProbe(before, answer.isUp, clock.now()),
        result: undefined,
      }));
      if (answer.isUp) log.info('provider.circuit_closed', { account });
      else log.warn('provider.still_down', { account, reason: answer.reason });
    },
  };
}

async function lock(tx: Tx, db: Database, account: string): Promise<PaceState> {
  let query = tx.selectFrom('provider_pace').selectAll().where('account', '=', account);
  if (db.dialect === 'postgres') query = query.forUpdate();
  const row = await query.executeTakeFirst();
  if (!row) {
    // The first process to ask makes the row; another that does so at the same moment finds it.
    await tx
      .insertInto('provider_pace')
      .values({ account })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return lock(tx, db, account);
  }
  return stateOf(row);
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

async function write(tx: Tx, account: string, state: PaceState): Promise<void> {
  await tx
    .updateTable('provider_pace')
    .set({
      next_slot_at: state.nextSlotAt,
      seen_rate_per_second: state.seenRatePerSecond,
      paused_until: state.pausedUntil,
      open_since: state.openSince,
      open_reason: state.openReason,
      probe_at: state.probeAt,
      doubts: state.doubts,
      openings: state.openings,
    })
    .where('account', '=', account)
    .execute();
}
