import type { Engine } from '../engine.ts';
import type { Config } from '../settings.ts';
import type { LocalUsers } from '../sources/newsletters/users/local-users.ts';
import { withChange } from './change.ts';
import { type Context, type EngineWork, withEngine } from './context.ts';

/** The users of our own, for one command, which says so if it changes them; whoever changes them while Clerk is asked is told that it changes nothing. */
export function withLocalUsers<T>(
  context: Context,
  work: (users: LocalUsers, engine: Engine) => Promise<T>,
  { isChange }: { isChange: boolean },
): Promise<T> {
  const within: EngineWork<T> = async (engine, config) => {
    const { createLocalUsers } = await import('../sources/newsletters/users/local-users.ts');
    const done = await work(createLocalUsers(engine), engine);
    if (isClerkAsked(config) && !context.asked.isForProgram)
      context.terminal.print('CLERK_SECRET_KEY is set: addresses are asked of Clerk, not of these.');
    return done;
  };
  return isChange ? withChange(context, within) : withEngine(context, within);
}

const isClerkAsked = ({ clerkSecretKey }: Config) => clerkSecretKey !== '';
