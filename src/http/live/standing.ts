import type { Database } from '../../db/database.ts';
import type { RunStatus } from '../../db/newsletters-schema.ts';
import { readPace } from '../../dispatch/pace.ts';
import type { Status } from '../../domain/status.ts';
import { createSwitches } from '../../inbox/switches.ts';
import { iso } from '../../outbox/delivery-json.ts';
import type { ChaosSwitch } from '../../providers/chaos.ts';
import type { Clock } from '../../std/clock.ts';
import type { ApiParts } from '../server.ts';
import { createMailsTaken, type QuotaNow } from './mails-taken.ts';
import { createRecentMoves, type Moves } from './recent-moves.ts';

/** How everything stands at this moment: what the home page of the console shows. Nobody's address is in it. */
export interface Standing extends Moves {
  at: string | null;
  environment: string;
  counts: readonly { source: string; status: Status; count: number }[];
  pauses: readonly { scope: string; reason: string; by: string; at: string | null }[];
  provider: {
    name: string;
    account: string;
    /** Mails a second; null where there is no limit. */
    ratePerSecond: number | null;
    /** Since when it is of no use to ask it, and why. */
    downSince: string | null;
    downBecause: string | null;
    /** It asks for patience until then. */
    pausedUntil: string | null;
    /** What the plan there has, and how much of it is used; empty where nobody has said. */
    quotas: readonly QuotaNow[];
    /** What the built-in inbox does wrong on purpose; empty with any other. */
    switchesOn: readonly ChaosSwitch[];
  };
  feeds: readonly {
    termId: string;
    campuses: readonly string[];
    /** Since when it is asked for. */
    askedAt: string | null;
    goodAt: string | null;
    isStale: boolean;
    isHeld: boolean;
    /** Polls in a row that brought no list, and the code of why the last one did not. */
    failures: number;
    cause: string | null;
    openCount: number;
    isSample: boolean;
  }[];
  /** Newest first: what newsletters do now, or wait for. */
  runs: readonly {
    runId: string;
    type: string;
    periodKey: string;
    status: RunStatus;
    because: string | null;
    people: number;
  }[];
  has: { seats: boolean; newsletters: boolean; reviews: boolean; inbox: boolean; samples: boolean };
}

export interface StandingParts
  extends Pick<
    ApiParts,
    'queries' | 'pauses' | 'provider' | 'environment' | 'quotas' | 'seats' | 'runs' | 'reviews' | 'samples'
  > {
  db: Database;
  clock: Clock;
}

export function createStanding(parts: StandingParts): () => Promise<Standing> {
  const { db, clock, queries, pauses, provider, environment, seats, runs, reviews } = parts;
  const moves = createRecentMoves({ db, clock });
  const switches = createSwitches({ db, clock, environment });
  const mailsTaken = createMailsTaken(parts.quotas, { db, clock });

  async function providerNow(): Promise<Standing['provider']> {
    const { name, account, guarantees } = provider;
    const pace = await readPace(db, account);
    const rates = [guarantees.ratePerSecond, pace?.seenRatePerSecond].filter(
      (rate) => typeof rate === 'number',
    );
    return {
      ...{ name, account, ratePerSecond: rates.length === 0 ? null : Math.min(...rates) },
      ...{ downSince: iso(pace?.openSince ?? null), downBecause: pace?.openReason ?? null },
      pausedUntil: pace && pace.pausedUntil > clock.now() ? iso(pace.pausedUntil) : null,
      quotas: await mailsTaken(),
      switchesOn: name === 'capture' ? [...(await switches.on())] : [],
    };
  }

  return async () => ({
    at: iso(clock.now()),
    environment,
    counts: await queries.counts(),
    pauses: (await pauses.list()).map((pause) => ({ ...pause, at: iso(pause.at) })),
    provider: await providerNow(),
    feeds: ((await seats?.poller.status()) ?? []).map((list) => ({
      ...{ termId: list.termId, campuses: list.campuses, askedAt: iso(list.askedAt) },
      ...{ goodAt: iso(list.goodAt), isStale: list.isStale },
      // The code alone: what comes after it may quote whatever the feed has answered.
      ...{ failures: list.failures, cause: list.lastError?.split(':')[0] ?? null },
      ...{ isHeld: list.isHeld, openCount: list.openCount, isSample: seats?.isSample ?? false },
    })),
    runs: ((await runs?.underWay()) ?? []).map((run) => ({
      ...{ runId: run.run_id, type: run.notification_type, periodKey: run.period_key },
      ...{ status: run.status, because: run.status_because, people: run.eligible_count },
    })),
    has: {
      ...{ seats: seats !== undefined, newsletters: runs !== undefined, reviews: reviews !== undefined },
      inbox: provider.name === 'capture',
      samples: parts.samples !== undefined,
    },
    ...(await moves.look()),
  });
}
