import type { DialectName } from '../../src/db/dialect.ts';
import type { Status } from '../../src/domain/status.ts';
import { type Answered, type Api, type ApiWorld, createApiWorld } from './api-world.ts';

/** The list of those who get no mail, behind a real server. */
export interface SuppressionsWorld extends ApiWorld {
  api: Api;
  /** By an operator, because she asked. */
  add(addresses: string[], more?: object): Promise<Answered>;
  list(query?: string): Promise<Answered['json']>;
  statusOf(seq: number): Promise<Status | undefined>;
  /** Nobody is on the list, and nobody ever changed it. */
  clear(): Promise<void>;
}

export const path = '/api/v1/suppressions';
export const person = (number: number) => `person-${number}@example.org`;
export const entriesOf = (count: number) =>
  Array.from({ length: count }, (_, number) => ({ address: `listed-${number}@example.org` }));

export async function createSuppressionsWorld(dialect: DialectName): Promise<SuppressionsWorld> {
  const world = await createApiWorld(dialect);
  const api = await world.serve();
  return {
    ...{ ...world, api },
    add: (addresses, more = {}) =>
      api.ask('POST', path, { body: { addresses, because: 'she asked', ...more } }),
    list: async (query = '') => (await api.ask('GET', `${path}${query}`)).json,
    statusOf: async (seq) => (await world.queries.find(String(seq)))?.status,
    async clear() {
      await world.db.write.deleteFrom('suppressions').execute();
      await world.db.write.deleteFrom('audit_log').execute();
    },
  };
}
