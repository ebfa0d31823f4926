import { isLocked, isLockTimeout } from '../db/dialect.ts';
import { isDatabaseAway } from '../db/is-database-away.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { Report } from '../outbox/record.ts';
import type { Clock } from '../std/clock.ts';
import type { Log } from '../std/log.ts';

/**
 * Writes outcomes down as they come, as many at a time as have come: while one transaction commits, the next batch
 * gathers. So a slow mail holds back no other mail's record, and a crash leaves few in doubt.
 */
export interface Recorder {
  add(report: Report): void;
  /** Resolves when all that was added is written down, or given up. */
  drain(): Promise<void>;
}

const batchMax = 200;
const gatherTimes = 4;
const gatherMaxMs = 25;
/**
 * A database that is away for longer is an outage of everything. Reconciliation settles most of what is then forgotten; what
 * a provider without keys has accepted is left to a person, so this is well beyond a restart or a fail-over.
 */
const patienceMs = 15 * 60_000;
/** For one that is refused where others are taken: a deadlock is over by then. */
const patienceAloneMs = 10_000;
const pauseLongestMs = 5_000;
const triesTogether = 3;

/** Refused for what is in it, not for want of a database: PostgreSQL's data exceptions, and our own. */
function isHopeless(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return (
    error instanceof RangeError ||
    error instanceof TypeError ||
    (typeof code === 'string' && code.startsWith('22'))
  );
}

export function createRecorder({ outbox, clock, log }: { outbox: Outbox; clock: Clock; log: Log }): Recorder {
  let gathered: Report[] = [];
  let writing: Promise<void> | undefined;
  let isLast = false;
  let lastTookMs = 0;
  let enough = new AbortController();

  async function writeAll(): Promise<void> {
    while (gathered.length > 0) {
      await gather();
      const batch = gathered.slice(0, batchMax);
      gathered = gathered.slice(batchMax);
      const beganAt = clock.monotonic();
      await write(batch, beganAt + patienceMs);
      lastTookMs = clock.monotonic() - beganAt;
    }
    writing = undefined;
  }

  /**
   * A commit costs the same for one as for many, and nothing waits for it meanwhile: so it is to take a small share of the time. SQLite commits
   * while everything else stands still. Without this each outcome would have a commit of its own, and the connection that it has freed would
   * stay idle meanwhile.
   */
  function gather(): Promise<void> {
    const waitMs = Math.min(lastTookMs * gatherTimes, gatherMaxMs);
    if (isLast || waitMs < 1 || gathered.length >= batchMax) return clock.nextTurn();
    enough = new AbortController();
    return clock.sleep(waitMs, enough.signal);
  }

  /** What we know exists only here. A lost commit answer is harmless: evidence and fences make it idempotent. */
  async function write(batch: readonly Report[], giveUpAt: number): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        tell(batch, await outbox.record(batch));
        return;
      } catch (error) {
        const seqs = batch.map(({ seq }) => seq);
        log.error('record.failed', { seqs, tries, error });
        if (batch.length > 1 && tries >= triesTogether) return writeApart(batch, giveUpAt);
        if (clock.monotonic() > giveUpAt || (batch.length === 1 && isHopeless(error))) {
          log.error('record.given_up', { seqs, remedy: 'the leases expire and reconciliation settles it' });
          return;
        }
        await clock.sleep(Math.min(pauseLongestMs, 50 * 2 ** tries));
      }
    }
  }

  /**
   * One report that cannot be written must not take its neighbours along: it comes after them, and has little time where it is the report that is refused. What waits for
   * a lock, or for a database that is away, has all the time that there is.
   */
  async function writeApart(batch: readonly Report[], giveUpAt: number): Promise<void> {
    const left: { report: Report; isWaiting: boolean }[] = [];
    let isAway = false;
    for (const report of batch) {
      try {
        if (!isAway) tell([report], await outbox.record([report]));
        else left.push({ report, isWaiting: true });
      } catch (error) {
        log.error('record.failed', { seqs: [report.seq], tries: triesTogether + 1, error });
        isAway = isDatabaseAway(error);
        left.push({ report, isWaiting: isAway || isLocked(error) || isLockTimeout(error) });
      }
    }
    const isForAll = left.length === batch.length;
    for (const { report, isWaiting } of left) {
      const aloneUntil = Math.min(giveUpAt, clock.monotonic() + patienceAloneMs);
      await write([report], isWaiting || isForAll ? giveUpAt : aloneUntil);
    }
  }

  function tell(batch: readonly Report[], answers: Awaited<ReturnType<Outbox['record']>>): void {
    answers.forEach(({ seq, changed, status, why }, index) => {
      const reported = batch[index]?.event;
      if (changed) log.debug('delivery.recorded', { seq, reported, status });
      else log.info('delivery.already_settled', { seq, reported, status, why });
    });
  }

  return {
    add(report) {
      gathered.push(report);
      if (gathered.length >= batchMax) enough.abort();
      writing ??= writeAll();
    },
    async drain() {
      isLast = true;
      enough.abort();
      while (writing) await writing;
      isLast = false;
    },
  };
}
