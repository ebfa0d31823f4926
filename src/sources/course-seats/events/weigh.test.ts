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

const unseen = { edgeAt: null, isInHeldList: false };

function weights(belief: Belief, saidAfter = 1000): Weight[] {
  return words.map(([statusBefore, statusAfter]) => weigh({ statusBefore, statusAfter, saidAfter }, belief));
}

it('004-32 where the feed is silent, flips of the catalog are edges, and what is new to it is none', () => {
  const silent = { ...unseen, isFeedFresh: false, misses: 0 };
  expect(weights({ ...silent, isOpen: false })).toEqual(['opens', 'opens', 'kept', 'kept', 'kept', 'kept']);
  expect(weights({ ...silent, isOpen: true })).toEqual(['kept', 'kept', 'kept', 'closes', 'closes', 'kept']);
});

it('a feed that is fresh is believed', () => {
  const fresh = { ...unseen, isFeedFresh: true, misses: 0 };
  for (const isOpen of [true, false])
    expect(new Set(weights({ ...fresh, isOpen }))).toEqual(new Set(['kept']));
});

it('004-60 except that both say closed: one miss and a flip close', () => {
  const missed = { ...unseen, isFeedFresh: true, isOpen: true, misses: 1 };
  expect(weights(missed)).toEqual(['kept', 'kept', 'kept', 'closes', 'closes', 'kept']);
});

it('what may be older than what was last seen of a section says nothing of it', () => {
  const silent = { ...unseen, isFeedFresh: false, misses: 0 };
  for (const isOpen of [true, false])
    expect(new Set(weights({ ...silent, isOpen, edgeAt: 1000 }))).toEqual(new Set(['kept']));
  expect(weights({ ...silent, isOpen: false, edgeAt: 999 })[0]).toBe('opens');
  expect(weights({ ...silent, isOpen: true, edgeAt: 999 })[3]).toBe('closes');
  // It is missed just now: that is no matter of the past.
  expect(weights({ ...silent, isFeedFresh: true, isOpen: true, misses: 1, edgeAt: 1000 })[3]).toBe('closes');
});

it('what is in a list that is held back is not closed by the catalog; what is not in it may open', () => {
  const held = { ...unseen, isFeedFresh: false, misses: 0, isInHeldList: true };
  expect(weights({ ...held, isOpen: true })).toEqual(['kept', 'kept', 'kept', 'kept', 'kept', 'kept']);
  expect(weights({ ...held, isInHeldList: false, isOpen: false })[0]).toBe('opens');
});
