import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../src/db/database.ts';
import { evidenceEvents } from '../src/domain/evidence.ts';
import type { LookUp, Outcome } from '../src/domain/outcome.ts';
import type { Policy } from '../src/domain/policy.ts';
import { statuses } from '../src/domain/status.ts';
import type { Fact } from '../src/outbox/facts.ts';
import type { MailReference, Parcel } from '../src/providers/provider.ts';
import type { Clock } from '../src/std/clock.ts';
import { createAttemptCount } from './attempts.ts';
import type { CampusWatch } from './campus/campus-watch.ts';
import type { CivicWatch } from './civic/civic-watch.ts';
import { denyUnknown, findAgain } from './denials.ts';
import { checkTheEnd } from './end.ts';
import { createHands } from './hands.ts';
import { createHeard } from './heard.ts';
import { createIdentities } from './identities.ts';
import type { Ledger } from './ledger.ts';
import type { Mailman } from './mailman.ts';
import { createPostWatch, type Post } from './posts.ts';
import {
  changeOf,
  checkAttemptEnds,
  checkDoubt,
  checkRow,
  checkStep,
  checkTruth,
  type PromiseName,
  type Violate,
  type WatchedRow,
} from './promises.ts';
import { createReasons, type Reasons } from './reasons.ts';
import type { ReviewWatch } from './reviews/review-watch.ts';
import { createRowReader } from './row-reader.ts';
import { indexingDelayMs, type ProviderKind } from './service.ts';
import type { SourceName } from './sources.ts';
import type { Stage } from './stage.ts';
import type { Story } from './story.ts';
import type { Tally } from './tally.ts';
import { createTurnWatch, type Part } from './turns.ts';

export type { WatchedRow } from './promises.ts';

/** Keeps an eye on the tables and on what leaves: after every commit, at every post, and once more at the end. */
export interface Watch {
  /** After a commit by `who`, before anybody else commits. */
  look(who: string): Promise<void>;
  /** Between commits, when only the world has changed. */
  lookAround(): void;
  told(facts: readonly Fact[]): void;
  /** What consent has heard in the commit that is looked at next. */
  learnt(facts: readonly Fact[]): void;
  /** Answers whether the row knows of it: after a fail-over it may not. */
  posted(post: Post): boolean;
  readonly restoredAt: number;
  atTheEnd(): Promise<void>;
  /** The database went back in time: what was seen since then is forgotten, and what left since then is not known to it. */
  afterRestore(seen: Seen): Promise<void>;
  seen(): Seen;
  /** All clocks were, and what waits has moved with them. */
  setBack(byMs: number): void;
  turnBegins(who: string, account: string): void;
  turnEnded(who: string): void;
  heard(who: string, parcel: Parcel, outcome: Outcome, by: Part): void;
  /** What a source says of a delivery, when it is asked. */
  said: Reasons['said'];
  lookedUp(who: string, reference: MailReference, answer: LookUp): void;
  readonly changes: number;
  violate: Violate;
  readonly rows: readonly WatchedRow[];
  /** The first promise that was broken; the run ends there. */
  readonly violation: Violation | null;
}

export interface Violation {
  promise: PromiseName;
  sentence: string;
}

export interface Seen {
  at: number;
  firstAccepted: ReadonlyMap<string, number>;
  /** How many commits had changed something. */
  changes: number;
}

export interface WatchParts {
  db: Database;
  touched: Stage['touched'];
  clock: Clock;
  story: Story;
  ledger: Ledger;
  tally: Tally;
  policies: Readonly<Record<SourceName, Policy>>;
  mailman: Pick<Mailman, 'answered'>;
  kind: ProviderKind;
  isReliable: boolean;
  /** Who looks at the tables of a real source, in the runs that have one. */
  beside: { campus: CampusWatch | null; civic: CivicWatch | null; reviews: ReviewWatch | null };
}

const restoring = 'a fail-over';

export function createWatch(parts: WatchParts): Watch {
  const { db, touched, clock, story, ledger, tally, policies, kind, isReliable, mailman, beside } = parts;
  const reader = createRowReader();
  let rows: readonly WatchedRow[] = [];
  /** New, or brought back by a fail-over: looked at by themselves when the next commit is. */
  let unchecked: ReadonlySet<number> = new Set();
  let changes = 0;
  let learntNow: ReadonlySet<string> = new Set();
  let violation: Violation | null = null;
  let restoredAt = -1;
  let forgotten = { from: Infinity, until: -Infinity };
  const isRestored = () => restoredAt >= 0;
  let firstAccepted = new Map<string, number>();
  /** The provider's ids of mails that were ever written down. */
  const messageIds = new Set<string>();
  /** Of mails that retention has taken: a later round has the place of their ids. */
  const takenIds = new Set<string>();

  const violate: Violate = (promise, sentence) => {
    if (violation !== null) return;
    violation = { promise, sentence };
    story.tell(`BROKEN, ${promise}: ${sentence}`);
  };

  const attempts = createAttemptCount({ ledger, clock, violate });
  const hands = createHands({ clock, kind, violate });
  const { isOldHand, lastHold, isSameEnd } = hands;
  const turns = createTurnWatch({ db, clock, kind, violate, isRestored, isOldHand });
  const reasons = createReasons({ clock, violate });
  const identities = createIdentities(violate);
  const heard = createHeard({ clock, violate, isOldHand, isSameEnd });
  const { checkPost, ...posts } = createPostWatch({
    ...{ clock, violate, isOldHand, lastHold, isSameEnd, longestCallMs: kind.longestCallMs },
    rowOf: (id) => rows.find((row) => row.id === id),
  });

  function countArrow(before: WatchedRow, row: WatchedRow): void {
    // The others are in the story of the delivery.
    if (before.status !== 'claimed' && row.status === 'claimed') tally.arrow(`${before.status} → claimed`);
    if (before.status === 'claimed' && row.status === 'sending') tally.arrow('claimed → begun');
    if (before.status !== 'reconciling' || row.status !== 'reconciling') return;
    if (row.lease !== before.lease) tally.arrow('reconciling → taken_up');
  }

  async function read(who: string): Promise<void> {
    const question = who === restoring ? reader.askAll() : reader.askTouched();
    const next = reader.rowsBy((await db.write.executeQuery(question)).rows);
    hands.check(rows, next);
    const known = new Map(rows.map((row) => [row.seq, row]));
    const unseen = new Set<number>();
    for (const row of next) {
      const before = known.get(row.seq);
      if (before === row && !unchecked.has(row.seq)) continue;
      if (!before || who === restoring) unseen.add(row.seq);
      if (before && who !== restoring) {
        const { attemptsMax, roundsMax } = policies[row.source as SourceName];
        const isImported = ledger.imported.has(row.id);
        attempts.check(before, row);
        checkAttemptEnds(before, row, isReliable, violate);
        checkDoubt(
          before,
          row,
          {
            now: clock.now(),
            hasKey: kind.hasKey,
            absentFrom: hands.mayLeaveUntil(row.id) + indexingDelayMs,
          },
          violate,
        );
        heard.check(who, before, row);
        const counted = attempts.counted(row);
        checkStep(before, row, { who, now: clock.now(), attemptsMax, counted, isImported }, violate);
        reasons.check(before, row, roundsMax);
        checkRow(before, row, isImported, violate);
      }
      if (before && who !== restoring) countArrow(before, row);
      hands.note(before, row);
      const isAnother = !before && identities.check(row);
      const isEnded =
        row.evidence > (before?.evidence ?? 0) && row.evidence >= evidenceEvents.complained.rank.top;
      if (isEnded && who !== restoring && !learntNow.has(row.id)) {
        violate('consent', `#${row.seq} is suppressed by evidence, and consent did not hear of it`);
      }
      if (row.provider_message_id !== null) messageIds.add(row.provider_message_id);
      // Nothing but retention blanks an address.
      const isTaken = before !== undefined && before.to_email !== null && row.to_email === null;
      if (isTaken) for (const { messageId } of ledger.of(row.id)) takenIds.add(messageId);
      const change = `${changeOf(before, row)}${isAnother ? ', and another one than before' : ''}`;
      const round = row.status === 'sending' ? ` (round ${row.round})` : '';
      if (change !== '') story.tell(`  #${row.seq} ${change}${round}`);
    }
    // What is no longer denied is judged anew.
    if (kind.hasKey) for (const { seq } of findAgain(ledger, next)) unseen.add(seq);
    if (who !== restoring) turns.look(who, rows, next);
    rows = next;
    unchecked = unseen;
  }

  /** What was told to a database that has forgotten it since. */
  const answeredSince = () =>
    mailman.answered.filter(({ at }) => !(at >= forgotten.from && at <= forgotten.until));

  return {
    violate,
    turnBegins(who, account) {
      hands.saw(who);
      turns.begins(who, account, rows);
    },
    turnEnded: (who) => turns.ended(who, rows),
    heard(who, parcel, outcome, by) {
      hands.saw(who);
      turns.heard(who, parcel, outcome, by);
      const { mail, leaseEndsAt } = parcel;
      if (outcome.kind === 'key_conflict')
        heard.conflict(who, mail.tags.delivery_id ?? '', { leaseEndsAt, by });
    },
    said: reasons.said,
    lookedUp(who, { key }, { kind: answer }) {
      if (answer === 'found') heard.found(who, key.slice(0, 36));
    },
    learnt(facts) {
      learntNow = new Set(
        facts.flatMap(({ kind, delivery }) => (kind === 'suppressed' ? [delivery.id] : [])),
      );
    },
    async look(who) {
      const written = touched();
      const rowsBefore = rows;
      if (written.has('deliveries')) {
        const told = story.lines.length;
        changes += 1;
        await read(who);
        if (story.lines.length > told) story.tell(`  … by ${who}`);
      }
      if (written.has('pace')) await turns.readPace();
      for (const row of rows) checkTruth(row, ledger, violate);
      await beside.campus?.look(written, rowsBefore, rows);
      await beside.civic?.look(written, rowsBefore, rows);
      await beside.reviews?.look(written, rowsBefore, rows);
    },
    lookAround() {
      for (const row of rows) checkTruth(row, ledger, violate);
    },
    told(facts) {
      beside.campus?.told(facts);
      beside.civic?.told(facts);
      for (const { kind, delivery } of facts) {
        if (kind !== 'first_accepted') continue;
        const times = (firstAccepted.get(delivery.id) ?? 0) + 1;
        firstAccepted.set(delivery.id, times);
        if (times > 1)
          violate('facts are told once', `#${delivery.seq}: first_accepted was told ${times} times`);
      }
    },
    posted(post) {
      const { delivery_id: id = '', round } = post.parcel.mail.tags;
      if (post.isAttempt) attempts.made(id, Number(round));
      beside.civic?.posted(post);
      beside.reviews?.posted(post);
      const isKnown = checkPost(post);
      // Of what an old hand sends after a fail-over, nobody who looks for it can know.
      if (isKnown) hands.mayLeave(id, post.parcel.leaseEndsAt);
      return isKnown;
    },
    async afterRestore(seen) {
      restoredAt = clock.now();
      turns.restored();
      forgotten = { from: Math.min(forgotten.from, seen.at), until: clock.now() };
      firstAccepted = new Map(seen.firstAccepted);
      hands.restored();
      heard.clear();
      posts.restored();
      for (const entry of ledger.entries) {
        if ((entry.bounceToldAt ?? 0) >= seen.at) entry.bounceToldAt = null;
      }
      touched();
      await read(restoring);
      await turns.readPace();
      attempts.restored(rows, restoredAt);
      messageIds.clear();
      takenIds.clear();
      denyUnknown(ledger, rows, clock.now());
    },
    setBack: hands.setBack,
    seen: () => ({ at: clock.now(), firstAccepted: new Map(firstAccepted), changes }),
    get changes() {
      return changes;
    },
    async atTheEnd() {
      await read('the end');
      // Whoever looks at what was touched alone has to be sure of it.
      const all = reader.rowsBy((await db.write.executeQuery(reader.askAll())).rows);
      if (!isDeepStrictEqual(rows, all)) throw new Error('deliveries have changed, and nothing noted it');
      for (const row of rows) {
        checkTruth(row, ledger, violate);
        if (statuses[row.status].isDue) {
          violate(
            'everything ends',
            `#${row.seq} is still ${row.status} at the end, due ${dueIn(row, clock)}`,
          );
        }
        const isTold = firstAccepted.has(row.id);
        const isImported = ledger.imported.has(row.id);
        if (isTold !== (row.sent_at !== null) && !isImported) {
          const was = `first_accepted was ${isTold ? '' : 'not '}told`;
          violate('facts are told once', `#${row.seq}: sent_at is ${row.sent_at}, but ${was}`);
        }
      }
      if (violation === null)
        await checkTheEnd({
          ...{ db, rows, violate, tally, messageIds, takenIds, isRestored: isRestored() },
          ...{ answered: answeredSince(), ledger },
        });
    },
    get restoredAt() {
      return restoredAt;
    },
    get rows() {
      return rows;
    },
    get violation() {
      return violation;
    },
  };
}

const dueIn = ({ due_at }: WatchedRow, clock: Clock) =>
  due_at === null ? 'never' : `in ${(due_at - clock.now()) / 1000} s`;
