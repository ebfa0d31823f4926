/**
 * What Tidings should reach, as ratios in one interleaved run and with everything on. A bench says what it measured by the name of the
 * goal; the table, its verdicts and docs/performance.md come from here.
 */
export interface Goal {
  /** Which bench measures it. */
  bench: string;
  row: string;
  /** Beside whom, or of what. */
  of: string;
  /** Either of the two. */
  atLeast?: number;
  atMost?: number;
  unit: '×' | '/s' | 'ms' | 'MB';
}

const everything = {
  bench: 'throughput',
  row: 'PostgreSQL, claimable → recorded, peers doing the same durable work (POST, status row, event row, stored body)',
  unit: '×',
} as const;
const status = {
  bench: 'throughput',
  row: 'the same beside peers that store only the status row',
  unit: '×',
} as const;
const sqlite = { bench: 'throughput', row: 'SQLite, synchronous=FULL', unit: '×' } as const;
const bare = {
  bench: 'throughput',
  row: 'engine ÷ a bare loop that only posts to the same server from one process',
  unit: '×',
} as const;
const enqueue = { bench: 'enqueue', row: 'enqueue, batch and single' } as const;
const fanOut = { bench: 'fan-out', row: 'fan-out, one event to 100,000 subscribers', unit: '×' } as const;
const claim = {
  bench: 'claim',
  row: 'claim of 500: 1,000 vs 1,000,000 waiting; 0 vs 1,000,000 finished',
  unit: '×',
} as const;
const flat = { bench: 'flat', row: 'CPU per delivery, memory, from 1,000 to 1,000,000 deliveries' } as const;
const latency = { bench: 'latency', row: 'provider latency 100 ms, one process' } as const;
const startUp = { bench: 'start-up', row: 'start-up', unit: 'ms' } as const;

export const goals = {
  'everything/graphile-worker': { ...everything, of: 'graphile-worker, default', atLeast: 5 },
  'everything/bullmq': { ...everything, of: 'BullMQ', atLeast: 3 },
  'everything/pg-boss': { ...everything, of: 'pg-boss, fetch loop', atLeast: 2 },
  'everything/graphile-worker-batched': { ...everything, of: 'graphile-worker, batch jobs', atLeast: 1.2 },
  'everything/graphile-worker-tuned': { ...everything, of: 'graphile-worker, tuned', atLeast: 1.2 },
  'everything/pg-boss-tuned': { ...everything, of: 'pg-boss, tuned', atLeast: 1.2 },
  'everything/bullmq-tuned': { ...everything, of: 'BullMQ, tuned', atLeast: 1.2 },
  'status/graphile-worker': { ...status, of: 'graphile-worker, default', atLeast: 4 },
  'status/bullmq': { ...status, of: 'BullMQ + UPDATE', atLeast: 2 },
  'status/pg-boss': { ...status, of: 'pg-boss, fetch loop', atLeast: 1.5 },
  'sqlite/plainjob-normal': { ...sqlite, of: 'plainjob at NORMAL, status row only', atLeast: 2 },
  'sqlite/plainjob-full': { ...sqlite, of: 'plainjob at FULL, status row only', atLeast: 5 },
  'bare/postgres': { ...bare, of: 'PostgreSQL', atLeast: 0.25 },
  'bare/sqlite': { ...bare, of: 'SQLite', atLeast: 0.4 },
  compose: {
    ...{ bench: 'compose', row: 'compose (real templates, html + text), byte-identical output' },
    ...{ of: "React Email's own render", atLeast: 20, unit: '×' },
  },
  'enqueue/batch-sqlite': { ...enqueue, of: 'batch, SQLite', atLeast: 50_000, unit: '/s' },
  'enqueue/batch-postgres': { ...enqueue, of: 'batch, PostgreSQL', atLeast: 30_000, unit: '/s' },
  'enqueue/single': { ...enqueue, of: "single ÷ graphile-worker's add_job", atLeast: 2, unit: '×' },
  'fan-out/sqlite': { ...fanOut, of: 'time ÷ a bare INSERT … SELECT of the same rows, SQLite', atMost: 2 },
  'fan-out/postgres': {
    ...fanOut,
    of: 'time ÷ a bare INSERT … SELECT of the same rows, PostgreSQL',
    atMost: 2,
  },
  'claim/waiting-sqlite': { ...claim, of: 'waiting, SQLite', atMost: 1.3 },
  'claim/finished-sqlite': { ...claim, of: 'finished, SQLite', atMost: 1.3 },
  'claim/waiting-postgres': { ...claim, of: 'waiting, PostgreSQL', atMost: 2 },
  'claim/finished-postgres': { ...claim, of: 'finished, PostgreSQL', atMost: 2 },
  // "Flat", with room for the noise of a machine and a B-tree's next level.
  'flat/cpu-sqlite': { ...flat, of: 'CPU of one, last ÷ first, SQLite', atMost: 1.2, unit: '×' },
  'flat/cpu-postgres': { ...flat, of: 'CPU of one, last ÷ first, PostgreSQL', atMost: 1.2, unit: '×' },
  'flat/memory-sqlite': { ...flat, of: 'resident memory, SQLite', atMost: 250, unit: 'MB' },
  'flat/memory-postgres': { ...flat, of: 'resident memory, PostgreSQL', atMost: 250, unit: 'MB' },
  'latency/grows': { ...latency, of: 'least growth as connections double', atLeast: 1.2, unit: '×' },
  'latency/most': { ...latency, of: 'with 512 connections', atLeast: 4_000, unit: '/s' },
  'start-up/version': { ...startUp, of: '`tidings --version`', atMost: 100 },
  'start-up/serve': { ...startUp, of: '`tidings serve` ready', atMost: 700 },
} as const satisfies Record<string, Goal>;

export type GoalName = keyof typeof goals;

/** In the order of the table. `npm run bench` runs these, one after the other. */
export const benches: readonly string[] = [...new Set(Object.values(goals).map(({ bench }) => bench))];
