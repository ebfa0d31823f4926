import type { Database } from '../../src/db/database.ts';
import type { Fact } from '../../src/outbox/facts.ts';
import type { Clock } from '../../src/std/clock.ts';
import type { Ledger } from '../ledger.ts';
import type { Post } from '../posts.ts';
import type { Violate, WatchedRow } from '../promises.ts';
import type { SideWatch } from '../side-watch.ts';
import type { Story } from '../story.ts';
import { type CivicTables, createCivicReader, noTables } from './civic-tables.ts';
import { createListWatch } from './lists.ts';
import { createMailWatch } from './mails.ts';
import { createRunWatch } from './runs.ts';
import type { Town } from './town.ts';
import type { TownHall } from './town-hall.ts';
import { createWishWatch } from './wishes.ts';

/**
 * Keeps an eye on the tables of newsletters, after every commit that has written to them or to the deliveries, and on every newsletter
 * that leaves: by an account of its own, which sees what was done, what was told and what the provider has, and never asks the code
 * that it watches.
 */
export interface CivicWatch extends SideWatch {
  told(facts: readonly Fact[]): void;
  posted(post: Post): void;
  /** A trigger was answered. */
  answered(answer: Answer): void;
  applied(runId: string): void;
  /** Somebody wanted a run paused or ended, and was told that it cannot be. */
  refused(refusal: Refused): void;
  atTheEnd(): void;
  readonly tables: CivicTables;
  /** The run that has taken a delivery up last. */
  ownerOf(seq: number): string | undefined;
}

export interface Answer {
  runId: string;
  type: string;
  periodKey: string;
  isForced: boolean;
  isEnqueued: boolean;
  askedAt: number;
}

export interface Refused {
  runId: string;
  verb: string;
  /** Of its mails, when they asked. */
  waiting: readonly WatchedRow[];
}

/** One commit: what was there, and what is. */
export interface Change {
  before: CivicTables;
  after: CivicTables;
  rowsBefore: readonly WatchedRow[];
  rows: readonly WatchedRow[];
  /** What a source was told in it. */
  facts: readonly Fact[];
}

export interface CivicWatchParts {
  db: Database;
  violate: Violate;
  story: Story;
  clock: Clock;
  ledger: Ledger;
  town: Town;
  hall: Pick<TownHall, 'told'>;
}

const newsletterRows = (rows: readonly WatchedRow[]) => rows.filter(({ source }) => source === 'newsletters');

export function createCivicWatch({ db, ...parts }: CivicWatchParts): CivicWatch {
  const read = createCivicReader(db);
  const lists = createListWatch(parts);
  const runs = createRunWatch({ ...parts, ownerOf: lists.ownerOf });
  const wishes = createWishWatch(parts);
  const mails = createMailWatch({ ...parts, ownerOf: lists.ownerOf });
  let tables = noTables;
  let facts: readonly Fact[] = [];
  let rows: readonly WatchedRow[] = [];

  return {
    told(more) {
      facts = [...facts, ...more];
    },
    async look(written, rowsBefore, rowsNow) {
      if (written.size === 0) return;
      const before = tables;
      tables = await read(before, written);
      rows = newsletterRows(rowsNow);
      const change = { before, after: tables, rowsBefore: newsletterRows(rowsBefore), rows, facts };
      facts = [];
      lists.look(change);
      runs.look(change);
      wishes.look(change);
      mails.look(change);
    },
    posted: (post) => mails.posted(post, tables, rows),
    answered: (answer) => runs.answered(answer, tables),
    applied: runs.applied,
    refused: (refusal) => runs.refused(refusal, tables, rows),
    ownerOf: lists.ownerOf,
    atTheEnd() {
      lists.atTheEnd(tables, rows);
      mails.atTheEnd(tables, rows);
    },
    get tables() {
      return tables;
    },
  };
}
