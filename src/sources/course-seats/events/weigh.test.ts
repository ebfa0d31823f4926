import { expect, it } from 'vitest';
import type { SectionStatus } from '../../../db/seats-schema.ts';
import { type Belief, type Weight, weigh } from './weigh.ts';

const words: readonly (readonly [SectionStatus, SectionStatus])[] = [
  ['Closed', 'Open'],
  ['Wait', 'Open'],
  ['Unknown', 'Open'],
  ['Open', 'Closed'],
  ['Open', 'Wait'],
  ['Open', 'Unknown'],
];

function weights(belief: Belief): Weight[] {
  return words.map(([statusBefore, statusAfter]) => weigh({ statusBefore, statusAfter }, belief));
}

it('004-32 where the feed is silent, flips of the catalog are edges, and what is new to it is none', () => {
  const silent = { isFeedFresh: false, misses: 0 };
  expect(weights({ ...silent, isOpen: false })).toEqual(['opens', 'opens', 'kept', 'kept', 'kept', 'kept']);
  expect(weights({ ...silent, isOpen: true })).toEqual(['kept', 'kept', 'kept', 'closes', 'closes', 'kept']);
});

it('a feed that is fresh is believed', () => {
  const fresh = { isFeedFresh: true, misses: 0 };
  for (const isOpen of [true, false])
    expect(new Set(weights({ ...fresh, isOpen }))).toEqual(new Set(['kept']));
});

it('004-60 except that both say closed: one miss and a flip close', () => {
  const missed = { isFeedFresh: true, isOpen: true, misses: 1 };
  expect(weights(missed)).toEqual(['kept', 'kept', 'kept', 'closes', 'closes', 'kept']);
});
