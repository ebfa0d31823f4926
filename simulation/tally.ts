import { evidenceEventNames } from '../src/domain/evidence.ts';
import { arrows } from '../src/domain/lifecycle.ts';
import { statusNames } from '../src/domain/status.ts';

/**
 * What has happened in how many places of how many runs: every fault that there is, every arrow of the life cycle. What never
 * happened was not tested, whatever else went well.
 */
export interface Tally {
  fault(name: FaultName): void;
  arrow(name: string): void;
  readonly counts: Readonly<Record<string, number>>;
}

export const faultNames = [
  // Processes
  'a process dies before a call',
  'a process dies inside a transaction',
  'a process dies after a call, before its answer',
  'a process dies where it stands',
  'a process is asked to stop',
  'a process stands still',
  'a process stands still for longer than its lease',
  'a machine sleeps, and its monotonic clock with it',
  'a clock goes ahead',
  'a clock goes behind',
  'all clocks are set back',
  'a delivery kills its worker',
  // The database
  'a call fails before it is made',
  'a read fails',
  'the database is busy',
  'a commit fails',
  'a commit is done, its answer lost',
  'the disk is full',
  'a fail-over loses commits',
  // The provider
  'refused for now',
  'refused for good',
  'throttled',
  'unreachable',
  'over quota',
  'hangs, and never had it',
  'accepts, and the answer is lost',
  'an answer is lost',
  'a request is doubled on its way',
  'a key is forgotten',
  'a key comes with another body',
  'the account is switched',
  'a look-up answers nothing',
  'a look-up is late',
  'a look-up says that a mail is absent which is there',
  'a look-up finds a mail that never was',
  'questions about accepted mails are refused',
  'questions about accepted mails are not answered',
  // Webhooks
  'a webhook comes before the answer',
  'a webhook comes late',
  'a webhook comes twice',
  'webhooks come out of order',
  'a webhook never comes',
  'a webhook is told again, because it was not answered',
  'a webhook is forged',
  'a webhook is about a stranger',
  'a webhook names no delivery',
  'a webhook names a delivery, and another mail',
  'an automatic reply looks like a bounce',
  // People
  'an operator requeues in mid-flight',
  'an operator requeues what arrived',
  'an operator requeues what was closed in doubt',
  'an operator says that it was sent, and it was not',
  'an operator says that it was not sent, and it was',
  'an operator asks by SQL',
  'an operator decides what is no longer undecided',
  'an operator pauses a source',
  'an address is suppressed',
  'somebody unsubscribes',
  'somebody unsubscribes while a mail to them is claimed',
  'somebody unsubscribes while a mail to them is on its way',
  'somebody stops everything',
  'somebody takes it back',
  'somebody takes it back too late',
  // Sources
  'a source asks for the same again',
  'bookkeeping fails',
  'a draft fails',
  'the source says no at the last moment',
  // Course seats
  'the feed answers with an empty list',
  'the feed loses a part of its list',
  'the feed loses another part of its list each time',
  'the feed tells an old list',
  'the feed names a section, and then not, and then again',
  'the feed wants to be asked less',
  'the feed is out of order',
  'the feed answers with a page',
  'the feed is slow',
  'the feed cannot be reached',
  'the feed names an index that no catalog knows',
  'a poller dies between two misses',
  'two processes ask the feed at once',
  'a campus fills up at once',
  'the catalog is read, and is old',
  'a seat is gone while a mail about it waits',
  'an operator reports an opening',
  'an operator has the feed asked at once',
  'somebody changes their wishes while a mail to them waits',
  'somebody changes their wishes while a mail to them is claimed',
  // Newsletters and alerts
  'two processes work at runs at once',
  'a process dies between two pages of a run',
  'a run is asked for twice at once',
  'a run is forced',
  'a plan is applied twice',
  'a plan is applied late',
  'a run is paused in mid-flight',
  'a run is cancelled in mid-flight',
  'a run goes on again',
  'a run is stopped while its mails leave',
  'a run begins as another is cancelled',
  'somebody is not to be mailed from the first',
  'the figures of one entity will never come',
  'the figures cannot be had',
  'the figures of one entity cannot be had',
  'the figures are slow to come',
  'the figures come late',
  'the figures change while a newsletter waits',
  'the directory cannot be asked',
  'the directory is slow',
  'somebody has another address',
  'somebody is gone from the directory',
  'somebody changes their mind while a mail to them is held back',
  'somebody changes their mind while a newsletter to them is claimed',
  'somebody leaves and returns while their mail is made',
  'somebody wants no newsletters at all',
  'somebody asks again for what they had deleted',
  // Code reviews
  'a review is submitted again',
  'a bot does not hear what came of its review',
  'a review is submitted twice at once',
  'two versions are submitted at once',
  'two bots submit the same version',
  'a key comes with another review',
  'a key comes with another change list, at once',
  'a newer version comes while the last one is on its way',
  'a newer version comes after a success, and not as a rerun',
  'a rerun',
  'a version comes too late',
  'a reviewer is named twice, and spelt in two ways',
  'a review names nobody who can be told',
  'a caller tries again',
  'an operator tries a review again',
  'somebody tries a review again in mid-flight',
  'two try a review again at once',
  'somebody tries again for no reason, or for a stranger',
  'what is tried again ends in the same way',
  'an operator lifts a suppression',
] as const;
export type FaultName = (typeof faultNames)[number];

/** Arrows that nothing in the engine goes along yet, with the reason. */
const unused: ReadonlySet<string> = new Set([
  // Who has no address is found out with the row in hand.
  'pending → no_address',
  'failed_transient → no_address',
]);

export const arrowNames: readonly string[] = [
  ...statusNames.flatMap((status) => Object.keys(arrows[status]).map((event) => arrowName(status, event))),
  ...evidenceEventNames.map((event) => `evidence → ${event}`),
].filter((name) => !unused.has(name));

export function arrowName(from: string, event: string): string {
  return (evidenceEventNames as readonly string[]).includes(event)
    ? `evidence → ${event}`
    : `${from} → ${event}`;
}

export function createTally(): Tally {
  const counts: Record<string, number> = {};
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  return { counts, fault: count, arrow: count };
}

export function addCounts(sum: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
}

export function neverHappened(counts: Readonly<Record<string, number>>): string[] {
  return [...faultNames, ...arrowNames].filter((name) => (counts[name] ?? 0) === 0);
}
