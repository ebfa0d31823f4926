import { commandRefusals } from './command-refusals.ts';
import { requestRefusals } from './request-refusals.ts';

/**
 * Every code that somebody is refused with, what to do about it, and what the API answers with it; without a status no request meets it.
 * A refusal's own sentence says more, of the case at hand; this is for whoever looks a code up, and docs/errors.md is made from it. A code
 * that is in neither list does not compile; `tests/refusals` sees to it that none is left over, and that each is tried.
 */
type ByStatus = typeof requestRefusals;
type RequestCode = { [Status in keyof ByStatus]: keyof ByStatus[Status] }[keyof ByStatus];

export type RefusalCode = RequestCode | keyof typeof commandRefusals;

export interface RefusalEntry {
  code: RefusalCode;
  /** Null where no request meets it. */
  status: number | null;
  cure: string;
}

export const refusals: readonly RefusalEntry[] = [
  ...Object.entries(requestRefusals).flatMap(([status, cures]) => entriesOf(cures, Number(status))),
  ...entriesOf(commandRefusals, null),
].sort((one, other) => (one.code < other.code ? -1 : 1));

const statuses: ReadonlyMap<string, number | null> = new Map(
  refusals.map(({ code, status }) => [code, status]),
);

/** What no request should meet is a mistake all the same, and its sentence says which. */
export function httpStatusOf(code: RefusalCode): number {
  return statuses.get(code) ?? 400;
}

function entriesOf(cures: Readonly<Record<string, string>>, status: number | null): RefusalEntry[] {
  return Object.entries(cures).map(([code, cure]) => ({ code: code as RefusalCode, status, cure }));
}
