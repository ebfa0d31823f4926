import type { ListKey } from '../term.ts';

/**
 * The section feed, over HTTP. What comes is not trusted: it is bounded in size and time, and whatever is not a list of indexes
 * is an answer that says so, never an exception.
 */
export interface Feed {
  openSections(list: ListKey, signal: AbortSignal): Promise<ListAnswer>;
  /** The catalog of a campus as it comes, piece by piece: it is too large to be held. */
  courses(list: ListKey, signal: AbortSignal): Promise<CatalogAnswer>;
  close(): Promise<void>;
}

export type ListAnswer =
  | {
      kind: 'list';
      /** Distinct and sorted. */
      indexes: readonly string[];
      /** Of the indexes, not of the bytes: their order is not guaranteed. */
      sourceHash: string;
    }
  | FeedFailure;

export type CatalogAnswer =
  /** `pieces` throws an error with the failure's `code` and `message` when the rest does not come. */
  { kind: 'catalog'; pieces: AsyncIterable<Uint8Array> } | FeedFailure;

export interface FeedFailure {
  kind: 'failed';
  /** What the server said; null where nothing usable came. */
  status: number | null;
  /** `http_429`, `timed_out`, `not_json`, `too_large`, `unreachable` … */
  code: string;
  message: string;
  retryAfterMs?: number;
}
