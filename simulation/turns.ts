import { CompiledQuery } from 'kysely';
import type { Database } from '../src/db/database.ts';
import type { Outcome } from '../src/domain/outcome.ts';
import { statuses } from '../src/domain/status.ts';
import type { Parcel } from '../src/providers/provider.ts';
import type { Clock } from '../src/std/clock.ts';
import { skewMs, type Violate, type WatchedRow } from './promises.ts';
import type { ProviderKind } from './service.ts';

/**
 * Which part of a process sends, and hears the answer: a turn of another one may end meanwhile, or hold the delivery anew, for
 * just as long, after a fail-over.
 */
export type Part = 'dispatch' | 'reconcile';

export function isInHandOf(part: Part, { status }: Pick<WatchedRow, 'status'>): boolean {
  return status === (part === 'dispatch' ? 'sending' : 'reconciling');
}

/** What a turn of a process may do, by what was known when it began. */
export interface TurnWatch {
  begins(who: string, account: string, rows: readonly WatchedRow[]): void;
  /** Well: nothing failed in it that it waited for. */
  ended(who: string, rows: readonly WatchedRow[]): void;
  heard(who: string, parcel: Parcel, outcome: Outcome, by: Part): void;
  /** The database went back in time: what was written down may be gone. */
  restored(): void;
  /** After a commit by `who`. */
  look(who: string, before: readonly WatchedRow[], rows: readonly WatchedRow[]): void;
  /** After a commit that changed what may leave. */
  readPace(): Promise<void>;
}

interface Turn {
  account: string;
  beganAt: number;
  /** As it was when the turn began. */
  paused: ReadonlySet<string>;
  pace: PaceRow | undefined;
  heard: HeardOutcome[];
  claims: number;
  /** What waited when it began; a late webhook may make due what has been due for long. */
  waiting: ReadonlySet<number>;
}

interface HeardOutcome {
  id: string;
  outcome: Outcome;
  by: Part;
  at: number;
  isLate: boolean;
  /**
   * The delivery has ended since, and a person or a run has put it back: it begins anew, due when they say. What was asked for
   * on behalf of all mails stands in the pace, and is watched there.
   */
  isPutBack: boolean;
}

interface PaceRow {
  account: string;
  paused_until: number;
  open_since: number | null;
  openings: number;
}

interface Served {
  claims: number;
  /** Other mail, taken while urgent mail was due. */
  passedOver: number;
  /** In a row, taken while bulk mail was due. */
  withoutBulk: number;
}

export interface TurnWatchParts {
  db: Database;
  clock: Clock;
  kind: ProviderKind;
  violate: Violate;
  isRestored: () => boolean;
  isOldHand: (who: string) => boolean;
}

const paceRows = CompiledQuery.raw(
  'SELECT account, paused_until, open_since, openings FROM provider_pace',
) as CompiledQuery<PaceRow>;
const pauseRows = CompiledQuery.raw('SELECT scope FROM pauses') as CompiledQuery<{ scope: string }>;

const isWaiting = ({ status }: WatchedRow) => status === 'pending' || status === 'failed_transient';

export function createTurnWatch({
  db,
  clock,
  kind,
  violate,
  isRestored,
  isOldHand,
}: TurnWatchParts): TurnWatch {
  const turns = new Map<string, Turn>();
  const served = new Map<string, Served>();
  let paused: ReadonlySet<string> = new Set();
  let pace: readonly PaceRow[] = [];
  /** When a circuit was last seen open, or on trial. */
  const lastOpenAt = new Map<string, number>();

  function checkClaims(who: string, turn: Turn, claimed: readonly WatchedRow[]): void {
    const stopped = claimed.find(({ source }) =>
      ['*', source].some((scope) => turn.paused.has(scope) && paused.has(scope)),
    );
    if (stopped)
      violate(
        'pauses',
        `#${stopped.seq} was claimed by a turn that began after the pause of ${stopped.source}`,
      );
    turn.claims += claimed.length;
    // Nobody is given slots for longer than a second, save one where they are further apart.
    if (turn.claims > Math.max(1, kind.ratePerSecond ?? Infinity)) {
      violate('pace', `${who} claimed ${turn.claims} in one turn, at ${kind.ratePerSecond} a second`);
    }
    const now = clock.now();
    const isShut = (row: PaceRow) =>
      row.open_since !== null ||
      (row.paused_until > now + skewMs && row.paused_until > turn.beganAt + skewMs);
    const { pace: then } = turn;
    const still = pace.find(({ account }) => account === then?.account);
    // The turn itself may have found it open again, and somebody else shut since.
    if (then && still && isShut(then) && isShut(still) && then.open_since === still.open_since) {
      violate('pauses', `${who} claimed while ${then.account} was to be left alone`);
    }
  }

  /** Whoever heard that nobody is there has said so to all. */
  function checkCircuit(who: string): void {
    const { account, heard } = turns.get(who) ?? { account: '', heard: [] };
    const down = heard.find(
      ({ outcome, by }) => by === 'dispatch' && 'trouble' in outcome && outcome.trouble === 'unreachable',
    );
    if (down && (lastOpenAt.get(account) ?? -1) < down.at) {
      violate('pauses', `${who} found nobody at ${account}, and the next one will try it again`);
    }
  }

  function checkLanes(
    who: string,
    turn: Turn,
    waiting: readonly WatchedRow[],
    claimed: readonly WatchedRow[],
  ): void {
    const due = waiting.filter(
      ({ seq, lapses, due_at, source }) =>
        turn.waiting.has(seq) &&
        lapses < 2 &&
        (due_at ?? Infinity) <= turn.beganAt - skewMs &&
        !paused.has(source) &&
        !paused.has('*'),
    );
    const fresh = claimed.filter(({ lapses }) => lapses < 2);
    const count = served.get(who) ?? { claims: 0, passedOver: 0, withoutBulk: 0 };
    served.set(who, count);
    count.claims += fresh.length;
    if (due.some(({ lane }) => lane === 'urgent')) {
      count.passedOver += fresh.filter(({ lane }) => lane !== 'urgent').length;
    }
    if (count.passedOver > 3 + count.claims / 2) {
      violate(
        'lanes',
        `${who} claimed ${count.passedOver} others of ${count.claims} while urgent mail was due`,
      );
    }
    const isBulkServed =
      fresh.some(({ lane }) => lane === 'bulk') || !due.some(({ lane }) => lane === 'bulk');
    count.withoutBulk = isBulkServed ? 0 : count.withoutBulk + fresh.length;
    if (kind.ratePerSecond !== null && count.withoutBulk > 13 + kind.ratePerSecond) {
      violate('lanes', `${who} claimed ${count.withoutBulk} in a row while bulk mail was due`);
    }
  }

  /** Whose recipient takes a no back is due as before, and what was said of it stands: nobody has put that back. */
  function notePutBack(before: readonly WatchedRow[], rows: readonly WatchedRow[]): void {
    for (const one of [...turns.values()].flatMap(({ heard }) => heard)) {
      const was = before.find(({ id }) => id === one.id);
      const row = rows.find(({ id }) => id === one.id);
      const isAnew = row?.status === 'pending' && row.last_error === null;
      if (was && statuses[was.status].isFinal && isAnew) one.isPutBack = true;
    }
  }

  return {
    begins(who, account, rows) {
      const row = pace.find((each) => each.account === account);
      const waiting = new Set(rows.filter(isWaiting).map(({ seq }) => seq));
      turns.set(who, { account, beganAt: clock.now(), paused, pace: row, heard: [], claims: 0, waiting });
    },
    heard(who, parcel, outcome, by) {
      const id = parcel.mail.tags.delivery_id ?? '';
      const at = clock.now();
      // Then somebody else may have the row, and what is asked of this one is no longer for it.
      const isLate = at > parcel.leaseEndsAt - skewMs;
      turns.get(who)?.heard.push({ id, outcome, by, at, isLate, isPutBack: false });
    },
    restored() {
      turns.clear();
    },
    ended(who, rows) {
      checkCircuit(who);
      for (const { id, outcome, by, at, isLate, isPutBack } of turns.get(who)?.heard ?? []) {
        const row = rows.find((each) => each.id === id);
        // After a fail-over it may have been asked for by a database that is no more.
        if (!row || (isOldHand(who) && by === 'reconcile')) continue;
        // After a fail-over a bounce may be told of the mail before, which this database never sent.
        if (outcome.kind === 'accepted' && row.sent_at === null && !(isRestored() && row.evidence > 0)) {
          violate('answers', `${who} heard that #${row.seq} was accepted, and it is ${row.status}`);
        }
        const { retryAfterMs = 0 } = outcome.kind === 'deferred' ? outcome : {};
        const isPutOff = row.status === 'pending' && (row.due_at ?? 0) > 0 && !isLate && !isPutBack;
        if (isPutOff && retryAfterMs > 0 && (row.due_at ?? 0) < at + retryAfterMs - skewMs) {
          violate(
            'answers',
            `#${row.seq} is due ${at + retryAfterMs - (row.due_at ?? 0)} ms sooner than was asked for`,
          );
        }
      }
    },
    look(who, before, rows) {
      notePutBack(before, rows);
      const turn = turns.get(who);
      const isClaimed = ({ seq, status, lease }: WatchedRow) =>
        status === 'claimed' && before.find((row) => row.seq === seq)?.lease !== lease;
      const claimed = rows.filter(isClaimed);
      if (turn && claimed.length > 0) {
        checkClaims(who, turn, claimed);
        const now = new Map(rows.map((row) => [row.seq, row]));
        const waiting = before.filter((row) => isWaiting(row) && now.get(row.seq)?.status === row.status);
        checkLanes(who, turn, waiting, claimed);
      }
    },
    async readPace() {
      pace = (await db.write.executeQuery(paceRows)).rows;
      for (const { account, open_since, openings } of pace) {
        if (open_since !== null || openings > 0) lastOpenAt.set(account, clock.now());
      }
      paused = new Set((await db.write.executeQuery(pauseRows)).rows.map(({ scope }) => scope));
    },
  };
}
