/** What is left out of a run: whole steps, and single faults by their step and number in it. */
export interface Cut {
  steps: ReadonlySet<number>;
  faults: ReadonlySet<string>;
}

export const nothingCut: Cut = { steps: new Set(), faults: new Set() };

/** As options of the command line. */
export function optionsOf({ steps, faults }: Cut): string {
  const of = (name: string, values: ReadonlySet<unknown>) =>
    values.size === 0 ? '' : ` --${name} ${[...values].join(',')}`;
  return of('without-steps', steps) + of('without-faults', faults);
}

/** The other way round. Null where this is no list of steps, `3,7`, or of faults by their step and number, `12.1`. */
export function cutOf({
  steps,
  faults,
}: {
  steps?: string | undefined;
  faults?: string | undefined;
}): Cut | null {
  const parts = (text: string | undefined) => text?.split(',') ?? [];
  const isRight =
    parts(steps).every((step) => /^[1-9]\d*$/.test(step)) &&
    parts(faults).every((fault) => /^\d+\.[1-9]\d*$/.test(fault));
  return isRight ? { steps: new Set(parts(steps).map(Number)), faults: new Set(parts(faults)) } : null;
}
