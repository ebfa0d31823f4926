import type { PlantedBug } from './planted-bug.ts';

/** How fast, when not, and in whose turn. */
export const paceBugs: readonly PlantedBug[] = [
  {
    name: 'circuit-never-opens',
    rule: 'pace',
    because: 'a provider that is down gets the whole backlog, mail by mail',
    edits: [
      {
        file: 'domain/pace.ts',
        find: 'return reason === null ? next : open(next, reason, now);',
        replace: 'return next;',
      },
    ],
  },
  {
    name: 'circuit-never-closes',
    rule: 'pace',
    because: 'the provider is up again, and nobody finds out',
    edits: [
      {
        file: 'domain/pace.ts',
        find: 'if (state.openSince === null || state.probeAt === null || state.probeAt > now) return null;',
        replace:
          'if (state.openSince === null || state.probeAt === null || state.probeAt > state.openSince) return null;',
      },
    ],
  },
  {
    name: 'pause-is-not-kept',
    rule: 'pace',
    because: 'the provider asked to be left alone, and the next worker does not',
    edits: [
      {
        file: 'domain/pace.ts',
        find: 'if (state.pausedUntil > now) return none(state.pausedUntil - now);',
        replace: '',
      },
    ],
  },
  {
    name: 'retry-after-is-ignored',
    rule: 'pace',
    because: 'the row is due before the provider said that it would take it',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: 'dueAt: now + wholeMs(outcome.retryAfterMs ?? deferralMs),',
        replace: 'dueAt: now + wholeMs(Math.min(outcome.retryAfterMs ?? deferralMs, deferralMs)),',
      },
    ],
  },
  {
    name: 'claims-more-than-permitted',
    rule: 'pace',
    because: 'more is claimed than may leave: over the rate, or held in vain',
    edits: [
      {
        file: 'dispatch/dispatch.ts',
        find: 'limit: Math.min(limit, most) }',
        replace: "limit: from === 'suspects' ? 1 : batchMax }",
      },
    ],
  },
  {
    name: 'missed-slots-are-made-up-for',
    rule: 'decision 0011',
    because: 'after a stall all reserved slots are used at once: over the rate',
    edits: [
      {
        file: 'dispatch/slots.ts',
        find: 'if (clock.now() <= at + slotGraceMs) return true;',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'pauses-stop-nobody',
    rule: 'pace',
    because: 'an operator pauses a source, and its mails go on leaving',
    edits: [
      {
        file: 'dispatch/dispatch.ts',
        find: '.filter(({ source }) => !pausedSources.has(source))',
        replace: '',
      },
    ],
  },
  {
    name: 'urgent-waits-behind-bulk',
    rule: 'lanes',
    because: 'the lanes are served in the wrong order',
    edits: [
      {
        file: 'dispatch/lanes.ts',
        find: '...lanes.flatMap((lane) => of(due, lane, count)),',
        replace: '...[...lanes].reverse().flatMap((lane) => of(due, lane, count)),',
      },
    ],
  },
  {
    name: 'bulk-starves',
    rule: 'lanes',
    because: 'while urgent mail comes in, bulk never leaves',
    edits: [
      {
        file: 'dispatch/lanes.ts',
        find: 'const owedMax = 20;',
        replace: 'const owedMax = 0.5;',
      },
    ],
  },
];
