import { expect } from 'vitest';
import type { DialectName } from '../../src/db/dialect.ts';
import { worldForAll } from '../support/world-for-each.ts';
import type { Answered, Api } from './api-world.ts';
import {
  closeWithoutTokens,
  createSeatsApiWorld,
  post,
  type SeatsApiWorld,
  term,
} from './seats-api-world.ts';

/** The pages for students behind a real server, with a list that was asked for once, and students who watch by the form. */
export interface SeatsPagesWorld extends SeatsApiWorld {
  api: Api;
  /** An address that nobody had before. */
  somebody(): string;
  /** As a browser does, without a key. */
  get(path: string, headers?: Record<string, string>, server?: Api): Promise<Answered>;
  /** The token of a watch that waits for its confirmation. */
  watched(email?: string, index?: string): Promise<string>;
  confirmed(email?: string, index?: string): Promise<string>;
}

export const sectionPath = `/seats/${term}/09214`;
export const unknownToken = 'Z'.repeat(44);
export const noKeys = { operator: [], read: [], service: [] };
export const heading = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];

/** One for all tests of a file, which give out ten tokens at least, and none of them is in the log. */
export const seatsPagesForAll = (dialect: DialectName): SeatsPagesWorld =>
  worldForAll(
    () => createSeatsPagesWorld(dialect),
    (world) => closeWithoutTokens(world, 10),
  );

async function createSeatsPagesWorld(dialect: DialectName): Promise<SeatsPagesWorld> {
  const world = await createSeatsApiWorld(dialect);
  await world.poll();
  const api = await world.serveSeats();
  let people = 0;
  const somebody = () => {
    people += 1;
    return `student-${people}@example.org`;
  };
  const watched = async (email = somebody(), index = '09214'): Promise<string> => {
    expect((await post(api, `/seats/${term}/${index}`, { email })).status).toBe(303);
    return world.tokenOf(index);
  };
  return {
    ...world,
    ...{ api, somebody, watched },
    get: (path, headers = {}, server = api) => server.ask('GET', path, { key: null, headers }),
    async confirmed(email, index) {
      const token = await watched(email, index);
      expect((await post(api, `/seats/confirm/${token}`)).status).toBe(303);
      return token;
    },
  };
}
