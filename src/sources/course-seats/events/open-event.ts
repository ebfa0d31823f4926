import { createHash } from 'node:crypto';
import type { Edge } from './open-events.ts';

/**
 * Which edges become events, and under which key: decided from the edges and from what was recorded in the last three minutes,
 * and from nothing else. The key is spec 004's; beside it stands a window that rolls, because fixed windows have a boundary, and
 * two openings on either side of it would both be told (DESIGN 8.2).
 */
export interface PastEvent {
  indexNumber: string;
  statusAfter: 'Open' | 'Closed';
  at: number;
}

export interface DedupeParts {
  termId: string;
  campusCode: string;
  indexNumber: string;
  statusAfter: 'Open' | 'Closed';
  at: number;
}

export type Decided = { edge: Edge; dedupeKey: string } | { edge: Edge; dedupeKey: null };

/** Spec 004: `bucket_3m`, and how long an opening that nobody saw closing is the same opening. */
export const windowMs = 180_000;

const bucketOf = (at: number) => Math.floor(at / windowMs);

/** `times`: the how-many-eth of its kind in its three minutes, which can only be after the opposite was recorded between. */
export function dedupeKey({ termId, campusCode, indexNumber, statusAfter, at }: DedupeParts, times = 1) {
  const text = [termId, campusCode, indexNumber, statusAfter, bucketOf(at)].join('|');
  return createHash('sha1')
    .update(times > 1 ? `${text}|${times}` : text, 'utf8')
    .digest('hex');
}

/**
 * In the order of the edges: one that repeats the last event of its section within the window has no key and is left out.
 * `past` is in the order in which it was recorded, and holds at least all of the window before `at`.
 */
export function decideEdges(
  edges: readonly Edge[],
  past: readonly PastEvent[],
  seen: { termId: string; at: number; campusOf: (indexNumber: string) => string },
): Decided[] {
  const { termId, at, campusOf } = seen;
  const recent = new Map<string, PastEvent[]>();
  // What is dated later than now was written before the clock was set back: it is as recent as can be.
  for (const event of past) if (event.at > at - windowMs) listIn(recent, event.indexNumber).push(event);
  return edges.map((edge) => {
    const { indexNumber, statusAfter } = edge;
    const events = listIn(recent, indexNumber);
    if (events.at(-1)?.statusAfter === statusAfter) return { edge, dedupeKey: null };
    const alike = events.filter(
      (event) => event.statusAfter === statusAfter && bucketOf(event.at) === bucketOf(at),
    );
    events.push({ indexNumber, statusAfter, at });
    const parts = { termId, campusCode: campusOf(indexNumber), indexNumber, statusAfter, at };
    return { edge, dedupeKey: dedupeKey(parts, alike.length + 1) };
  });
}

function listIn(lists: Map<string, PastEvent[]>, key: string): PastEvent[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
