import type { Database } from '../../../db/database.ts';
import type { Clock } from '../../../std/clock.ts';
import { readJsonElements } from '../../../std/json-elements.ts';
import type { Log } from '../../../std/log.ts';
import type { CatalogAnswer, Feed } from '../feed/feed.ts';
import type { Ingested, IngestOrder } from './catalog.ts';
import { type CatalogEntry, catalogEntryOf } from './catalog-entry.ts';
import { finishIngest, resolveWatches } from './finish-ingest.ts';
import { writeBatch } from './write-batch.ts';

/**
 * Reads the catalog of a campus, as it comes, into the tables: batch by batch, each a transaction, so that whoever stops it in the
 * middle has lost nothing and the next reading goes over it again. Only one that was read to its end says what is gone.
 */
export interface IngestParts {
  db: Database;
  feed: Pick<Feed, 'courses'>;
  clock: Clock;
  log: Log;
}

const batchSections = 200;
/** The largest course of a real campus takes a tenth of it. */
const courseOctetsMax = 4 * 1024 * 1024;

export async function ingestCatalog(parts: IngestParts, order: IngestOrder): Promise<Ingested> {
  const { feed, clock, log } = parts;
  const { termId, campusCode, signal } = order;
  const list = { termId, campusCode };
  const startedAt = clock.now();
  const answer = await feed.courses(list, signal);
  const ingested =
    answer.kind === 'failed' ? failureOf(answer) : await ingestPieces(parts, order, startedAt, answer.pieces);
  const tookMs = clock.now() - startedAt;
  if (ingested.kind === 'ingested') log.info('seats.catalog_ingested', { ...list, ...ingested, tookMs });
  else if (!signal.aborted) log.warn('seats.catalog_failed', { ...list, ...ingested, tookMs });
  return ingested;
}

function failureOf({ code, message, retryAfterMs }: Extract<CatalogAnswer, { kind: 'failed' }>): Ingested {
  return { kind: 'failed', code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

async function ingestPieces(
  parts: IngestParts,
  order: IngestOrder,
  startedAt: number,
  pieces: AsyncIterable<Uint8Array>,
): Promise<Ingested> {
  const { db, clock, log } = parts;
  const { termId, campusCode, signal } = order;
  const counts = { courses: 0, sections: 0, changed: 0, flips: 0, unusable: 0 };
  const indexes = new Set<string>();
  const courseIds = new Set<number>();
  const wire = watchedPieces(pieces);
  let batch: CatalogEntry[] = [];
  let waiting = 0;

  async function flush(): Promise<void> {
    const entries = batch;
    [batch, waiting] = [[], 0];
    if (entries.length === 0) return;
    const written = await writeBatch(db, { termId, campusCode, entries, startedAt, now: clock.now() });
    for (const courseId of written.courseIds) courseIds.add(courseId);
    counts.changed += written.changed;
    counts.flips += written.flips;
    counts.courses += entries.length;
    counts.sections = indexes.size;
    order.onProgress?.({ courses: counts.courses, sections: counts.sections, octets: wire.octets() });
    // A large catalog must not keep everybody else waiting.
    await clock.nextTurn();
  }

  async function readAll(): Promise<Failure | undefined> {
    for await (const element of readJsonElements(wire.pieces, courseOctetsMax)) {
      if (signal.aborted) break;
      if ('problem' in element) return { kind: 'failed', ...element.problem };
      const { entry, unusable } = withoutRepeats(catalogEntryOf(element.value), indexes);
      counts.unusable += unusable;
      if (entry === undefined) continue;
      batch.push(entry);
      waiting += entry.sections.length;
      if (waiting >= batchSections) await flush();
    }
    return signal.aborted ? stopped : undefined;
  }

  const problem = await readAll();
  if (signal.aborted) return stopped;
  // Also what came before something broke is so.
  await flush();
  await resolveWatches(db, termId, clock.now());
  const failure = wire.failure() ?? problem;
  if (failure) return failure;
  if (indexes.size === 0) return emptyCatalog(termId, campusCode);
  const whole = { termId, campusCode, startedAt, now: clock.now(), indexes, courseIds };
  const { gone, doubted } = await finishIngest(db, whole);
  if (doubted > 0) {
    const [missing, listed] = [doubted, indexes.size];
    log.warn('seats.catalog_doubted', { termId, campusCode, missing, listed });
  }
  return { kind: 'ingested', ...counts, gone };
}

type Failure = Extract<Ingested, { kind: 'failed' }>;

const stopped: Failure = { kind: 'failed', code: 'stopped', message: 'It was stopped before it was done.' };

/** An unknown term and an unknown campus are answered like this, which says nothing about sections. */
function emptyCatalog(termId: string, campusCode: string): Failure {
  const message = `The feed lists no section for term ${termId} at ${campusCode}. Check both, or wait until it does.`;
  return { kind: 'failed', code: 'empty_catalog', message };
}

/** The first of two that have the same index is taken; a course without a section is nothing that can be watched. */
function withoutRepeats(entry: CatalogEntry | undefined, indexes: Set<string>) {
  if (entry === undefined) return { entry, unusable: 1 };
  const sections = entry.sections.filter(({ index_number }) => {
    if (indexes.has(index_number)) return false;
    indexes.add(index_number);
    return true;
  });
  const unusable = entry.unusable + entry.sections.length - sections.length;
  return { entry: sections.length === 0 ? undefined : { ...entry, sections }, unusable };
}

/** A connection that breaks is an answer like any other; what the database throws is not, and passes by. */
function watchedPieces(pieces: AsyncIterable<Uint8Array>) {
  let octets = 0;
  let failure: Failure | undefined;
  async function* watched() {
    try {
      for await (const piece of pieces) {
        octets += piece.length;
        yield piece;
      }
    } catch (error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      failure = {
        kind: 'failed',
        code: typeof code === 'string' ? code : 'interrupted',
        message: `The catalog broke off after ${octets} octets: ${String(message)}`,
      };
    }
  }
  return { pieces: watched(), octets: () => octets, failure: () => failure };
}
