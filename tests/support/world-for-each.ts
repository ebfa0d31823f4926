import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';

interface Closable {
  close(): unknown;
}

/**
 * What tests stand on, said in one line: `const world = worldForEach(() => createWorld(dialect))`. It is made before every test and
 * closed after it. What is answered is one object for all of them, empty at first and filled anew each time, so that `world.db` is
 * always that of the test which is running; nothing may be taken out of it while tests are only being named.
 */
export function worldForEach<W extends Closable>(make: () => Promise<W>): W {
  const world = madeForEach(make);
  afterEach(() => isMade(world) && world.close());
  return world;
}

/** One world for all tests of a file or a `describe`. `close` is for those who look at something before it is gone. */
export function worldForAll<W extends Closable>(
  make: () => Promise<W>,
  close: (world: W) => unknown = (world) => world.close(),
): W {
  const world = madeForAll(make);
  afterAll(() => isMade(world) && close(world));
  return world;
}

/** What needs no end of its own, because the world that it is of ends it. */
export function madeForEach<T extends object>(make: () => Promise<T>): T {
  const made = {} as T;
  beforeEach(() => fill(made, make));
  return made;
}

export function madeForAll<T extends object>(make: () => Promise<T>): T {
  const made = {} as T;
  beforeAll(() => fill(made, make));
  return made;
}

async function fill<T extends object>(made: T, make: () => Promise<T>): Promise<void> {
  for (const name of Object.keys(made)) delete made[name as keyof T];
  // Not by assigning: what is read anew each time it is asked for (`get`) stays so.
  Object.defineProperties(made, Object.getOwnPropertyDescriptors(await make()));
}

/** One that could not be made has said why, and has nothing to close. */
const isMade = (world: object) => 'close' in world;
