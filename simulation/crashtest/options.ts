import { readOptions, refuse, suggestion, wholeNumber } from '../options.ts';

export interface CrashOptions {
  kills: number;
  processes: number;
  seed: number;
  /** What there is, if undefined. */
  database: 'sqlite' | 'postgres' | 'both' | undefined;
  /** So many images, and no kills. */
  images: number | undefined;
  /** One run of a newsletter for so many people. */
  newsletter: number | undefined;
  /** Many processes on PostgreSQL and Redis. */
  isDeployment: boolean;
  /** Of a deployment: for so many intents, with a provider that lets so many requests a second pass. */
  intents: number;
  limit: number;
  /** All, if undefined. */
  part: DeploymentPart | undefined;
  isJson: boolean;
}

const parts = ['steady', 'slow', 'faults'] as const;
export type DeploymentPart = (typeof parts)[number];

const usage = `npm run crashtest -- [options]
  --kills N            so many (50) on each database
  --database D         sqlite, postgres or both; what there is, if left out
  --processes N        so many (4) on one database at a time
  --newsletter N       one run of a newsletter for so many people, whose processes (2) are killed along the way (10 times)
  --deployment         PostgreSQL, Redis and several workers (--processes, 6) with a provider that enforces a limit: without faults at that limit
                       and at 2 a second; then while Redis is flushed and killed, workers are killed (--kills, 3) and stopped for longer
                       than a lease, and PostgreSQL is restarted
  --intents N          of a deployment: so many (50,000)
  --limit N            of a deployment: so many requests a second (100); this machine must be able to send faster than that
  --part P             of a deployment, only this: steady, slow or faults
  --images N           no kills: so many crash-consistent copies of a SQLite database, each reopened and checked
  --seed S             for what is drawn by lot (drawn itself, if left out); the instants depend on the machine and do not come again
  --json               the result as a line of JSON for each database, and everything else on stderr
Without options it takes about five minutes on two cores. For two of these it only waits, after the last kill: what a
killed process held is taken over when its lease ends. A deployment of 50,000 intents takes about ten minutes.`;
const databases = ['sqlite', 'postgres', 'both'] as const;

/** Read before any server is started, by scripts/crashtest.mjs, and once more by the test itself. */
export function readCrashOptions(): CrashOptions {
  const values = readOptions(usage, {
    kills: { type: 'string' },
    processes: { type: 'string' },
    seed: { type: 'string' },
    database: { type: 'string' },
    images: { type: 'string' },
    newsletter: { type: 'string' },
    deployment: { type: 'boolean' },
    intents: { type: 'string' },
    limit: { type: 'string' },
    part: { type: 'string' },
    json: { type: 'boolean' },
  });
  const database = databases.find((name) => name === values.database);
  if (values.database !== undefined && database === undefined) {
    refuse(`--database needs sqlite, postgres or both.${suggestion(values.database, databases)}`);
  }
  const ofKills = (['kills', 'processes', 'database'] as const).find((name) => values[name] !== undefined);
  if (values.images !== undefined && ofKills !== undefined) {
    refuse(
      `--images is about copies of a SQLite database, without kills: leave out --${ofKills}, or run both one after the other.`,
    );
  }
  const newsletter = wholeNumber('newsletter', values.newsletter);
  if (newsletter !== undefined && values.images !== undefined) {
    refuse('--newsletter and --images are two tests: run one after the other.');
  }
  const isDeployment = values.deployment ?? false;
  const ofDeployment = (['intents', 'limit', 'part'] as const).find((name) => values[name] !== undefined);
  if (!isDeployment && ofDeployment !== undefined) {
    refuse(`--${ofDeployment} is of a deployment: add --deployment, or leave it out.`);
  }
  const notOfDeployment = (['images', 'newsletter', 'database'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (isDeployment && notOfDeployment !== undefined) {
    refuse(`--deployment is a test of its own, on PostgreSQL and Redis: leave out --${notOfDeployment}.`);
  }
  const part = parts.find((name) => name === values.part);
  if (values.part !== undefined && part === undefined) {
    refuse(`--part needs steady, slow or faults.${suggestion(values.part, parts)}`);
  }
  const usual = isDeployment
    ? { kills: 3, processes: 6 }
    : newsletter !== undefined
      ? { kills: 10, processes: 2 }
      : { kills: 50, processes: 4 };
  return {
    ...{ newsletter, isDeployment, part },
    intents: wholeNumber('intents', values.intents) ?? 50_000,
    limit: wholeNumber('limit', values.limit) ?? 100,
    kills: wholeNumber('kills', values.kills) ?? usual.kills,
    processes: wholeNumber('processes', values.processes) ?? usual.processes,
    seed: wholeNumber('seed', values.seed) ?? 1 + Math.floor(Math.random() * 1e9),
    database,
    images: wholeNumber('images', values.images),
    isJson: values.json ?? false,
  };
}
