import { describe, expect, test } from 'vitest';
import { type CanaryCounts, judgeCanary, roomIn } from './canary.ts';

const counts = (more: Partial<CanaryCounts>): CanaryCounts => ({
  ...{ accepted: 0, open: 0, stuck: 0, bad: 0, isAnybodyLeft: true, lastAcceptedAt: null },
  ...more,
});
const limits = { canary_size: 1, canary_bounces_max: 0 };

describe('the room of a canary', () => {
  test('who cannot be mailed makes room for the next', () => {
    expect(roomIn(counts({}), limits)).toBe(1);
    expect(roomIn(counts({ open: 1 }), limits)).toBe(0);
    expect(roomIn(counts({ bad: 1 }), { ...limits, canary_bounces_max: 1 })).toBe(1);
  });

  test('there is none where it will be halted: nobody is mailed between the refusal and the verdict', () => {
    const refused = counts({ bad: 1 });
    expect(roomIn(refused, limits)).toBe(0);
    expect(judgeCanary(refused, { ...limits, waitMs: 0 }, 0)).toMatchObject({ kind: 'halt' });
  });
});
