/** What can be wrong with an answer of the sample campus: each for the next answers, or until it is switched off. */
export type Fault =
  /** `[]`, as of a term that nobody knows. */
  | { kind: 'empty' }
  /** A valid list that lacks some: `fraction` is what is left, always the same ones. */
  | { kind: 'partial'; fraction: number }
  /** The list of when it was switched on. */
  | { kind: 'stale' }
  | { kind: 'too_many_requests'; retryAfterSeconds?: number }
  | { kind: 'server_error'; status?: number }
  /** 200, and a page for people. */
  | { kind: 'html' }
  | { kind: 'slow'; ms: number }
  /** The connection ends in the middle of the answer. */
  | { kind: 'torn' };

export type FaultKind = Fault['kind'];

export interface FaultOrder {
  /** How many answers; without it until it is switched off. */
  answers?: number;
  /** Without it, `empty`, `partial` and `stale` are of the open list alone, and the others of both. */
  of?: Asked;
}

export type Asked = 'openSections' | 'courses';

export const faultKinds = [
  ...['empty', 'partial', 'stale', 'too_many_requests', 'server_error', 'html', 'slow', 'torn'],
] as readonly FaultKind[];

const ofTheList: readonly FaultKind[] = ['empty', 'partial', 'stale'];

export interface Faults {
  set(fault: Fault & FaultOrder): void;
  /** One kind, or all of them. */
  off(kind?: FaultKind): void;
  /** Those that this answer suffers from; each has one answer less to spoil. */
  take(asked: Asked): Partial<{ [Kind in FaultKind]: Extract<Fault, { kind: Kind }> }>;
  list(): (Fault & FaultOrder)[];
}

export function createFaults(): Faults {
  const faults = new Map<FaultKind, Fault & FaultOrder>();
  return {
    set: (fault) => void faults.set(fault.kind, { ...fault }),
    off(kind) {
      if (kind) faults.delete(kind);
      else faults.clear();
    },
    take(asked) {
      const taken = [...faults.values()].filter(
        ({ kind, of = ofTheList.includes(kind) ? 'openSections' : asked }) => of === asked,
      );
      for (const fault of taken) {
        if (fault.answers === undefined) continue;
        fault.answers -= 1;
        if (fault.answers <= 0) faults.delete(fault.kind);
      }
      return Object.fromEntries(taken.map((fault) => [fault.kind, fault]));
    },
    list: () => [...faults.values()].map((fault) => ({ ...fault })),
  };
}

/** Evenly over all indexes, and always the same: a list that lacks some lacks them again in its next answer. */
export function isInPart(indexNumber: string, fraction: number): boolean {
  return (Math.imul(Number(indexNumber) + 1, 0x9e3779b1) >>> 0) / 2 ** 32 < fraction;
}
