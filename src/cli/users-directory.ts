import type { Engine } from '../engine.ts';
import type { Config } from '../settings.ts';
import type { LocalUsers } from '../sources/newsletters/users/local-users.ts';
import { withEngine } from './context.ts';
import type { Terminal } from './terminal.ts';

/** The users of our own, for one command; whoever changes them while Clerk is asked is told that it changes nothing. */
export function withLocalUsers<T>(
  terminal: Terminal | undefined,
  work: (users: LocalUsers, engine: Engine) => Promise<T>,
): Promise<T> {
  return withEngine(async (engine, config) => {
    const { createLocalUsers } = await import('../sources/newsletters/users/local-users.ts');
    const done = await work(createLocalUsers(engine), engine);
    if (isClerkAsked(config))
      terminal?.print('CLERK_SECRET_KEY is set: addresses are asked of Clerk, not of these.');
    return done;
  });
}

const isClerkAsked = ({ clerkSecretKey }: Config) => clerkSecretKey !== '';
