import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decideEdges, dedupeKey, type PastEvent, windowMs } from './open-event.ts';
import type { Edge } from './open-events.ts';

const start = Date.UTC(2026, 0, 5, 12, 0);
const open: Edge = { indexNumber: '09214', statusBefore: 'Closed', statusAfter: 'Open' };
const close: Edge = { indexNumber: '09214', statusBefore: 'Open', statusAfter: 'Closed' };
const past = (statusAfter: 'Open' | 'Closed', at: number, indexNumber = '09214'): PastEvent => ({
  ...{ indexNumber, statusAfter, at },
});
const decide = (edges: readonly Edge[], events: readonly PastEvent[], at: number) =>
  decideEdges(edges, events, { termId: '12026', at, campusOf: () => 'NB' }).map(({ dedupeKey: key }) => key);
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');

describe('the key of an open event', () => {
  it('004-17 is the sha1 of term, campus, index, status and the three minutes', () => {
    const at = 1_767_614_523_456;
    const parts = {
      termId: '12026',
      campusCode: 'NB',
      indexNumber: '09214',
      statusAfter: 'Open',
      at,
    } as const;
    expect(dedupeKey(parts)).toBe(sha1('12026|NB|09214|Open|9820080'));
    expect(dedupeKey({ ...parts, at: 9_820_080 * 180_000 })).toBe(dedupeKey(parts));
    expect(dedupeKey({ ...parts, at: 9_820_081 * 180_000 })).toBe(sha1('12026|NB|09214|Open|9820081'));
  });

  it('004-61 has a number of its own from the second of its kind in the same three minutes on', () => {
    const events = [past('Open', start), past('Closed', start + 30_000)];
    const bucket = start / windowMs;
    expect(decide([open], events, start + 60_000)).toEqual([sha1(`12026|NB|09214|Open|${bucket}|2`)]);
    const more = [...events, past('Open', start + 60_000)];
    expect(decide([close], more, start + 90_000)).toEqual([sha1(`12026|NB|09214|Closed|${bucket}|2`)]);
    const third = [...more, past('Closed', start + 90_000)];
    expect(decide([open], third, start + 120_000)).toEqual([sha1(`12026|NB|09214|Open|${bucket}|3`)]);
  });
});

describe('the window', () => {
  it('004-38 leaves out a second opening within three minutes, also across the boundary of two buckets', () => {
    const late = start + windowMs - 1_000;
    expect(decide([open], [past('Open', late)], late + 2_000)).toEqual([null]);
    expect(decide([open], [past('Open', late)], late + windowMs - 1)).toEqual([null]);
    expect(decide([open], [past('Open', late)], late + windowMs)).toEqual([expect.any(String)]);
  });

  it('004-58 a recorded Closed clears it, and one of another section does not', () => {
    const other = past('Closed', start + 1_000, '00001');
    expect(decide([open], [past('Open', start), other], start + 2_000)).toEqual([null]);
    const own = past('Closed', start + 1_000);
    expect(decide([open], [past('Open', start), own], start + 2_000)).toEqual([expect.any(String)]);
  });

  it('a batch is decided edge by edge: closed and opened in one, both are real', () => {
    const [closed, opened, again] = decide([close, open, open], [past('Open', start)], start + 60_000);
    expect(closed).toEqual(expect.any(String));
    expect(opened).toBe(sha1(`12026|NB|09214|Open|${start / windowMs}|2`));
    expect(again).toBeNull();
  });

  it('what is dated after now, because the clock was set back, is still recent', () => {
    expect(decide([open], [past('Open', start + 3_600_000)], start)).toEqual([null]);
  });
});
