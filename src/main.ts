import type { Migration } from './db/migrate.ts';
import { loadTemplates } from './emails/render.ts';
import { createEngine, type Engine } from './engine.ts';
import { type ApiKeys, createAuth } from './http/auth.ts';
import { createSessions } from './http/callers/sessions.ts';
import { listen, requireFreePort } from './http/listen.ts';
import { createServer } from './http/server.ts';
import type { Config } from './settings.ts';
import { loadDatasetReader } from './sources/newsletters/budget/datasets.ts';
import type { Log } from './std/log.ts';

/**
 * One process: configuration → engine → role → the server. A worker sends and answers only how it is; an api answers
 * and never sends; both do both.
 */
export interface RunningProcess {
  readonly url: string;
  /** Stops listening, lets what is in flight finish within a bound, gives back the rest, closes the database. */
  stop(): Promise<void>;
}

export interface ProcessParts {
  log: Log;
  onMigrated?: (migration: Migration) => void;
}

export async function startProcess(
  config: Config,
  { log, onMigrated }: ProcessParts,
): Promise<RunningProcess> {
  await requireFreePort(config);
  await Promise.all([loadTemplates(), loadDatasetReader()]);
  let url: string | undefined;
  const options = { log, migrations: 'all', servedAt: () => url, ...(onMigrated && { onMigrated }) } as const;
  const engine = await createEngine(config, options);
  const { db, clock, runner, tracer } = engine;
  const { role, environment, unsubscribeOnGet, emailPreviewEnabled, clerkJwtKey } = config;
  const isWorking = role !== 'api';
  const keys = keysOf(config);
  let isStopping = false;
  try {
    if (isWorking) await runner.prepare?.();
    const sessions = clerkJwtKey === '' ? undefined : createSessions(clerkJwtKey);
    const server = await createServer({
      db,
      clock,
      log,
      tracer,
      ...(isWorking && { runner }),
      ...(role !== 'worker' && {
        api: {
          ...engine,
          ...ofNewsletters(engine),
          queues: runner.queues,
          environment,
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
    if (role !== 'worker' && createAuth(keys).isOpen)
      log.info('http.open_on_loopback', { host: config.host });
    log.info('process.started', { url, role, provider: engine.provider.name });
    return {
      url: listening.url,
      async stop() {
        isStopping = true;
        log.info('process.stopping');
        await close();
        await engine.close();
        log.info('process.stopped');
      },
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function keysOf({ operatorApiKeys, readApiKeys, serviceApiKeys, triggerApiKeys }: Config): ApiKeys {
  return { operator: operatorApiKeys, read: readApiKeys, service: serviceApiKeys, trigger: triggerApiKeys };
}

const ofNewsletters = ({ newsletters: { notifications, runs } }: Engine) => ({ notifications, runs });
