import { expect, test } from 'vitest';
import { undoWithinMs } from '../domain/suppression.ts';
import { tellLeft } from './unsubscribed-words.ts';

const at = Date.UTC(2026, 10, 17, 21, 23, 7);
const toldAt = (now: number) => tellLeft({ source: 'plain', at }, 'ana@example.org', now);

test('who has left can take it back by the link for a day, and until when is said', () => {
  expect(toldAt(at + 5_000)).toBe(
    'They left the source plain 5 s ago, by the link in a mail. They can take that back there until 18 November 2026, 21:23 UTC. If they ask to be back: npx tidings suppressions remove ana@example.org --unsubscribed-from plain --because "…"',
  );
  expect(toldAt(at + undoWithinMs)).toContain(' until 18 November 2026, 21:23 UTC.');
});

test('after that only how they come back', () => {
  expect(toldAt(at + undoWithinMs + 1)).toBe(
    'They left the source plain 24 h ago, by the link in a mail. If they ask to be back: npx tidings suppressions remove ana@example.org --unsubscribed-from plain --because "…"',
  );
});
