import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Outcome, strongest } from './outcome.ts';

const error = (code: string) => ({ code });
const one = {
  accepted: { kind: 'accepted', messageId: 'id' },
  key_conflict: { kind: 'key_conflict', error: error('conflict') },
  unknown: { kind: 'unknown', error: error('lost') },
  refused_for_good: { kind: 'refused_for_good', error: error('no') },
  refused_for_now: { kind: 'refused_for_now', error: error('later'), retryAfterMs: 5 },
  deferred: { kind: 'deferred', error: error('down'), trouble: 'unreachable' },
} as const satisfies { [Kind in Outcome['kind']]: Extract<Outcome, { kind: Kind }> };
/** From the strongest down, as the specification of inner retries lists them. */
const order = [
  'accepted',
  'key_conflict',
  'unknown',
  'refused_for_good',
  'refused_for_now',
  'deferred',
] as const;
const notAnAttempt: Outcome = { kind: 'unknown', error: error('concurrent'), isAttempt: false };

describe('strongest', () => {
  it('of one is itself', () => {
    for (const kind of order) expect(strongest([one[kind]])).toEqual(one[kind]);
    expect(strongest([notAnAttempt])).toBe(notAnAttempt);
  });

  it('of every pair is the one that comes first in the order, whichever was heard first', () => {
    order.forEach((stronger, index) => {
      for (const weaker of order.slice(index + 1)) {
        expect(strongest([one[stronger], one[weaker]])).toEqual(one[stronger]);
        expect(strongest([one[weaker], one[stronger]])).toEqual(one[stronger]);
      }
    });
  });

  it('of every triple is the strongest of its pairs, in any order and grouping', () => {
    for (const a of order) {
      for (const b of order) {
        for (const c of order) {
          const expected = order.find((kind) => kind === a || kind === b || kind === c);
          const whole = strongest([one[a], one[b], one[c]]);
          expect(whole.kind).toBe(expected);
          expect(strongest([strongest([one[a], one[b]]), one[c]])).toEqual(whole);
          expect(strongest([one[a], strongest([one[b], one[c]])])).toEqual(whole);
        }
      }
    }
  });

  it('a refusal after a lost answer is unknown: the mail may have been accepted before', () => {
    expect(strongest([one.unknown, one.refused_for_good]).kind).toBe('unknown');
    expect(strongest([one.unknown, one.refused_for_now]).kind).toBe('unknown');
  });

  it('of equals is the last one', () => {
    const later = { ...one.refused_for_now, retryAfterMs: 9 };
    expect(strongest([one.refused_for_now, later])).toBe(later);
    expect(strongest([later, one.refused_for_now])).toBe(one.refused_for_now);
  });

  it('is no attempt only if none of them was', () => {
    expect(strongest([one.deferred, notAnAttempt])).toEqual(notAnAttempt);
    expect(strongest([notAnAttempt, one.refused_for_now])).toEqual({
      kind: 'unknown',
      error: error('concurrent'),
    });
    expect(strongest([one.unknown, notAnAttempt])).toEqual({ kind: 'unknown', error: error('concurrent') });
  });

  it('knows nothing that none of them said, and the kind does not depend on the order', () => {
    const outcome = fc.constantFrom(...Object.values(one), notAnAttempt);
    fc.assert(
      fc.property(outcome, fc.array(outcome, { maxLength: 6 }), (first, more) => {
        const all = [first, ...more] as const;
        const best = strongest([first, ...more]);
        expect(all.map(({ kind }) => kind)).toContain(best.kind);
        const [last, ...before] = [...all].reverse();
        if (last) expect(strongest([last, ...before]).kind).toBe(best.kind);
      }),
    );
  });
});
