import { sql } from 'kysely';
import { type Database, isDeadlock, type Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { namesOf, rowsOf } from '../db/dialect.ts';
import type { EvidenceEvent } from '../domain/evidence.ts';
import { mailboxUnknown, recipientInactive } from '../domain/outcome.ts';
import type { DeliveryState, EvidenceReport } from '../domain/transition.ts';
import type { Log } from '../std/log.ts';
import type { LockedDelivery } from './rows.ts';

/**
 * Facts about a delivery that its source, and consent, keep books on. A fact is told once per delivery, whoever
 * learnt it and on whichever way the row went there: a row may go from pending to delivered directly. Only where an operator
 * has requeued what was suppressed, and word comes again that suppresses it, it is told again: it has become true again.
 */
export interface Fact {
  kind: 'first_accepted' | 'suppressed';
  /** What made it known. */
  event: EvidenceEvent | typeof mailboxUnknown;
  at: number;
  delivery: Omit<LockedDelivery, 'state'>;
  /** The delivery is suppressed already, and this is a further reason: for consent, which keeps the weightiest. */
  isFurther?: true;
}

/** Told in the transaction that makes the facts true. */
export type FactListener = (facts: readonly Fact[], tx: Tx) => Promise<void>;

export interface FactListeners {
  /** Whoever is told here decides about the transaction: what it throws undoes the status too. */
  consent: FactListener;
  /** A source's bookkeeping: if it throws, the status is kept and the bookkeeping is owed. */
  source: (name: string) => FactListener | undefined;
}

export function factsOf(
  { state: before, ...delivery }: LockedDelivery,
  after: DeliveryState,
  { event, at }: Pick<EvidenceReport, 'event' | 'at'>,
  isFurther = false,
): Fact[] {
  const facts: Fact[] = [];
  if (before.sentAt === null && after.sentAt !== null)
    facts.push({ kind: 'first_accepted', event, at, delivery });
  // By rank, not by arrow: what the gate had suppressed may still get its complaint.
  if (after.status === 'suppressed' && after.evidence > before.evidence) {
    facts.push({ kind: 'suppressed', event, at, delivery });
  } else if (isFurther) facts.push({ kind: 'suppressed', event, at, delivery, isFurther: true });
  return facts;
}

/** Refusals that say at once what a bounce, or the provider's own list, says later. */
const suppressing: ReadonlyMap<string, Fact['event']> = new Map<string, Fact['event']>([
  [mailboxUnknown, mailboxUnknown],
  [recipientInactive, 'provider_suppressed'],
]);

export function factsOfRefusal({ state: _, ...delivery }: LockedDelivery, code: string, at: number): Fact[] {
  const event = suppressing.get(code);
  return event === undefined ? [] : [{ kind: 'suppressed', event, at, delivery }];
}

/** Sources first, each in a savepoint: what one cannot book is owed to it, and the status stands. What consent throws undoes everything. */
export async function tellFacts(
  tx: Tx,
  facts: readonly Fact[],
  { dialect, listeners, log, now }: { dialect: DialectName; listeners: FactListeners; log: Log; now: number },
): Promise<void> {
  if (facts.length === 0) return;
  const first = facts.filter(({ isFurther }) => !isFurther);
  for (const source of new Set(first.map((fact) => fact.delivery.source))) {
    const listener = listeners.source(source);
    if (!listener) continue;
    const told = first.filter((fact) => fact.delivery.source === source);
    const failure = await inSavepoint(tx, () => listener(told, tx));
    if (failure === undefined) continue;
    log.error('source.bookkeeping_owed', { source, facts: told.length, error: failure });
    await oweFacts(tx, dialect, told, textOf(failure), now);
  }
  // Last: everybody locks deliveries, then a source's rows, then consent's.
  await listeners.consent(facts, tx);
}

/**
 * What was thrown, after everything since the savepoint is undone; undefined when nothing was. A deadlock is no failure of the
 * bookkeeping: it passes by, and the whole transaction is tried again.
 */
async function inSavepoint(tx: Tx, work: () => Promise<void>): Promise<Error | undefined> {
  await sql`SAVEPOINT bookkeeping`.execute(tx);
  try {
    await work();
    // Inside: on PostgreSQL this is where a failed statement that `work` kept to itself comes out.
    await sql`RELEASE SAVEPOINT bookkeeping`.execute(tx);
    return undefined;
  } catch (error) {
    if (isDeadlock(error)) throw error;
    await sql`ROLLBACK TO SAVEPOINT bookkeeping`.execute(tx);
    return error instanceof Error ? error : new Error('something that is no error was thrown');
  }
}

/** PostgreSQL stores no NUL. */
const textOf = (error: Error) => String(error.message).replaceAll('\0', '').slice(0, 500);

const owedColumns = {
  delivery_seq: 'number',
  source: 'text',
  fact: 'text',
  at: 'number',
  due_at: 'number',
  last_error: 'text',
} as const;
const owedPauseMs = 30_000;
const unknownPauseMs = 3_600_000;

async function oweFacts(tx: Tx, dialect: DialectName, facts: readonly Fact[], error: string, now: number) {
  const rows = facts.map((fact) => ({
    delivery_seq: fact.delivery.seq,
    source: fact.delivery.source,
    fact: JSON.stringify(fact),
    at: now,
    due_at: now + owedPauseMs,
    last_error: error,
  }));
  const names = namesOf(owedColumns);
  await sql`
    INSERT INTO owed_facts (${names}) SELECT ${names} FROM ${rowsOf(dialect, owedColumns, rows)}
  `.execute(tx);
}

/** Tells sources again what they could not book; one at a time, so that a bad one does not hold back the others. */
export async function tellOwedFacts(
  db: Database,
  listeners: FactListeners,
  log: Log,
  now: number,
): Promise<number> {
  const due = await db.read
    .selectFrom('owed_facts')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(100)
    .execute();
  let told = 0;
  for (const owed of due) {
    const listener = listeners.source(owed.source);
    if (!listener) {
      // A source that this process does not know must not stand in the way of the others.
      const later = { due_at: now + unknownPauseMs };
      await db.write.updateTable('owed_facts').set(later).where('owed_seq', '=', owed.owed_seq).execute();
      continue;
    }
    await db.transaction(async (tx) => {
      // Whoever deletes the row tells the fact: two sweeps at once tell it once.
      const mine = await tx
        .deleteFrom('owed_facts')
        .where('owed_seq', '=', owed.owed_seq)
        .returning('owed_seq')
        .execute();
      if (mine.length === 0) return;
      const failure = await inSavepoint(tx, () => listener([JSON.parse(owed.fact) as Fact], tx));
      if (failure === undefined) {
        told += 1;
        return;
      }
      log.error('source.bookkeeping_owed', { source: owed.source, tries: owed.tries + 1, error: failure });
      const { owed_seq: _, ...again } = owed;
      const waitMs = owedPauseMs * 2 ** Math.min(owed.tries, 7);
      await tx
        .insertInto('owed_facts')
        .values({
          ...again,
          tries: owed.tries + 1,
          due_at: now + waitMs,
          last_error: textOf(failure),
        })
        .execute();
    });
  }
  return told;
}
