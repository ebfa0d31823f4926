import type { WatchedRow } from './promises.ts';
import type { Watched } from './stage.ts';

/** Who keeps an eye on the tables of a real source, in the runs that have one: beside the watch, which sees deliveries only. */
export interface SideWatch {
  /** After a commit, with what it has written to and the deliveries as they were and are. */
  look(
    written: ReadonlySet<Watched>,
    rowsBefore: readonly WatchedRow[],
    rows: readonly WatchedRow[],
  ): Promise<void>;
}
