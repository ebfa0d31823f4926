import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** The processor time that a PostgreSQL on this machine has used, all of its processes together; null where it is somewhere else. */
export interface ServerCpu {
  usedMs(): number | null;
  /** So that nobody pays for what another has written. */
  checkpoint(): Promise<void>;
  close(): Promise<void>;
}

export async function watchPostgres(url: string): Promise<ServerCpu> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number; version: string }>('SELECT pg_backend_pid() AS pid');
  const main = statOf(rows[0]?.pid ?? 0)?.parent;
  // Another machine's process of that number is no server.
  const isHere = main !== undefined && /postgres/.test(commandOf(main));
  return {
    usedMs: () => (isHere ? usedBy(main) : null),
    async checkpoint() {
      await client.query('CHECKPOINT');
    },
    close: () => client.end(),
  };
}

/** Those that have ended are counted by the one that waited for them. */
function usedBy(main: number): number {
  const own = statOf(main);
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === main);
  const ticks = children.reduce((sum, stat) => sum + (stat?.ownTicks ?? 0), 0);
  return (ticks + (own?.ownTicks ?? 0) + (own?.endedTicks ?? 0)) * tickMs;
}

/** Linux has had 100 in a second for as long as /proc says so in ticks. */
const tickMs = 10;

interface Stat {
  parent: number;
  ownTicks: number;
  endedTicks: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map((at) =>
      Number(fields[at]),
    );
    return { parent, ownTicks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    return undefined; // Gone since it was listed, or a system without /proc.
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return '';
  }
}
