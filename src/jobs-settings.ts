import { parseUrl } from './std/url.ts';
import type { Variable } from './variable.ts';

/** The settings of a deployment of many processes: queues on Redis, and how much each process takes from them. */
export interface JobsConfig {
  readonly jobsEnabled: boolean;
  readonly jobsConcurrency: number;
  /** Empty where it is not set. */
  readonly redisUrl: string;
  readonly redisPassword: string;
  readonly bullmqPrefix: string;
}

export const jobsVariables = {
  jobsEnabled: {
    name: 'JOBS_ENABLED',
    default: 'false', // 002-P2-05
    meaning:
      'With `true`, work is shared by all processes through queues on the Redis of `REDIS_URL`; with `false`, each process looks into the database by itself, and needs no Redis.',
    read: (text) =>
      text === 'true' || text === 'false' ? { value: text === 'true' } : { mustBe: 'true or false' },
  } as Variable<boolean>,
  jobsConcurrency: {
    name: 'JOBS_CONCURRENCY',
    default: '5', // 002-P2-06
    meaning: 'Jobs of a queue that a process works at at once; each sends a batch of mails.',
    read: (text) => {
      const value = Number(text);
      return Number.isInteger(value) && value >= 1 && value <= 100
        ? { value }
        : { mustBe: 'a whole number from 1 to 100' };
    },
  } as Variable<number>,
  redisUrl: {
    name: 'REDIS_URL',
    default: '',
    meaning:
      'The Redis (or Valkey) for the queues: `redis://host:6379`, `rediss://…` for TLS. It must be set to `maxmemory-policy noeviction`.',
    isSecret: true,
    read: (text) =>
      text === '' || (parseUrl(text) && /^rediss?:\/\/\S+$/.test(text))
        ? { value: text }
        : {
            mustBe:
              'redis://host:6379 or rediss://host:6379, with special characters of a password percent-encoded',
          },
  } as Variable<string>,
  redisPassword: {
    name: 'REDIS_PASSWORD',
    default: '',
    meaning: 'Password of that Redis, for who keeps it out of the URL.',
    isSecret: true,
    read: (text) => ({ value: text }),
  } as Variable<string>,
  bullmqPrefix: {
    name: 'BULLMQ_PREFIX',
    default: 'transparenta:jobs', // 002-P2-11
    meaning: 'What the names of the queues’ keys begin with, so that several deployments can share a Redis.',
    read: (text) =>
      /^[A-Za-z0-9_:-]{1,100}$/.test(text) ? { value: text } : { mustBe: 'letters, digits, _, - and : only' },
  } as Variable<string>,
} satisfies { [Key in keyof JobsConfig]: Variable<JobsConfig[Key]> };
