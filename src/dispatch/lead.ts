/**
 * How long it takes from a permit until the first mail of a batch could leave: a claim, a template, a transaction, on a machine that may be
 * busy. Slots before that would be missed, so that they are not asked for.
 */
export interface Lead {
  readonly ms: number;
  learn(tookMs: number): void;
}

/** Half of what is given away ahead: whoever needs longer than that misses some, and asks for others. */
const mostMs = 500;
/** As TCP has it for its time-outs: by and by, and the more uneven, the more is added. */
const share = 1 / 8;
const deviations = 2;

export function createLead(): Lead {
  let meanMs = 0;
  let deviationMs = 0;
  return {
    get ms() {
      return Math.min(mostMs, meanMs + deviations * deviationMs);
    },
    learn(tookMs) {
      deviationMs += (Math.abs(tookMs - meanMs) - deviationMs) * share;
      meanMs += (tookMs - meanMs) * share;
    },
  };
}
