import { evidenceEvents } from '../../src/domain/evidence.ts';
import { type Arrow, arrows } from '../../src/domain/lifecycle.ts';
import { type Meaning, meanings } from '../../src/domain/meanings.ts';
import { statuses, statusNames } from '../../src/domain/status.ts';

/** The life cycle as the pictures need it: which status follows which, and by what. */
export interface Lifecycle {
  statuses: Readonly<Record<string, StatusOnMap>>;
  moves: readonly Move[];
  /** Evidence reaches its status from every other one. */
  evidence: readonly { event: string; next: string }[];
}

export interface StatusOnMap {
  meaning: string;
  mailExists: string;
  /** What its colour means; there are four. */
  colour: Meaning;
}

export interface Move {
  from: string;
  to: string;
  events: readonly string[];
}

export const lifecycle: Lifecycle = {
  statuses: Object.fromEntries(
    statusNames.map((name) => [name, { ...statuses[name], colour: meanings[name] }]),
  ),
  moves: statusNames.flatMap((from) => {
    const row: [string, Arrow][] = Object.entries(arrows[from]);
    const targets = [...new Set(row.map(([, { to }]) => to))];
    return targets.map((to) => ({
      from,
      to,
      events: row.filter(([, arrow]) => arrow.to === to).map(([event]) => event),
    }));
  }),
  evidence: Object.entries(evidenceEvents).map(([event, { next }]) => ({ event, next })),
};
