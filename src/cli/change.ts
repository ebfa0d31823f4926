import { hostname } from 'node:os';
import type { Engine } from '../engine.ts';
import type { Config } from '../settings.ts';
import { type Context, type EngineWork, withEngine } from './context.ts';
import { operatorName } from './operator.ts';
import { withoutPasswords } from './redact.ts';

/**
 * What a command changes is in the audit log, as what the API changes is: who typed it and where, the command with its arguments and
 * options, the reason if it takes one, and what came of it. Every command that changes something works through here, and one that
 * only looks or only counts through `withEngine`. The line is written first: where it cannot be, nothing is changed.
 */
export async function withChange<T>(
  context: Context,
  work: EngineWork<T>,
  { isDryRun = false, ...options }: { isDryRun?: boolean; mayMakeDatabase?: boolean } = {},
): Promise<T> {
  if (isDryRun) return withEngine(context, work, options);
  const [{ createAudit }, { systemIds }] = await Promise.all([
    import('../audit/audit.ts'),
    import('../std/ids.ts'),
  ]);
  const changing: EngineWork<T> = (engine: Engine, config: Config, log) => {
    const audit = createAudit({ db: engine.db, clock: engine.clock, log });
    const { verb, details, reason } = context.asked;
    const line = { who: operatorAtHost(), verb, details: tidied(details), reason, traceId: systemIds.uuid() };
    return audit.changing(
      line,
      () => work(engine, config, log),
      () => (context.exitCode === 0 ? 'done' : 'not all done'),
    );
  };
  return withEngine(context, changing, options);
}

/** On one machine a name is enough; a database is changed from many. */
const operatorAtHost = () => `${operatorName()}@${hostname()}`;

/** The address of a database may hold a password. */
function tidied(value: unknown): unknown {
  if (typeof value === 'string') return withoutPasswords(value);
  if (Array.isArray(value)) return value.map(tidied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, tidied(one)]));
}
