import type { Migration } from './db/migrate.ts';
import { loadTemplates } from './emails/render.ts';
import { createEngine, type Engine } from './engine.ts';
import { type ApiKeys, createAuth } from './http/auth.ts';
import { createSessions } from './http/callers/sessions.ts';
import { listen, requireFreePort } from './http/listen.ts';
import { createServer } from './http/server.ts';
import { claimForSamples, requireNoSamples } from './samples/claim-samples.ts';
import type { Samples } from './samples/samples.ts';
import type { WorkerOrder } from './samples/worker-process.ts';
import type { Config } from './settings.ts';
import type { SeatsByHand } from './sources/course-seats/open-feed.ts';
import { loadDatasetReader } from './sources/newsletters/budget/datasets.ts';
import type { Log } from './std/log.ts';

/**
 * One process: configuration → engine → role → the server. A worker sends and answers only how it is; an api answers
 * and never sends; both do both.
 */
export interface RunningProcess {
  readonly url: string;
  /** Whether the first minute is played here. */
  readonly hasSamples: boolean;
  /** Of a sample campus. */
  readonly byHand: SeatsByHand | undefined;
  /** Stops listening, lets what is in flight finish within a bound, gives back the rest, closes the database. */
  stop(): Promise<void>;
}

export interface ProcessParts {
  log: Log;
  onMigrated?: (applied: readonly Migration[]) => void;
  /** How a worker of its own is started, where the first minute is to be played if nothing is configured. */
  worker?: WorkerOrder['command'] | undefined;
}

export async function startProcess(
  config: Config,
  { log, onMigrated, worker }: ProcessParts,
): Promise<RunningProcess> {
  await requireFreePort(config);
  await Promise.all([loadTemplates(), loadDatasetReader()]);
  let url: string | undefined;
  const options = { log, migrations: 'all', servedAt: () => url, ...(onMigrated && { onMigrated }) } as const;
  const engine = await createEngine(config, options);
  const { db, clock, runner, tracer } = engine;
  const { role, environment, unsubscribeOnGet, emailPreviewEnabled, clerkJwtKey } = config;
  const keys = keysOf(config);
  let isStopping = false;
  let samples: Samples | undefined;
  try {
    if (config.provider !== 'capture') await requireNoSamples(db);
    if (worker && (await mayPlaySamples(config, engine))) {
      const { openSamples } = await import('./samples/samples.ts');
      samples = await openSamples({ engine, log, command: worker });
    }
    const isWorking = role !== 'api' && !samples;
    if (isWorking) await runner.prepare?.();
    const sessions = clerkJwtKey === '' ? undefined : createSessions(clerkJwtKey);
    const server = await createServer({
      db,
      databaseId: engine.databaseId,
      clock,
      log,
      tracer,
      ...(isWorking && { runner }),
      ...(role !== 'worker' && {
        api: {
          ...engine,
          ...ofNewsletters(engine),
          queues: runner.queues,
          samples,
          environment,
          quotas: { day: config.quotaPerDay, month: config.quotaPerMonth },
          keys,
          unsubscribeOnGet,
          emailPreviewEnabled,
          sessions,
        },
      }),
      isStopping: () => isStopping,
    });
    const listening = await listen(server, config, clock);
    const { close } = listening;
    url = listening.url;
    // Last, so that a process which cannot listen has sent nothing.
    if (isWorking) runner.start();
    samples?.begin(url);
    if (role !== 'worker' && createAuth(keys).isOpen)
      log.info('http.open_on_loopback', { host: config.host });
    log.info('process.started', { url, role, provider: engine.provider.name });
    return {
      url: listening.url,
      hasSamples: samples !== undefined,
      byHand: engine.seats?.byHand,
      async stop() {
        isStopping = true;
        log.info('process.stopping');
        await close();
        await samples?.stop();
        await engine.close();
        log.info('process.stopped');
      },
    };
  } catch (error) {
    await samples?.stop();
    await engine.close();
    throw error;
  }
}

/** Nothing leaves this machine, one process would do everything, and nobody's own data is here. */
async function mayPlaySamples(config: Config, { db, clock, seats }: Engine): Promise<boolean> {
  const { provider, role, jobsEnabled, environment, databaseUrl } = config;
  const isAlone = provider === 'capture' && role === 'both' && !jobsEnabled && environment !== 'production';
  const { operatorApiKeys, readApiKeys, serviceApiKeys } = config;
  // Whoever has given out keys has something else in mind.
  const isKeyed = [operatorApiKeys, readApiKeys, serviceApiKeys].some((keys) => keys.length > 0);
  if (!isAlone || isKeyed || !seats?.isSample || /:memory:/.test(databaseUrl)) return false;
  return claimForSamples(db, clock.now());
}

function keysOf({ operatorApiKeys, readApiKeys, serviceApiKeys, triggerApiKeys }: Config): ApiKeys {
  return { operator: operatorApiKeys, read: readApiKeys, service: serviceApiKeys, trigger: triggerApiKeys };
}

const ofNewsletters = ({ newsletters: { notifications, runs } }: Engine) => ({ notifications, runs });
