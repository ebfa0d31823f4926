import { hostname } from 'node:os';
import { type Consent, createConsent } from './consent/consent.ts';
import { type Database, openDatabase } from './db/database.ts';
import { createDatabaseClock } from './db/database-clock.ts';
import { databaseIdOf } from './db/database-id.ts';
import { bringUpToDate, type Migration } from './db/migrate.ts';
import { createDispatch } from './dispatch/dispatch.ts';
import { createHeal } from './dispatch/heal.ts';
import { createPace } from './dispatch/pace.ts';
import { createPauses, type Pauses } from './dispatch/pauses.ts';
import { createReconcile, type Reconcile } from './dispatch/reconcile.ts';
import { createSweep, type Sweep } from './dispatch/sweep.ts';
import { leaseMs } from './domain/policy.ts';
import { createReports } from './inbox/reports.ts';
import { createSwitches, type Switches } from './inbox/switches.ts';
import { linkParts } from './link-parts.ts';
import { openCourseSeats } from './open-course-seats.ts';
import { openNewsletters } from './open-newsletters.ts';
import { openRunner } from './open-runner.ts';
import { openTracer } from './open-tracer.ts';
import { followedOutbox } from './outbox/followed-outbox.ts';
import { createOutbox, type Outbox, readNamespace } from './outbox/outbox.ts';
import { createQueries, type OutboxQueries } from './outbox/queries.ts';
import { createTrail } from './outbox/trail.ts';
import { webhookSecretsOf } from './provider-settings.ts';
import { openProvider } from './providers/open-provider.ts';
import type { Provider } from './providers/provider.ts';
import { createReliable } from './providers/reliable.ts';
import type { Runner } from './runners/runner.ts';
import type { Config } from './settings.ts';
import { type CodeReviews, createCodeReviews } from './sources/code-reviews/code-reviews.ts';
import type { CourseSeats } from './sources/course-seats/course-seats.ts';
import type { Newsletters } from './sources/newsletters/newsletters.ts';
import { plainSource } from './sources/plain/plain.ts';
import type { Source } from './sources/source.ts';
import { type Clock, systemClock } from './std/clock.ts';
import { createCompany } from './std/company.ts';
import { systemIds } from './std/ids.ts';
import type { Log } from './std/log.ts';
import { systemRandom } from './std/random.ts';
import type { Refusal } from './std/refusal.ts';
import type { Tracer } from './std/trace.ts';
import { createWebhooks, type Webhooks } from './webhooks/webhook.ts';
import { createWebhookLog } from './webhooks/webhook-log.ts';

/**
 * The parts and how they fit. Sources put intents into the outbox; dispatch takes them to the provider and records what
 * came of it; sweep, reconcile and heal look after what was left behind; the runner says when.
 */
export interface Engine {
  readonly db: Database;
  /** Which one it is, for whoever wonders whether it is theirs. */
  readonly databaseId: string;
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly queries: OutboxQueries;
  readonly sources: readonly Source[];
  readonly consent: Consent;
  readonly webhooks: Webhooks;
  readonly pauses: Pauses;
  readonly provider: Provider;
  /** What the built-in inbox does wrong on purpose. */
  readonly switches: Switches;
  /** Where the links in mails lead. */
  readonly baseUrl: () => string;
  /** For an operator who does not want to wait for the runner, or has none. */
  readonly sweep: Sweep;
  readonly reconcile: Reconcile;
  /** Where there is a section feed. */
  readonly seats: CourseSeats | undefined;
  /** Where there are none because the database is that of another feed: what `serve` would say. */
  readonly seatsRefusal: Refusal | undefined;
  readonly newsletters: Newsletters;
  readonly reviews: CodeReviews;
  readonly runner: Runner;
  /** Where a collector is named. */
  readonly tracer: Tracer | undefined;
  /** Stops what is running, then closes the database. */
  close(): Promise<void>;
}

export interface EngineOptions {
  log: Log;
  /** `serve` and `migrate` may change tables that are there; other commands only make those of an empty database. */
  migrations: 'all' | 'empty database only';
  /** Called once, if there was something to do. */
  onMigrated?: (applied: readonly Migration[]) => void;
  /** Where this process answers, once it does. */
  servedAt?: () => string | undefined;
}

export async function createEngine(
  config: Config,
  { log, migrations, onMigrated, servedAt }: EngineOptions,
): Promise<Engine> {
  const db = await openDatabase(config.databaseUrl, { clock: systemClock, log });
  try {
    const applied = await bringUpToDate(db, migrations, { clock: systemClock, ids: systemIds });
    if (applied.length > 0) onMigrated?.(applied);
    const clock = await createDatabaseClock(db, systemClock, log);
    const worker = `${hostname()}:${process.pid}`;
    // Of two containers with one name and one number only one may lead.
    const holder = `${worker}:${systemIds.uuid().slice(0, 8)}`;

    // Filled below: whoever is given it, or what finds one by its name, looks when it is asked, not now.
    const sources: Source[] = [plainSource];
    const sourceNamed = (name: string) => sources.find((source) => source.name === name);

    const switches = createSwitches({ db, clock, environment: config.environment });
    const inner = await openProvider(config, { db, clock, ids: systemIds, switchesOn: switches.on });
    const provider = createReliable(inner, { clock, random: systemRandom });

    const namespace = await readNamespace(db);
    const links = linkParts(config, namespace, servedAt);
    const consent = createConsent({
      ...{ db, clock, ids: systemIds, log, ...links },
      onLeft: async ({ source, recipient }, tx, extent) =>
        sourceNamed(source)?.left?.([recipient], tx, extent),
      onReturned: async ({ source, recipient }, tx) => sourceNamed(source)?.returned?.([recipient], tx),
    });
    const tracer = openTracer(config, { clock: systemClock, log, instance: worker });
    const trail = tracer && createTrail(tracer, clock, systemIds);
    const quiet = createOutbox({
      ...{ db, clock, log, namespace },
      listeners: { consent: consent.learn, source: (name) => sourceNamed(name)?.changed },
      healAfterMs: provider.progress ? config.healAfterMs : null,
      onEnqueued: () => runner.wake(),
    });
    const outbox = trail ? followedOutbox(quiet, trail) : quiet;
    const queries = createQueries(db);

    const { seats, refusal: seatsRefusal } = await openCourseSeats(config, {
      ...{ ...links, db, outbox, clock, log, namespace, ids: systemIds, random: systemRandom },
      ...{ unsubscribe: consent.unsubscribe, holder, onEnqueued: () => runner.wake() },
      isToPoll: migrations === 'all',
    });
    if (seats) sources.push(...seats.sources);
    const newsletters = await openNewsletters(config, {
      ...{ db, outbox, clock, log, ids: systemIds, unsubscribe: consent.unsubscribe },
      ...{ baseUrl: links.baseUrl, holder, onComposed: () => runner.wake() },
    });
    const reviews = createCodeReviews({
      ...{ db, outbox, queries, clock, log, ids: systemIds, against: consent.against },
      onSubmitted: () => runner.wake(),
    });
    sources.push(newsletters.source, reviews.source);

    const { from, environment, retentionMs, doubtAfterMs } = config;
    const pace = createPace({ db, provider, clock, log });
    const common = { outbox, queries, sources, consent, provider, pace, clock, log, worker, trail };
    const keepers = [provider, consent.suppressions, newsletters, reviews];
    const sweep = createSweep({ ...common, keepers, retentionMs, doubtAfterMs });
    const policyOf = (source: string) => (sourceNamed(source) ?? plainSource).policy;
    const leaseOf = (source: string) => leaseMs(policyOf(source), provider.guarantees);
    const reconcile = createReconcile({ ...common, leaseOf });
    const webhooks = createWebhooks({
      ...{ events: createWebhookLog({ db, outbox }), secrets: webhookSecretsOf(config) },
      ...{ environment, policyOf, retentionMs, clock, log, trail },
    });
    const heal = createHeal({ ...common, policyOf });
    const ofInbox = provider.name === 'capture' ? [createReports({ db, clock, webhooks })] : [];
    const company = createCompany(clock);
    const runner = await openRunner(config, {
      ...{ ...common, db, holder, sweep, reconcile, heal, webhooks, guarantees: provider.guarantees },
      dispatch: (width, number) => {
        // A name of its own: it is what tells one claim from another where a database went back in time.
        const own = number === 0 ? worker : `${worker}/${number + 1}`;
        const hand = { ...common, worker: own, width, company };
        return createDispatch({ ...hand, from, environment, random: systemRandom });
      },
      chores: [...(seats?.chores ?? []), ...newsletters.chores, ...reviews.chores, ...ofInbox],
      isToRun: migrations === 'all',
    });

    return {
      ...{
        db,
        clock,
        outbox,
        queries,
        sources,
        consent,
        webhooks,
        provider,
        switches,
        sweep,
        reconcile,
        seats,
        seatsRefusal,
        newsletters,
        reviews,
        runner,
        tracer,
      },
      databaseId: databaseIdOf(namespace),
      baseUrl: links.baseUrl,
      pauses: createPauses(db, clock),
      async close() {
        await runner.stop();
        await seats?.close();
        await newsletters.close();
        await provider.close?.();
        await runner.ended();
        await db.close();
        await tracer?.stop();
      },
    };
  } catch (error) {
    await db.close();
    throw error;
  }
}
