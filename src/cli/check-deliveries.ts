import { lateMs } from '../domain/hindrances.ts';
import { meanings } from '../domain/meanings.ts';
import { type Status, statusNames } from '../domain/status.ts';
import type { Engine } from '../engine.ts';
import type { HeldBy } from '../outbox/queries.ts';
import { duration } from '../std/duration.ts';
import { counted } from './counted.ts';
import { type Finding, note, ok, problem } from './finding.ts';
import { printable } from './printable.ts';
import { stamp } from './story.ts';

export interface DeliveriesCheckup {
  counts: { status: Status; count: number }[];
  /** The waiting delivery that is due longest, of those that nobody has paused. */
  oldestDue: { source: string; dueAt: string; lateMs: number } | null;
  needPerson: number;
  /** In a worker's hands for longer than it may be; the sweep of a running worker frees them within seconds. */
  stuck: { count: number; isMore: boolean };
  owedFacts: { count: number; tries: number };
  /** Addresses that must not be mailed. */
  suppressed: number;
}

const stuckCountedMax = 500;
/** Two rounds of the sweep, which comes every two seconds. */
const sweptWithinMs = 4_000;
/** Once or twice a source may have had a bad moment. */
const owedTriesMax = 3;

export async function checkDeliveries(
  { db, queries, clock, pauses, consent }: Engine,
  isProviderOpen: boolean,
  isServerSilent: boolean,
): Promise<{ deliveries: DeliveriesCheckup; findings: Finding[] }> {
  const now = clock.now();
  const bySource = await queries.counts();
  const countOf = (status: Status) =>
    bySource.reduce((sum, row) => sum + (row.status === status ? row.count : 0), 0);
  const counts = statusNames
    .map((status) => ({ status, count: countOf(status) }))
    .filter(({ count }) => count > 0);

  const paused = new Set((await pauses.list()).map(({ scope }) => scope));
  let oldest: { source: string; dueAt: number } | undefined;
  for (const source of new Set(bySource.map((row) => row.source))) {
    if (paused.has('*') || paused.has(source)) continue;
    const dueAt = await queries.oldestDueAt(source);
    if (dueAt !== null && dueAt <= now && (!oldest || dueAt < oldest.dueAt)) oldest = { source, dueAt };
  }
  const held = await queries.overdue(
    ['claimed', 'sending', 'reconciling'],
    true,
    now - sweptWithinMs,
    stuckCountedMax,
  );
  const stuck = { count: held.length, isMore: held.length === stuckCountedMax };
  const inHand = isServerSilent ? await queries.held(['claimed', 'sending', 'reconciling']) : [];
  const owed = await db.read
    .selectFrom('owed_facts')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.max('tries').as('tries')])
    .executeTakeFirstOrThrow();
  const owedFacts = { count: Number(owed.count), tries: Number(owed.tries ?? 0) };
  const deliveries: DeliveriesCheckup = {
    counts,
    oldestDue: oldest
      ? { source: oldest.source, dueAt: new Date(oldest.dueAt).toISOString(), lateMs: now - oldest.dueAt }
      : null,
    needPerson: counts
      .filter(({ status }) => meanings[status] === 'needs a person')
      .reduce((sum, { count }) => sum + count, 0),
    stuck,
    owedFacts,
    suppressed: await consent.suppressions.count(),
  };
  const list = counts.map(({ status, count }) => `${count} ${status}`);
  return {
    deliveries,
    findings: [
      ok(list.length > 0 ? `Deliveries: ${list.join(', ')}.` : 'No deliveries yet.'),
      ...suppressedFindings(deliveries.suppressed),
      ...lateFindings(deliveries.oldestDue, isProviderOpen),
      ...stuckFindings(stuck),
      ...inHandFindings(inHand, now),
      ...personFindings(countOf('needs_review'), countOf('failed_permanent')),
      ...owedFindings(owedFacts),
    ],
  };
}

function suppressedFindings(count: number): Finding[] {
  if (count === 0) return [];
  return [ok(`Suppressed: ${count} ${count === 1 ? 'address that is' : 'addresses that are'} not mailed.`)];
}

function lateFindings(oldest: DeliveriesCheckup['oldestDue'], isProviderOpen: boolean): Finding[] {
  if (!oldest) return [];
  const sentence = `The oldest that waits (${printable(oldest.source)}) has been due for ${duration(oldest.lateMs)}.`;
  if (oldest.lateMs <= lateMs) return [note(sentence)];
  // Who waits for the provider is not forgotten by the workers.
  if (isProviderOpen) return [note(sentence, 'It goes on when the provider takes mail again.')];
  return [
    problem(
      `${sentence} Nothing is sending: is a worker running?`,
      'npm start starts one; where one runs, its log says what keeps it.',
    ),
  ];
}

function stuckFindings({ count, isMore }: DeliveriesCheckup['stuck']): Finding[] {
  if (count === 0) return [];
  const sentence = `${count}${isMore ? ' or more' : ''} in the hands of a worker whose time is up, and nobody has taken them back: no worker is running?`;
  return [problem(sentence, 'npm start starts one, and its sweep takes them back within seconds.')];
}

/** A server that was killed says nothing of it. One on another machine may well be sending: so this is a note. */
function inHandFindings(held: readonly HeldBy[], now: number): Finding[] {
  return held
    .filter(({ until }) => until > now)
    .map(({ worker, count, until }) =>
      note(
        `${counted(count, 'delivery is', 'deliveries are')} in the hands of ${printable(worker)}, until ${stamp(until)}; no server answers here.`,
        'If it has died, npm start starts one, which takes them back then.',
      ),
    );
}

function personFindings(reviews: number, deadLetters: number): Finding[] {
  const need = (count: number) => `${count} ${count === 1 ? 'needs' : 'need'} a person`;
  return [
    ...(reviews === 0
      ? []
      : [
          note(
            `${need(reviews)} (needs_review): nobody could find out whether they were sent.`,
            'See them: npx tidings reconcile list, then decide with npx tidings deliveries resolve',
          ),
        ]),
    ...(deadLetters === 0
      ? []
      : [
          note(
            `${need(deadLetters)} (failed_permanent): given up.`,
            'See them by their last error, and with --yes put them back when it is mended: npx tidings deliveries requeue --status failed_permanent --reason "…"',
          ),
        ]),
  ];
}

function owedFindings({ count, tries }: DeliveriesCheckup['owedFacts']): Finding[] {
  if (count === 0) return [];
  const sentence = `A source has not booked ${count} ${count === 1 ? 'fact' : 'facts'}; it was told up to ${tries} times.`;
  const cure = 'The log says why (source.bookkeeping_owed). It is told again by a running worker.';
  return [tries >= owedTriesMax ? problem(sentence, cure) : note(sentence, cure)];
}
