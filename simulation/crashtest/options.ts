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
  isJson: boolean;
}

const usage = `npm run crashtest -- [options]
  --kills N            so many (50) on each database
  --database D         sqlite, postgres or both; what there is, if left out
  --processes N        so many (4) on one database at a time
  --newsletter N       one run of a newsletter for so many people, whose processes (2) are killed along the way (10 times)
  --images N           no kills: so many crash-consistent copies of a SQLite database, each reopened and checked
  --seed S             for what is drawn by lot (drawn itself, if left out); the instants depend on the machine and do not come again
  --json               the result as a line of JSON for each database, and everything else on stderr
Without options it takes about five minutes on two cores. For two of these it only waits, after the last kill: what a
killed process held is taken over when its lease ends.`;
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
  const isNewsletter = newsletter !== undefined;
  return {
    newsletter,
    kills: wholeNumber('kills', values.kills) ?? (isNewsletter ? 10 : 50),
    processes: wholeNumber('processes', values.processes) ?? (isNewsletter ? 2 : 4),
    seed: wholeNumber('seed', values.seed) ?? 1 + Math.floor(Math.random() * 1e9),
    database,
    images: wholeNumber('images', values.images),
    isJson: values.json ?? false,
  };
}
