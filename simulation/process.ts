import { createDispatch } from '../src/dispatch/dispatch.ts';
import { createPace } from '../src/dispatch/pace.ts';
import { createReconcile } from '../src/dispatch/reconcile.ts';
import { createSweep } from '../src/dispatch/sweep.ts';
import type { Sender } from '../src/domain/message.ts';
import { leaseMs } from '../src/domain/policy.ts';
import { createOutbox } from '../src/outbox/outbox.ts';
import { createQueries } from '../src/outbox/queries.ts';
import type { Provider } from '../src/providers/provider.ts';
import { createReliable } from '../src/providers/reliable.ts';
import { silentLog as log } from '../src/std/log.ts';
import { createFaults, type Faults } from './faults.ts';
import { faultyDatabase } from './faulty-database.ts';
import type { Service } from './service.ts';
import { consentIn, type World } from './world.ts';

/** One process of the engine, as `src/engine.ts` puts it together, on a database, a provider and a clock that fail. */
export interface SimulatedProcess {
  name: string;
  account: string;
  faults: Faults;
  /** Starts a turn and does not wait for it. */
  start(turn: TurnKind): void;
  isIdle(turn: TurnKind): boolean;
  /** Finishes what is in hand and begins nothing more. */
  stop(): void;
  readonly isStopping: boolean;
}

export const turnKinds = ['dispatch', 'sweep', 'reconcile'] as const;
export type TurnKind = (typeof turnKinds)[number];

export function createProcess(name: string, world: World): SimulatedProcess {
  const { chance, story, namespace, source, faultRate, isReliable } = world;
  const faults = createFaults({ name, chance, story, clock: world.clock, rate: faultRate });
  const { clock } = faults;
  const db = faultyDatabase(world.db, faults, (work) => world.commit(name, work));
  const service = world.service();
  const client = clientOf(service, faults);
  const provider = isReliable ? createReliable(client, { clock, random: chance }) : client;

  const sources = [source];
  const consent = consentIn(world, { db, clock });
  const listeners = { consent: consent.learn, source: () => source.changed };
  const outbox = createOutbox({ db, clock, log, namespace, listeners });
  const queries = createQueries(db);
  const pace = createPace({ db, provider, clock, log });
  const common = { outbox, sources, consent, provider, pace, clock, log, worker: name };
  const from = 'Simulation <simulation@example.org>' as Sender;
  const dispatch = createDispatch({ ...common, random: chance, from, environment: 'simulation' });
  const keeping = { retentionMs: 30 * 86_400_000, doubtAfterMs: 3_600_000 };
  const sweep = createSweep({ outbox, queries, keepers: [], clock, log, ...keeping });
  const leaseOf = () => leaseMs(source.policy, provider.guarantees);
  const reconcile = createReconcile({ ...common, queries, leaseOf });

  const stopping = new AbortController();
  const turns: Record<TurnKind, () => Promise<unknown>> = {
    dispatch: () => dispatch.runOnce(stopping.signal),
    sweep: () => sweep.runOnce(),
    reconcile: () => reconcile.runOnce(stopping.signal),
  };
  const running = new Set<TurnKind>();
  story.tell(`${name} starts with ${service.account}`);

  return {
    name,
    account: service.account,
    faults,
    start(turn) {
      running.add(turn);
      turns[turn]()
        // As the loops of the runner do: what is thrown is logged, and the next turn comes.
        .catch(() => {})
        .finally(() => running.delete(turn));
    },
    isIdle: (turn) => !faults.isDead && !stopping.signal.aborted && !running.has(turn),
    stop() {
      story.tell(`${name} is asked to stop`);
      stopping.abort();
    },
    get isStopping() {
      return stopping.signal.aborted;
    },
  };
}

function clientOf(service: Service, faults: Faults): Provider {
  const { account, guarantees, canLookUp } = service;
  return {
    name: 'simulated',
    account,
    guarantees,
    send: (parcel) => faults.call('a call to the provider', () => service.send(parcel)),
    ...(canLookUp && {
      lookUp: (reference) => faults.call('a look-up', () => service.lookUp(reference)),
    }),
    probe: () => faults.call('a probe', () => service.probe()),
  };
}
