import type { PlantedBug } from './planted-bug.ts';

const where = 'on a campus';
const feed = 'sources/course-seats/feed';

/** What the section feed says, and what is made of it. */
export const seatFeedBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'one-miss-closes', rule: 'spec 004', where },
    because: 'a list without a section for a moment closes it, and the next one mails everybody again',
    edits: [
      { file: `${feed}/open-list.ts`, find: 'const missesToClose = 2;', replace: 'const missesToClose = 1;' },
    ],
  },
  {
    ...{ name: 'misses-are-not-spaced', rule: 'decision 0017', where },
    because: 'two looks at the same cached list are two misses',
    edits: [
      {
        file: `${feed}/open-list.ts`,
        find: 'if (missedAt !== null && Math.abs(at - missedAt) < intervalMinMs) return false;',
        replace: '',
      },
    ],
  },
  {
    ...{ name: 'back-in-the-list-and-still-missed', rule: 'spec 004', where },
    because: 'a section that was missed once and came back is closed by the next miss, hours later',
    edits: [
      {
        file: `${feed}/open-list.ts`,
        find: 'if ((open.get(index)?.misses ?? 0) > 0) changes.set(index, present);',
        replace: 'if ((open.get(index)?.misses ?? 0) > 1) changes.set(index, present);',
      },
    ],
  },
  {
    ...{ name: 'an-empty-list-is-a-list', rule: 'spec 004', where },
    because: 'an empty answer closes whatever was open',
    edits: [
      {
        file: `${feed}/open-list.ts`,
        find: 'if (indexes.length === 0) return',
        replace: 'if (indexes.length < 0) return',
      },
    ],
  },
  {
    ...{ name: 'half-a-list-is-believed', rule: 'decision 0017', where },
    because: 'a list that lost a quarter of its sections closes them all, and opens them all when it is back',
    edits: [
      {
        file: `${feed}/open-list.ts`,
        find: 'if (!isHeldBack(held, missing.length, open.size)) {',
        replace: 'if (!isHeldBack(held, missing.length, open.size) || open.size > 0) {',
      },
    ],
  },
  {
    ...{ name: 'a-held-list-is-believed-at-once', rule: 'decision 0017', where },
    because: 'half a list is held back for one poll only',
    edits: [
      {
        file: `${feed}/held-list.ts`,
        find: 'samplesMin: 3, spanMinMs: 300_000,',
        replace: 'samplesMin: 2, spanMinMs: 0,',
      },
    ],
  },
  {
    ...{ name: 'a-held-list-is-never-believed', rule: 'decision 0017', where },
    because: 'a campus that fills up at once is shown as open for ever',
    edits: [
      {
        file: `${feed}/held-list.ts`,
        find: 'if (isConfirmed) return { confirmed: new Set(run.missing), held: null };',
        replace: 'if (isConfirmed && at < 0) return { confirmed: new Set(run.missing), held: null };',
      },
    ],
  },
  {
    ...{ name: 'a-held-list-opens-nothing', rule: 'decision 0017', where },
    because: 'while a list is held back nobody hears of what opens',
    edits: [
      {
        file: `${feed}/open-list.ts`,
        find: "if (stillHeld) return { at, verdict: 'held', opened, closed: [], changes, held: stillHeld };",
        replace:
          "if (stillHeld) return { at, verdict: 'held', opened: [], closed: [], changes: new Map(), held: stillHeld };",
      },
    ],
  },
  {
    ...{ name: 'the-first-list-opens-everything', rule: 'decision 0017', where },
    because: 'whoever watches an open section is mailed when the first list comes',
    edits: [
      {
        file: `${feed}/open-list.ts`,
        find: "return { at, verdict: 'baseline', opened: [], closed: [], changes, held };",
        replace: "return { at, verdict: 'baseline', opened, closed: [], changes, held };",
      },
    ],
  },
  {
    ...{ name: 'a-shared-list-is-asked-for-twice', rule: 'decision 0018', where },
    because: 'the same list is asked for by two names',
    edits: [
      {
        file: 'sources/course-seats/term.ts',
        find: "const shared: readonly string[] = ['NB', 'NK', 'CM'];",
        replace: "const shared: readonly string[] = ['NB', 'CM'];",
      },
    ],
  },
  {
    ...{ name: 'misses-are-kept-in-memory', rule: 'spec 004', where },
    because: 'a poller that starts anew counts from the beginning',
    edits: [
      {
        file: `${feed}/list-rows.ts`,
        find: '{ misses: row.misses, missedAt: row.missed_at }',
        replace: '{ misses: 0, missedAt: null }',
      },
    ],
  },
  {
    ...{ name: 'no-version-of-the-list', rule: 'fence', where },
    because: 'a poller that stood still writes what it heard long ago over what was heard since',
    edits: [{ file: `${feed}/list-rows.ts`, find: "    .where('version', '=', version)\n", replace: '' }],
  },
  {
    ...{ name: 'the-feed-is-not-left-alone', rule: 'spec 004', where },
    because: 'a feed that wants to be asked less is asked as before',
    edits: [
      {
        file: `${feed}/feed-pace.ts`,
        find: 'pausedUntil: Math.max(pace.pausedUntil, now + pauseMs)',
        replace: 'pausedUntil: Math.min(pace.pausedUntil, now + pauseMs)',
      },
    ],
  },
  {
    ...{ name: 'no-rest-after-an-empty-list', rule: 'spec 004', where },
    because: 'a feed that answers with nothing is asked as if nothing were wrong',
    edits: [
      {
        file: `${feed}/feed-pace.ts`,
        find: 'export const emptyPauseMs = 30_000;',
        replace: 'export const emptyPauseMs = 15_000;',
      },
    ],
  },
];
