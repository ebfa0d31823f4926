import type { Database, Tx } from '../db/database.ts';
import { isLocked, waitForNoLock } from '../db/dialect.ts';
import { isDatabaseAway } from '../db/is-database-away.ts';
import type { SetBack } from '../db/time-mark.ts';
import type { Intent } from '../domain/delivery.ts';
import type { Clock } from '../std/clock.ts';
import { createGathering } from '../std/gathering.ts';
import { isUuid } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { Refusal } from '../std/refusal.ts';
import { type BeginOrder, type Begun, beginDeliveries, type Composed, resubmitDeliveries } from './begin.ts';
import { type Claimed, type ClaimOrder, claimDeliveries } from './claim.ts';
import { foldCounts } from './counts.ts';
import { type DueRow, type DueWork, readDueRows, readDueWork } from './due.ts';
import { type Asked, askedOf, type Enqueued, enqueueAsked } from './enqueue.ts';
import { expireDeliveries } from './expire.ts';
import { type FactListeners, tellOwedFacts } from './facts.ts';
import { type ForgetOrder, type Forgotten, forgetMails } from './forget.ts';
import { type ImportedDelivery, importDeliveries } from './import.ts';
import { type OperatorOrder, performOrder, performRequests } from './operator.ts';
import { type Recorded, type Report, recordReports } from './record.ts';
import { type Removed, type RemoveOrder, removeDeliveries } from './remove.ts';
import { setTimesBack } from './set-back.ts';
import { type Doubted, type TakeUpOrder, takeUpDeliveries } from './take-up.ts';
import { lookAgainLater, takeUnconfirmed, type Unconfirmed, type UnconfirmedOrder } from './unconfirmed.ts';
import { type Writing, writeWords } from './written.ts';

/**
 * The outbox: one table, and the only place where the status of a delivery changes. It promises that an identity
 * exists once, that a row is in one worker's hands at a time, that a worker whose lease is over changes nothing, that
 * evidence is never lost whoever brings it, and that each change, its story and its facts are one transaction.
 * It never sends and never waits for the network.
 */
export interface Outbox {
  /** Intents in, deliveries out, in the same order. An identity that is known already is answered as a repeat. */
  enqueue(intents: readonly Intent[], tx?: Tx): Promise<Enqueued[]>;
  /** What another system has told already, as it ended there; nothing of it is ever due. Answers which are new here, by their places. */
  importEnded(deliveries: readonly ImportedDelivery[], tx?: Tx): Promise<ReadonlySet<number>>;
  /** What a source has composed ahead, for deliveries that it holds back until then. Answers which it was written for. */
  write(writings: readonly Writing[], actor: string, tx?: Tx): Promise<ReadonlySet<number>>;
  /** Where something is due, without taking it. */
  due(sources: readonly string[]): Promise<DueWork[]>;
  /** What is due there, oldest first, without taking it: for a queue that names it to others. */
  dueRows(work: DueWork, limit: number): Promise<DueRow[]>;
  claim(order: ClaimOrder): Promise<Claimed[]>;
  /** The write-ahead. Only what comes back as `sending` may leave. */
  begin(batch: readonly Composed[], order: BeginOrder): Promise<Begun>;
  /** Deliveries in doubt, each to one process at a time. */
  takeUp(order: TakeUpOrder): Promise<Doubted[]>;
  /** May these, of which a mail may exist, leave once more under the same key? Only what comes back may. */
  resubmit(batch: readonly Composed[], order: Omit<BeginOrder, 'keyWindowMs'>): Promise<Composed[]>;
  /** Accepted mails of whose fate no word has come, each to one process at a time. */
  unconfirmed(order: UnconfirmedOrder): Promise<Unconfirmed[]>;
  /** The provider was asked about these and had nothing new to tell; later again, until it is too late to matter. */
  lookAgain(seqs: readonly number[]): Promise<void>;
  /** Work by the table, evidence by rank. What does not apply is answered with the reason, never thrown. */
  record(reports: readonly Report[], tx?: Tx): Promise<Recorded[]>;
  /** An operator's word on deliveries; the reason is kept. */
  perform(seqs: readonly number[], order: OperatorOrder, tx?: Tx): Promise<Recorded[]>;
  /** Operators' requests that came in by SQL. */
  performRequests(): Promise<number>;
  /** Bookkeeping that a source could not do when it was told. */
  tellOwedFacts(): Promise<number>;
  /** Ends what waits although its last moment has passed; answers how many. */
  expire(limit: number): Promise<number>;
  /** Retention: what ended long ago loses its mails and its address, and keeps its identity. */
  forget(order: ForgetOrder): Promise<Forgotten>;
  /** Retention for a source whose occasions go for good: what has ended goes with all that was kept of it. */
  remove(order: RemoveOrder, tx?: Tx): Promise<Removed>;
  /** The clock was set back: all that waits moves with it. False if another process has seen to it. */
  setBack(setBack: SetBack): Promise<boolean>;
  /** Makes few lines of many in the table of counts; answers how many there are fewer. */
  foldCounts(): Promise<number>;
}

export interface OutboxParts {
  db: Database;
  clock: Clock;
  log: Log;
  /** This instance's own, from its database. */
  namespace: string;
  listeners: FactListeners;
  /** How long after a mail was accepted the provider is asked what became of it; null or nothing where it cannot be. */
  healAfterMs?: number | null;
  /** Called after new intents are committed, so that a worker in this process need not wait for its next look. */
  onEnqueued?: () => void;
}

/** Intents of several callers in one transaction: enough that a commit is a small share, and few enough that nobody waits long. */
const putTogetherMax = 200;
/** As large as the largest intent: nobody waits for much more than that to be written. */
const putTogetherCharactersMax = 1_000_000;

/** A thousand batches or more; folding them takes a few milliseconds. */
const linesFoldedMax = 5_000;

export function createOutbox(outboxParts: OutboxParts): Outbox {
  const { db, clock, log, namespace, listeners, healAfterMs = null, onEnqueued } = outboxParts;
  const parts = { dialect: db.dialect, listeners, log, healAfterMs };
  const inTransaction = <T>(tx: Tx | undefined, work: (tx: Tx) => Promise<T>) =>
    tx ? work(tx) : db.transaction(work);
  const putIn = (tx: Tx, asked: readonly Asked[]) => enqueueAsked(tx, db.dialect, asked, clock.now());
  // A web server is asked for one at a time by many at once, and each of them would pay for a commit.
  const putTogether = createGathering({
    work: (asked: readonly Asked[], { isShared, onEnding }) =>
      db.transaction(async (tx) => {
        if (isShared) await waitForNoLock(tx, db.dialect);
        const answers = await putIn(tx, asked);
        onEnding();
        return answers;
      }),
    itemsMax: putTogetherMax,
    sizeOf: ({ json = '' }) => json.length,
    sizeMax: putTogetherCharactersMax,
    isOutage: (error) => isDatabaseAway(error) || isLocked(error),
    clock,
  });

  return {
    async enqueue(intents, outer) {
      const asked = askedOf(namespace, intents);
      const answers = outer ? await putIn(outer, asked) : await putTogether(asked);
      // In a caller's own transaction nothing is there to be seen before it commits; the next look finds it.
      if (!outer && answers.some(({ isNew }) => isNew)) onEnqueued?.();
      return answers;
    },
    importEnded: (deliveries, outer) =>
      inTransaction(outer, (tx) => importDeliveries(tx, db.dialect, namespace, deliveries, clock.now())),
    async write(writings, actor, outer) {
      const written = await inTransaction(outer, (tx) => writeWords(tx, writings, actor, clock.now(), parts));
      if (!outer && written.size > 0) onEnqueued?.();
      return written;
    },
    due: (sources) => readDueWork(db, sources, clock.now()),
    dueRows: (work, limit) => readDueRows(db, work, limit, clock.now()),
    claim: (order) => db.transaction((tx) => claimDeliveries(tx, db.dialect, order, clock.now())),
    begin: (batch, order) => db.transaction((tx) => beginDeliveries(tx, batch, order, clock.now(), parts)),
    takeUp: (order) => db.transaction((tx) => takeUpDeliveries(tx, db.dialect, order, clock.now())),
    resubmit: (batch, order) =>
      db.transaction((tx) => resubmitDeliveries(tx, batch, order, clock.now(), parts)),
    unconfirmed: (order) => db.transaction((tx) => takeUnconfirmed(tx, db.dialect, order, clock.now())),
    lookAgain: (seqs) => db.transaction((tx) => lookAgainLater(tx, db.dialect, seqs, clock.now())),
    record: (reports, outer) => inTransaction(outer, (tx) => recordReports(tx, reports, clock.now(), parts)),
    perform: (seqs, order, outer) =>
      inTransaction(outer, (tx) => performOrder(tx, seqs, order, clock.now(), parts)),
    performRequests: () => performRequests(db, clock.now(), parts),
    tellOwedFacts: () => tellOwedFacts(db, listeners, log, clock.now()),
    expire: (limit) => db.transaction((tx) => expireDeliveries(tx, limit, clock.now(), parts)),
    forget: (order) => db.transaction((tx) => forgetMails(tx, db.dialect, order, clock.now())),
    remove: (order, outer) => inTransaction(outer, (tx) => removeDeliveries(tx, db.dialect, order)),
    setBack: (setBack) => db.transaction((tx) => setTimesBack(tx, setBack)),
    foldCounts: () => db.transaction((tx) => foldCounts(tx, db.dialect, linesFoldedMax)),
  };
}

/** The namespace of this instance, made by the first migration. */
export async function readNamespace(db: Database): Promise<string> {
  const { namespace } = await db.read.selectFrom('instance').select('namespace').executeTakeFirstOrThrow();
  if (isUuid(namespace)) return namespace;
  throw new Refusal(
    'invalid_namespace',
    'The namespace in the table instance is not a UUID. Put one there, in lower case.',
  );
}
