import { createEngine } from '../engine.ts';
import { refusalForSamples } from '../samples/claim-samples.ts';
import type { Config } from '../settings.ts';
import type { Log } from '../std/log.ts';
import { urlOf } from '../std/url-of.ts';
import { checkDatabase, type DatabaseCheckup } from './check-database.ts';
import { checkDeliveries, type DeliveriesCheckup } from './check-deliveries.ts';
import { checkNewsletters, checkOthers, type NewslettersCheckup } from './check-newsletters.ts';
import { checkPauses, checkProvider, type ProviderCheckup } from './check-provider.ts';
import { checkLeader, checkQueues, type QueuesCheckup } from './check-queues.ts';
import { checkSeats, type SeatsCheckup } from './check-seats.ts';
import { checkSettings, envFileFindings } from './check-settings.ts';
import { type Finding, note, ok, problem, refused } from './finding.ts';

/** What `doctor` finds: it looks, and leaves everything as it was. */
export interface Checkup {
  findings: Finding[];
  database: DatabaseCheckup;
  /** Null where there is no database and the provider is the built-in inbox, which is in it. */
  provider: ProviderCheckup | null;
  /** Null where there is no database to look into. */
  deliveries: DeliveriesCheckup | null;
  /** Null where there is no database to look into, or no section feed. */
  seats: SeatsCheckup | null;
  /** Null where there is no database to look into. */
  newsletters: NewslettersCheckup | null;
  /** Null where there are none. */
  queues: QueuesCheckup | null;
  server: ServerCheckup;
}

interface ServerCheckup {
  url: string;
  answer: 'tidings' | 'another database' | 'something else' | 'nothing' | 'port not known';
}

export async function checkUp(config: Config, log: Log): Promise<Checkup> {
  const settings = [...checkSettings(config), ...envFileFindings()];
  const answering = await askServer(config);
  const { database, findings } = await checkDatabase(config, log);
  const { queues, findings: ofQueues } = await checkQueues(config);
  const before = [...settings, ...findings, ...ofQueues];
  if (database.state !== 'reachable' || database.pending.length > 0) {
    const asked = await askOthersAlone(config, log);
    const isNew =
      database.state === 'not made yet' || (database.state === 'reachable' && database.applied === 0);
    const server = compared(answering, isNew ? 'none' : undefined);
    const all = [...before, ...(asked?.findings ?? []), serverFinding(server)];
    const nothing = { deliveries: null, seats: null, newsletters: null };
    return { findings: all, database, provider: asked?.provider ?? null, ...nothing, queues, server };
  }
  const engine = await createEngine(config, { log, migrations: 'empty database only' });
  try {
    const server = compared(answering, engine.databaseId);
    const samples = config.provider === 'capture' ? undefined : await refusalForSamples(engine.db);
    const leader = await checkLeader(engine, config);
    const asked = await checkProvider(engine);
    const pauses = await checkPauses(engine);
    const isProviderOpen = asked.provider.circuit !== null || asked.provider.pausedUntil !== null;
    const looked = await checkDeliveries(engine, isProviderOpen, server.answer === 'nothing');
    const { seats, findings: ofSeats } = await checkSeats(engine);
    const { newsletters, findings: ofNewsletters } = await checkNewsletters(engine, config);
    const after = [...looked.findings, ...ofSeats, ...ofNewsletters, serverFinding(server)];
    return {
      findings: [
        ...before,
        ...(samples ? [refused(samples)] : []),
        ...leader,
        ...asked.findings,
        ...pauses,
        ...after,
      ],
      database,
      provider: asked.provider,
      deliveries: looked.deliveries,
      seats,
      newsletters,
      queues,
      server,
    };
  } finally {
    await engine.close();
  }
}

/** A key that is not accepted is worth knowing before there is a database: an empty one in memory stands in for it. */
async function askOthersAlone(config: Config, log: Log) {
  const isInbox = config.provider === 'capture';
  if (isInbox && config.budgetApiUrl === '' && config.clerkSecretKey === '') return null;
  const parts = { log, migrations: 'empty database only' } as const;
  const engine = await createEngine({ ...config, databaseUrl: 'sqlite::memory:' }, parts);
  try {
    const asked = isInbox ? { provider: null, findings: [] } : await checkProvider(engine);
    return { ...asked, findings: [...asked.findings, ...(await checkOthers(engine, config))] };
  } finally {
    await engine.close();
  }
}

const answerWithinMs = 1_000;

interface Answering extends ServerCheckup {
  /** Which database it works with; undefined of an older one. */
  database?: string | undefined;
}

async function askServer({ host, port }: Config): Promise<Answering> {
  const url = `${urlOf(host, port)}/health`;
  if (port === 0) return { url, answer: 'port not known' };
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
    const text = (await response.text()).slice(0, 1_000);
    const isOurs = response.ok && text.includes('"status":"ok"');
    return {
      ...{ url, answer: isOurs ? 'tidings' : 'something else' },
      database: /"database":"(\w+)"/.exec(text)?.[1],
    };
  } catch (error) {
    // A server that is there and does not answer in time is not one that answers.
    return { url, answer: (error as Error).name === 'TimeoutError' ? 'something else' : 'nothing' };
  }
}

/** `own` is undefined where it is not known. */
function compared({ url, answer, database }: Answering, own: string | undefined): ServerCheckup {
  const isOther = answer === 'tidings' && [database, own].every(Boolean) && database !== own;
  return { url, answer: isOther ? 'another database' : answer };
}

function serverFinding({ url, answer }: ServerCheckup): Finding {
  switch (answer) {
    case 'another database':
      return problem(
        `The server that answers at ${url} works with another database than these settings say.`,
        "Give this terminal the server's DATABASE_URL and other settings, or put them into .env, which both read.",
      );
    case 'tidings':
      return ok(`A server answers at ${url}.`);
    case 'something else':
      return problem(`Something else than Tidings answers at ${url}.`, 'Set PORT to another port.');
    case 'port not known':
      return note('PORT is 0: whether a server runs cannot be seen from here.');
    case 'nothing':
      return note(
        `No server answers at ${url}.`,
        'npm start starts one. If yours is on another port, set PORT here too.',
      );
  }
}
