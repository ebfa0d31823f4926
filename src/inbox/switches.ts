import type { Database } from '../db/database.ts';
import { type ChaosSwitch, chaosNames, type SwitchesOn } from '../providers/chaos.ts';
import type { Clock } from '../std/clock.ts';

/**
 * What the built-in inbox is told to do wrong, in the database, because several processes share it. Each is on for a time and then ends by
 * itself: nobody has to remember. Where a deployment is in production nothing can be switched on, and nothing that is on counts.
 */
export interface Switches {
  /** Whether anything can be switched on here. */
  readonly isAllowed: boolean;
  on(): Promise<SwitchesOn>;
  list(): Promise<SwitchNow[]>;
  turnOn(name: ChaosSwitch, order: { forMs: number; by: string }): Promise<void>;
  turnOff(name: ChaosSwitch): Promise<void>;
}

export interface SwitchNow {
  name: ChaosSwitch;
  /** Null where it is off. */
  onUntil: number | null;
  by: string | null;
}

export const switchMinutesMax = 24 * 60;
export const switchMinutesByDefault = 10;

/** The name of a deployment in which nobody plays. */
const production = 'production';

export interface SwitchesParts {
  db: Database;
  clock: Clock;
  environment: string;
}

export function createSwitches({ db, clock, environment }: SwitchesParts): Switches {
  const isAllowed = environment !== production;

  const rows = async () =>
    isAllowed
      ? db.read
          .selectFrom('inbox_switches')
          .select(['name', 'on_until', 'set_by'])
          .where('on_until', '>', clock.now())
          .execute()
      : [];

  return {
    isAllowed,
    on: async () => new Set((await rows()).map(({ name }) => name as ChaosSwitch)),

    async list() {
      const known = new Map((await rows()).map((row) => [row.name, row]));
      return chaosNames.map((name) => {
        const row = known.get(name);
        return { name, onUntil: row?.on_until ?? null, by: row?.set_by ?? null };
      });
    },

    async turnOn(name, { forMs, by }) {
      const now = clock.now();
      const values = { on_until: now + forMs, set_by: by, set_at: now };
      await db.write
        .insertInto('inbox_switches')
        .values({ name, ...values })
        .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
        .execute();
    },

    async turnOff(name) {
      await db.write.deleteFrom('inbox_switches').where('name', '=', name).execute();
    },
  };
}
