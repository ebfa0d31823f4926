import { setMaxListeners } from 'node:events';
import type { Consent } from '../src/consent/consent.ts';
import { createDispatch } from '../src/dispatch/dispatch.ts';
import { createHeal } from '../src/dispatch/heal.ts';
import { createPace } from '../src/dispatch/pace.ts';
import { createReconcile } from '../src/dispatch/reconcile.ts';
import { createSweep } from '../src/dispatch/sweep.ts';
import type { Sender } from '../src/domain/message.ts';
import { leaseMs } from '../src/domain/policy.ts';
import { createOutbox, type Outbox } from '../src/outbox/outbox.ts';
import { createQueries } from '../src/outbox/queries.ts';
import type { Parcel, Provider } from '../src/providers/provider.ts';
import { createReliable } from '../src/providers/reliable.ts';
import { isTooLate } from '../src/providers/too-late.ts';
import type { Source } from '../src/sources/source.ts';
import { silentLog as log } from '../src/std/log.ts';
import type { WebhookRequest } from '../src/webhooks/informant.ts';
import { createWebhooks, type WebhookAnswer } from '../src/webhooks/webhook.ts';
import { createWebhookLog } from '../src/webhooks/webhook-log.ts';
import { type CampusSide, createSeatParts, type SeatParts, type SeatTurn } from './campus/seat-parts.ts';
import { hourMs } from './chance.ts';
import {
  type CivicSide,
  type CivicTurn,
  createNewsletterParts,
  type NewsletterParts,
} from './civic/newsletter-parts.ts';
import { untilEdge } from './edges.ts';
import { createFaults, type Faults } from './faults.ts';
import { faultyDatabase } from './faulty-database.ts';
import { webhookSecret } from './mailman.ts';
import { createReviewParts, type ReviewParts, type ReviewTurn } from './reviews/review-parts.ts';
import type { Service } from './service.ts';
import { createSources, type SourceName } from './sources.ts';
import type { Part } from './turns.ts';
import { consentIn, environment, type World } from './world.ts';

/** One process of the engine, as `src/engine.ts` puts it together, on a database, a provider and a clock that fail. */
export interface SimulatedProcess {
  name: string;
  account: string;
  faults: Faults;
  outbox: Outbox;
  consent: Consent;
  receive(request: WebhookRequest): Promise<WebhookAnswer>;
  /** Starts a turn and does not wait for it. */
  start(turn: AnyTurn): void;
  isIdle(turn: AnyTurn): boolean;
  /** Course seats, in the runs that have a campus. */
  seats: SeatParts | null;
  /** Newsletters and alerts, in the runs that have citizens. */
  civic: NewsletterParts | null;
  /** Code reviews, in the runs that have reviewers. */
  reviews: ReviewParts | null;
  /** Finishes what is in hand and begins nothing more. */
  stop(): void;
  readonly isStopping: boolean;
}

export const turnKinds = ['dispatch', 'sweep', 'reconcile', 'heal', 'link'] as const;
export type TurnKind = (typeof turnKinds)[number];
export type AnyTurn = TurnKind | SeatTurn | CivicTurn | ReviewTurn;

/** What runs on top of the engine, where that is not three plain sources. */
export interface Sides {
  campus?: CampusSide;
  civic?: CivicSide;
  reviews?: true;
}

export const healAfterMs = 6 * hourMs;

export function createProcess(name: string, world: World, sides: Sides = {}): SimulatedProcess {
  const { campus, civic, reviews } = sides;
  const { chance, story, namespace, policies, isReliable, mayStrike, isDiskFull } = world;
  const faults = createFaults({
    ...{ name, chance, story, clock: world.clock, rate: world.faultRate },
    ...{
      mayStrike,
      isDiskFull,
      untilEdge: () => untilEdge(world),
      isSleepy: world.mood === 'sleepy' || world.mood === 'crowded',
    },
  });
  const { clock } = faults;
  const db = faultyDatabase(world.db, faults, (work) => world.commit(name, work));
  const service = world.service();
  const client = clientOf(name, service, faults, world);
  const asked = isReliable ? createReliable(client, { clock, random: chance }) : client;
  /** The one provider of the process; its parcels say who sends them. */
  const providerOf = (by: Part): Provider => ({
    ...asked,
    async send(parcel) {
      const marked: Marked = { ...parcel, by };
      const outcome = await asked.send(marked);
      world.watch.heard(name, parcel, outcome, by);
      return outcome;
    },
  });
  const provider = providerOf('reconcile');

  const isReal = Object.keys(sides).length > 0;
  const sources: Source[] = isReal ? [] : createSources(world, faults, world.told);
  const consent = consentIn(world, {
    ...{ db, clock },
    onLeft: async ({ source, recipient }, tx, extent) => sourceNamed(source)?.left?.([recipient], tx, extent),
    onReturned: async ({ source, recipient }, tx) => sourceNamed(source)?.returned?.([recipient], tx),
  });
  const sourceNamed = (source: string) => sources.find((each) => each.name === source);
  const listeners = {
    consent: world.overheard(consent),
    source: (source: string) => sourceNamed(source)?.changed,
  };
  const outbox = createOutbox({
    ...{ db, clock, log, namespace, listeners },
    healAfterMs: provider.progress ? healAfterMs : null,
  });
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const parts = { name, world, db, faults, outbox, consent, stopping };
  const seats = campus ? createSeatParts({ ...parts, campus }) : null;
  const newsletters = civic ? createNewsletterParts({ ...parts, civic }) : null;
  const queries = createQueries(db);
  const codeReviews = reviews ? createReviewParts({ ...parts, queries }) : null;
  for (const real of [seats, newsletters, codeReviews]) sources.push(...(real?.sources ?? []));
  const pace = createPace({ db, provider, clock, log });
  const common = { outbox, queries, sources, consent, provider, pace, clock, log, worker: name };
  const from = 'Simulation <simulation@example.org>' as Sender;
  const dispatch = createDispatch({
    ...common,
    provider: providerOf('dispatch'),
    random: chance,
    from,
    environment,
  });
  const keeping = { retentionMs: world.retentionMs, doubtAfterMs: hourMs };
  const sweep = createSweep({ ...common, keepers: [], ...keeping });
  const policyOf = (source: string) => policies[source as SourceName];
  const leaseOf = (source: string) => leaseMs(policyOf(source), provider.guarantees);
  const reconcile = createReconcile({ ...common, leaseOf });
  const webhooks = createWebhooks({
    ...{ events: createWebhookLog({ db, outbox }), secrets: { resend: [webhookSecret] } },
    ...{ environment, policyOf, clock, log, retentionMs: keeping.retentionMs },
  });
  const heal = createHeal({ ...common, policyOf });

  const turns: Record<TurnKind, () => Promise<unknown>> & Partial<Record<AnyTurn, () => Promise<unknown>>> = {
    ...seats?.turns,
    ...newsletters?.turns,
    ...codeReviews?.turns,
    dispatch: () => dispatch.runOnce(stopping.signal),
    sweep: () => sweep.runOnce(),
    reconcile: () => reconcile.runOnce(stopping.signal),
    heal: () => heal.runOnce(stopping.signal),
    link: () => webhooks.linkWaiting(),
  };
  const running = new Set<AnyTurn>();
  story.tell(`${name} starts with ${service.account}`);

  return {
    name,
    account: service.account,
    faults,
    outbox,
    consent,
    seats,
    civic: newsletters,
    reviews: codeReviews,
    receive: (request) => webhooks.receive(request),
    start(turn) {
      running.add(turn);
      const { failures } = faults;
      if (turn === 'dispatch') world.watch.turnBegins(name, service.account);
      (turns[turn] ?? idle)()
        .then(() => {
          const isClean = !faults.isDead && faults.failures === failures;
          if (turn === 'dispatch' && isClean) world.watch.turnEnded(name);
        })
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

const idle = async () => {};

type Marked = Parcel & { by: Part };

function clientOf(name: string, service: Service, faults: Faults, { story, watch }: World): Provider {
  const { account, guarantees, kind } = service;
  const { clock } = faults;
  const isOver = (parcel: Parcel) => isTooLate(parcel, clock, guarantees.longestCallMs);
  return {
    name: 'simulated',
    account,
    guarantees,
    send: (parcel) =>
      faults.call('a call to the provider', async () => {
        if (!isOver(parcel)) return service.send(parcel, name, (parcel as Marked).by);
        story.tell('a mail is held back by its sender: its time is over');
        return { kind: 'deferred', error: { code: 'not_started' } };
      }),
    ...(kind.canLookUp && {
      lookUp: (reference) =>
        faults.call('a look-up', async () => {
          const answer = await service.lookUp(reference);
          watch.lookedUp(name, reference, answer);
          return answer;
        }),
    }),
    ...(kind.canTell && {
      progress: (mails, mayAsk) => faults.call('a question', () => service.progress(mails, mayAsk)),
    }),
    probe: () => faults.call('a probe', () => service.probe()),
  };
}
