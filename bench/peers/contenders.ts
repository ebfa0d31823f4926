import type { GoalName } from '../report/goals.ts';
import type { ContenderOrder, Work } from './contender.ts';

/** Who is measured, in the order of a round. What each setting is, and why, is said in the file of its kind. */
export interface Entry extends Pick<ContenderOrder, 'kind' | 'setting' | 'work'> {
  name: string;
  database: 'PostgreSQL' | 'SQLite';
  /** The goals that are a ratio of the engine on the same database to this one. */
  goal?: GoalName;
}

export const engines: readonly Entry[] = [
  { name: 'Tidings on PostgreSQL', kind: 'engine', setting: '', work: 'everything', database: 'PostgreSQL' },
  { name: 'Tidings on SQLite', kind: 'engine', setting: '', work: 'everything', database: 'SQLite' },
];

export const control: Entry = {
  ...{ name: 'bare loop: posts, and records nothing', kind: 'bare-loop', setting: '' },
  ...{ work: 'status', database: 'PostgreSQL' },
};

const queues = [
  { name: 'graphile-worker, default', kind: 'graphile-worker', setting: 'default', goal: 'graphile-worker' },
  {
    name: 'graphile-worker, batch jobs',
    kind: 'graphile-worker',
    setting: 'batched',
    goal: 'graphile-worker-batched',
  },
  {
    name: 'graphile-worker, tuned',
    kind: 'graphile-worker',
    setting: 'tuned',
    goal: 'graphile-worker-tuned',
  },
  { name: 'pg-boss, fetch loop', kind: 'pg-boss', setting: 'fetch loop', goal: 'pg-boss' },
  { name: 'pg-boss, tuned', kind: 'pg-boss', setting: 'tuned', goal: 'pg-boss-tuned' },
  { name: 'BullMQ', kind: 'bullmq', setting: 'default', goal: 'bullmq' },
  { name: 'BullMQ, tuned', kind: 'bullmq', setting: 'tuned', goal: 'bullmq-tuned' },
] as const;

/** Beside those who store only the status, there is a goal for the plain ones; the tuned ones are shown. */
const plain = ['graphile-worker', 'pg-boss', 'bullmq'] as const;

const onPostgres = queues.flatMap(({ goal, ...queue }): Entry[] => {
  const isPlain = (plain as readonly string[]).includes(goal);
  return [
    { ...queue, database: 'PostgreSQL', work: 'everything', goal: `everything/${goal}` },
    {
      ...{ ...queue, database: 'PostgreSQL', work: 'status' },
      ...(isPlain && { goal: `status/${goal as (typeof plain)[number]}` }),
    },
  ];
});

const onSqlite = (['NORMAL', 'FULL'] as const).flatMap((setting): Entry[] => {
  const common = { name: `plainjob at ${setting}`, kind: 'plainjob', setting, database: 'SQLite' } as const;
  const goal = setting === 'FULL' ? 'sqlite/plainjob-full' : 'sqlite/plainjob-normal';
  return [
    { ...common, work: 'everything' },
    { ...common, work: 'status', goal },
  ];
});

export const peers: readonly Entry[] = [...onPostgres, ...onSqlite];

export function groupOf({ database, kind, work }: Entry): string {
  if (kind === 'bare-loop') return 'control';
  return kind === 'engine' ? database : `${database}, ${workNames[work]}`;
}

const workNames: Record<Work, string> = { everything: 'the same durable work', status: 'status row only' };
