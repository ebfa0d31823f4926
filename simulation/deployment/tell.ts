import { once } from 'node:events';
import { plainPolicy } from '../../src/domain/policy.ts';
import { hasRedis } from '../../tests/support/redis-server.ts';
import { hasPostgres } from '../../tests/support/world.ts';
import type { CrashOptions, DeploymentPart } from '../crashtest/options.ts';
import { counted } from '../options.ts';
import { sentences } from './faults.ts';
import { type FaultyResult, runFaulty } from './faulty.ts';
import { runSteady, type SteadyResult } from './steady.ts';

/** The parts of the test of a deployment, one after the other, each with a line of what came of it. */
type Options = Pick<CrashOptions, 'intents' | 'limit' | 'processes' | 'kills' | 'seed' | 'part' | 'isJson'>;

/** What Resend allows who has not asked for more. */
const slow = { limit: 2, intents: 120 };
const flushes = 2;
/** Longer than any lease of these intents. */
const stoppedForMs = plainPolicy.leaseMs + 10_000;

export async function tellDeployment(options: Options): Promise<void> {
  if (!hasPostgres || !hasRedis) {
    const { TIDINGS_POSTGRES_MISSING: postgres, TIDINGS_REDIS_MISSING: redis } = process.env;
    console.error(`deployment: not run. ${postgres ?? redis ?? 'Start this with npm run crashtest.'}`);
    process.exitCode = 1;
    return;
  }
  const { intents, limit, processes: workers, kills, seed, part } = options;
  const isAsked = (name: DeploymentPart) => part === undefined || part === name;
  if (isAsked('steady')) await steady({ intents, limit, workers, seed }, 'steady', options);
  if (isAsked('slow'))
    await steady({ ...slow, intents: Math.min(slow.intents, intents), workers, seed }, 'slow', options);
  if (!isAsked('faults')) return;
  const order = { intents, limit, workers, seed, flushes, kills, stoppedForMs, restartPostgres };
  const result = await runFaulty(order, (line) => console.error(`faults: ${line}`));
  tell('faults', { intents, limit, workers, seed, ...result }, options, faultyLine(result));
}

async function steady(
  order: Parameters<typeof runSteady>[0],
  name: DeploymentPart,
  options: Options,
): Promise<void> {
  const result = await runSteady(order, (line) => console.error(`${name}: ${line}`));
  tell(name, { ...order, ...result }, options, steadyLine(result, order.intents));
}

const steadyLine = (result: SteadyResult, intents: number) =>
  `${result.perSecond.toFixed(result.limit < 10 ? 2 : 0)} a second, ${((100 * result.perSecond) / result.limit).toFixed(1)} % of the limit; ` +
  `${result.throttled} of ${counted(result.requests, 'request')} met a 429, ${result.attemptsBurnt} attempts burnt, ` +
  `${(result.claims / intents).toFixed(3)} claims each`;

function faultyLine({ faults, unheard, repeats, throttled, requests, cutOff }: FaultyResult): string {
  const felt = faults.map(({ fault, recoveredMs, leftMs }) =>
    recoveredMs === null
      ? `${sentences[fault]}: not recovered in the ${seconds(leftMs)} that were left`
      : `${sentences[fault]}: ${recoveredMs === 0 ? 'not felt' : `recovered after ${seconds(recoveredMs)}`}`,
  );
  return (
    `${counted(unheard, 'mail')} accepted with nobody left to hear it, ${counted(repeats, 'mail')} submitted again under the same key, ` +
    `${throttled} of ${counted(requests, 'request')} met a 429, ${counted(cutOff, 'question')} cut off\n  ${felt.join('\n  ')}`
  );
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

interface Told {
  intents: number;
  limit: number;
  workers: number;
  seed: number;
  accepted: number;
  twice: number;
  lost: number;
  stuck: number;
  wrong: string[];
  ms: number;
  remains: string | null;
}

function tell(name: DeploymentPart, result: Told, { isJson }: Options, line: string): void {
  const { wrong, remains, ...figures } = result;
  const { intents, limit, workers, seed, accepted, twice, lost, stuck, ms } = figures;
  if (isJson) process.stdout.write(`${JSON.stringify({ part: name, ...figures, wrong: wrong.length })}\n`);
  else {
    process.stdout.write(
      `${name}: ${counted(intents, 'intent')}, ${accepted} accepted, ${twice} twice, ${lost} lost, ${stuck} stuck; ` +
        `${counted(workers, 'worker')}, a limit of ${limit} a second, in ${Math.round(ms / 1000)} s; seed ${seed}; ${line}\n`,
    );
  }
  if (wrong.length === 0) return;
  for (const sentence of wrong.slice(0, 20)) console.error(`${name}: ${sentence}`);
  if (wrong.length > 20) console.error(`${name}: and ${wrong.length - 20} more`);
  console.error(`${name}: rows that went astray and logs are kept in ${remains}`);
  process.exitCode = 1;
}

/** Whoever started this process has started the server, too: scripts/crashtest.mjs. */
async function restartPostgres(): Promise<void> {
  if (!process.send) throw new Error('nobody can restart PostgreSQL; start this with npm run crashtest');
  process.send('restart PostgreSQL');
  const [answer] = (await once(process, 'message')) as [{ problem?: string }];
  if (answer.problem !== undefined) throw new Error(answer.problem);
}
