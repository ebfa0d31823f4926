import type { SectionStatus } from '../../../db/seats-schema.ts';

/**
 * What a word of the catalog is worth beside the feed's (004-32, 004-55, 004-60). The catalog may be a quarter of an hour old when it
 * comes, so that a feed which is fresh is believed, except where both say that a section has closed: the feed misses it just now
 * and the catalog has seen it flip, which is as good as a second miss. Where the feed is silent, held back or not asked, the
 * catalog is all there is, and its flips are edges: unless they may be older than what was seen of the section by other eyes, or
 * the list that is held back has the section all the same.
 */
export interface CatalogWord {
  /** It is of this moment or later. */
  saidAfter: number;
  /** What the catalog itself had said before. */
  statusBefore: SectionStatus;
  statusAfter: SectionStatus;
}

export interface Belief {
  isFeedFresh: boolean;
  isOpen: boolean;
  /** Valid polls in a row that did not list it. */
  misses: number;
  /** When the feed, or an operator, last saw it open or close. */
  edgeAt: number | null;
  /** A list that is held back has it: half a list does not invent sections. */
  isInHeldList: boolean;
}

export type Weight = 'opens' | 'closes' | 'kept';

export function weigh({ statusBefore, statusAfter, saidAfter }: CatalogWord, belief: Belief): Weight {
  const isOld = belief.edgeAt !== null && belief.edgeAt >= saidAfter;
  if (statusAfter === 'Closed' || statusAfter === 'Wait') {
    if (!belief.isOpen) return 'kept';
    if (belief.isFeedFresh) return belief.misses === 0 ? 'kept' : 'closes';
    return isOld || belief.isInHeldList ? 'kept' : 'closes';
  }
  // 004-03: from Closed or Wait. A section that is new to the catalog was not seen to open.
  const isFlip = statusAfter === 'Open' && (statusBefore === 'Closed' || statusBefore === 'Wait');
  return isFlip && !belief.isOpen && !belief.isFeedFresh && !isOld ? 'opens' : 'kept';
}
