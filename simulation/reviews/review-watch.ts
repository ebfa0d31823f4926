import type { Database } from '../../src/db/database.ts';
import type { CodeReviews } from '../../src/sources/code-reviews/code-reviews.ts';
import { reviewSource } from '../../src/sources/code-reviews/occasion.ts';
import type { Ledger } from '../ledger.ts';
import type { Post } from '../posts.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { SideWatch } from '../side-watch.ts';
import type { Story } from '../story.ts';
import { type Ask, createAnswerWatch, type Outcome } from './answers.ts';
import type { Bots, Request } from './bots.ts';
import { createEndings, type Endings } from './endings.ts';
import { createJobWatch } from './jobs.ts';
import { createMailWatch } from './mails.ts';
import { createReviewReader, noTables, type ReviewTables, type Told } from './review-tables.ts';
import { createStandingWatch } from './standing.ts';
import { createTryWatch, type Try, type TryOrder, type TryOutcome } from './tries.ts';

/**
 * Keeps an eye on the tables of code reviews, after every commit that has written to them or to the deliveries, on what bots and callers
 * are answered, and on every review that leaves: by an account of its own, which sees what was asked, what was done, and what the
 * provider has. The code that it watches is asked for one thing only, how a job stands, and is not believed.
 */
export interface ReviewWatch extends SideWatch {
  posted(post: Post): void;
  /** A review is submitted, and the answer to it is heard. */
  asked(request: Request): Ask;
  answered(ask: Ask, outcome: Outcome): void;
  tried(order: TryOrder): Try;
  triedAnswered(one: Try, outcome: TryOutcome): void;
  /** What the lists say, while nobody commits. */
  readLists(): Promise<void>;
  atTheEnd(): void;
  readonly tables: ReviewTables;
  readonly endings: Endings;
}

/** One commit: what was there, and what is. */
export interface Change {
  before: ReviewTables;
  after: ReviewTables;
  rowsBefore: readonly WatchedRow[];
  rows: readonly WatchedRow[];
  told: readonly Told[];
}

export interface ReviewWatchParts {
  db: Database;
  violate: Violate;
  story: Story;
  ledger: Ledger;
  bots: Bots;
  /** Of somebody to whom nothing ever happens. */
  office: Pick<CodeReviews, 'get' | 'list' | 'deadLetters'>;
}

const ofReviews = (rows: readonly WatchedRow[]) => rows.filter(({ source }) => source === reviewSource);

export function createReviewWatch({ db, ...parts }: ReviewWatchParts): ReviewWatch {
  const read = createReviewReader(db);
  const endings = createEndings();
  const jobs = createJobWatch(parts);
  const standing = createStandingWatch({ ...parts, db, endings });
  const answers = createAnswerWatch(parts);
  const tries = createTryWatch({ ...parts, endings });
  const mails = createMailWatch(parts);
  let tables = noTables;
  let rows: readonly WatchedRow[] = [];

  return {
    async look(written, rowsBefore, rowsNow) {
      if (!written.has('reviews') && !written.has('deliveries')) return;
      const before = tables;
      tables = await read.tables(before, written);
      rows = ofReviews(rowsNow);
      const change = {
        ...{ before, after: tables, rowsBefore: ofReviews(rowsBefore), rows },
        told: await read.told(),
      };
      jobs.look(change);
      tries.look(change);
      endings.look(change);
      tries.lookAfter(change);
      await standing.look(change);
    },
    posted: (post) => mails.posted(post, tables, rows),
    asked: (request) => answers.asked(request, tables, rows),
    answered: (ask, outcome) => answers.answered(ask, outcome, tables, rows),
    tried: (order) => tries.tried(order),
    triedAnswered: (one, outcome) => tries.answered(one, outcome, tables),
    readLists: () => standing.readLists(tables, rows),
    atTheEnd() {
      standing.atTheEnd(tables, rows);
      tries.atTheEnd(tables);
    },
    get tables() {
      return tables;
    },
    endings,
  };
}
