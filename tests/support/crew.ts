import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childArguments } from './child-arguments.ts';
import { messageOf } from './message-of.ts';

/** Processes that have loaded the program and race as often as they are told to: they have nothing in common but a database. */
export interface Crew {
  /** One order for each. They begin together, when the last of them is ready, and each answers. */
  race(orders: readonly object[]): Promise<unknown[]>;
  /** Nobody gives orders any more; answers with what code each has ended by itself. */
  dismiss(): Promise<(number | null)[]>;
}

/** The file takes its orders with `takeOrders` of crew-member.mjs. */
export function createCrew(file: URL, size: number): Crew {
  const members = Array.from({ length: size }, () =>
    fork(fileURLToPath(file), [], { execArgv: [...childArguments] }),
  );
  const all = async (tell: (member: ChildProcess, index: number) => void) => {
    const said = members.map(messageOf);
    members.forEach(tell);
    return Promise.all(said);
  };
  return {
    async race(orders) {
      if (orders.length !== size) throw new Error(`${orders.length} orders for ${size} processes`);
      try {
        await all((member, index) => member.send(orders[index] as object));
        return await all((member) => member.send('go'));
      } catch (error) {
        // What one has left half done, the next race would come upon.
        for (const member of members) member.kill('SIGKILL');
        throw error;
      }
    },
    async dismiss() {
      return Promise.all(
        members.map(async (member) => {
          if (member.exitCode !== null || member.signalCode !== null) return member.exitCode;
          member.disconnect();
          const [code] = await once(member, 'exit');
          return code as number | null;
        }),
      );
    },
  };
}
