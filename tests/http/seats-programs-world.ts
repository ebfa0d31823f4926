import { expect } from 'vitest';
import type { DialectName } from '../../src/db/dialect.ts';
import { type Answered, type Api, keys } from './api-world.ts';
import { createSeatsApiWorld, type SeatsApiWorld, term } from './seats-api-world.ts';

/** Course seats as programs ask for them, with a list that was asked for once. */
export interface SeatsProgramsWorld extends SeatsApiWorld {
  api: Api;
  /** What asks for a watch, by an address that nobody had before. */
  order(more?: object): { email: string; index: string };
  subscribe(body: object): Promise<Answered>;
  /** Without a key: the token is the proof. */
  byToken(method: string, token: string, rest?: string, body?: object): Promise<Answered>;
  /** The token of a watch that waits for its confirmation. */
  watched(more?: object): Promise<string>;
}

export const path = '/api/v1/seats';
export const service = { key: keys.service[0] };

export async function createSeatsProgramsWorld(dialect: DialectName): Promise<SeatsProgramsWorld> {
  const world = await createSeatsApiWorld(dialect);
  await world.poll();
  const api = await world.serveSeats();
  let people = 0;
  const order = (more: object = {}) => {
    people += 1;
    return { term, campus: 'NB', index: '09214', email: `student-${people}@example.org`, ...more };
  };
  const subscribe = (body: object) => api.ask('POST', `${path}/subscriptions`, { ...service, body });
  return {
    ...world,
    ...{ api, order, subscribe },
    byToken: (method, token, rest = '', body = undefined) =>
      api.ask(method, `${path}/subscriptions/${token}${rest}`, { key: null, ...(body && { body }) }),
    async watched(more = {}) {
      const { json, status } = await subscribe(order(more));
      expect(status).toBe(201);
      return json.token;
    },
  };
}
