import type { DialectName } from '../../src/db/dialect.ts';
import { type CivicContract, createCivicContract } from '../contracts/civic-contract-world.ts';
import { type Answered, type CivicServer, serveCivic } from '../contracts/civic-server.ts';
import { monthly } from '../newsletters/civic-world.ts';
import { keys } from './api-world.ts';
import { path } from './notifications-world.ts';

/** Runs behind a real server, with citizens who follow town halls and a provider that takes their mails. */
export interface RunsApi extends CivicContract {
  server: CivicServer;
  /** By the key that is for runs, unless another is given. */
  ask(method: string, rest: string, body?: unknown, key?: string | null): Promise<Answered>;
  order(more?: object): Promise<Answered>;
  plan(more?: object): Promise<Answered>;
  change(verb: 'pause' | 'resume' | 'cancel', runId: string, reason?: string): Promise<Answered>;
  show(runId: string): Promise<Answered['body']>;
  sentTo(): string[];
}

export const [triggerKey] = keys.trigger;
export { keys };

export async function createRunsApi(dialect: DialectName): Promise<RunsApi> {
  const world = await createCivicContract(dialect);
  const server = await serveCivic(world, keys);
  const ask: RunsApi['ask'] = (method, rest, body, key = triggerKey) =>
    server.ask(method, `${path}${rest}`, {
      ...(body !== undefined && { body }),
      ...(key !== null && { headers: { 'x-notification-api-key': key } }),
    });
  return {
    ...world,
    ...{ server, ask },
    order: (more = {}) => ask('POST', '/trigger', { notificationType: monthly, ...more }),
    plan: (more = {}) => ask('POST', '/plans', { notificationType: monthly, ...more }),
    change: (verb, runId, reason = 'the text is wrong') =>
      ask('POST', `/runs/${runId}/${verb}`, { reason, by: 'ana' }),
    show: async (runId) => (await ask('GET', `/runs/${runId}`)).body,
    sentTo: () => world.provider.ledger.map(({ mail }) => mail.to as string).sort(),
    async close() {
      await server.close();
      await world.close();
    },
  };
}
