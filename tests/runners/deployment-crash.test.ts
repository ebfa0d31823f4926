import { describe, expect, it } from 'vitest';
import { runFaulty } from '../../simulation/deployment/faulty.ts';
import { hasRedis } from '../support/redis-server.ts';
import { hasPostgres } from '../support/world.ts';

/** A little of `npm run crashtest -- --deployment`: its servers are shared here, and nobody can wait for leases of two minutes. */
describe.skipIf(!hasPostgres || !hasRedis)('two workers on PostgreSQL and Redis', () => {
  it('mail each intent once while Redis is flushed and killed, and one of them is killed', async () => {
    const order = { intents: 200, limit: 40, workers: 2, seed: 7, flushes: 1, kills: 1, stoppedForMs: null };
    const told: string[] = [];
    const result = await runFaulty({ ...order, isHurried: true }, (line) => told.push(line));
    expect(result.wrong, told.join('\n')).toEqual([]);
    expect(result).toMatchObject({ accepted: 200, twice: 0, lost: 0, stuck: 0 });
    expect(result.faults.map(({ fault }) => fault).sort()).toEqual([
      'Redis flushed',
      'Redis killed',
      'worker killed',
    ]);
  });
});
