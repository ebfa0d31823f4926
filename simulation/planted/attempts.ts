import type { PlantedBug } from './planted-bug.ts';

/** What counts as an attempt, what kills its worker, and when a delivery is given up. */
export const attemptBugs: readonly PlantedBug[] = [
  {
    name: 'attempt-counted-at-the-claim',
    rule: 'attempts',
    because:
      'claims that came to nothing use up the attempts: a dead letter after fewer refusals than allowed',
    edits: [
      {
        file: 'outbox/claim.ts',
        find: "sql`status = 'claimed', claims = claims + 1,`",
        replace: "sql`status = 'claimed', claims = claims + 1, attempts = attempts + 1,`",
      },
    ],
  },
  {
    name: 'evidence-always-counts-an-attempt',
    rule: 'attempts',
    because: 'the sweep counts the lost attempt, and the webhook counts it again',
    edits: [
      {
        file: 'domain/transition.ts',
        find: "...(before.status === 'sending' && { attempts: before.attempts + 1, lapses: 0 }),",
        replace: 'attempts: before.attempts + 1,\n    lapses: 0,',
      },
    ],
  },
  {
    name: 'lapse-counts-an-attempt',
    rule: 'attempts',
    because: 'a worker died before anything left, and the delivery pays for it',
    edits: [
      {
        file: 'domain/lifecycle.ts',
        find: "lapsed: { to: 'pending', by: 'sweep', guard: 'lease over',",
        replace: "lapsed: { to: 'pending', by: 'sweep', guard: 'lease over', countsAttempt: true,",
      },
    ],
  },
  {
    name: 'five-lapses-are-not-enough',
    rule: 'attempts',
    because: 'a delivery that kills its worker does so for ever',
    edits: [
      {
        file: 'dispatch/sweep.ts',
        find: "if (row.lapses + 1 < lapsesMax) return { ...base, event: 'lapsed' };",
        replace: "return { ...base, event: 'lapsed' };",
      },
    ],
  },
  {
    name: 'suspects-in-a-batch',
    rule: 'attempts',
    because: 'a delivery that kills its worker takes its neighbours along, until they are dead letters too',
    edits: [
      { file: 'dispatch/lanes.ts', find: "from === 'suspects' ? 1 : ", replace: '' },
      {
        file: 'dispatch/lanes.ts',
        find: "...of(due, 'suspects', 1),",
        replace: "...of(due, 'suspects', count),",
      },
    ],
  },
  {
    name: 'deferral-burns-an-attempt',
    rule: 'attempts',
    because: 'a 429 is counted: a dead letter that was never refused',
    edits: [
      {
        file: 'domain/lifecycle.ts',
        find: `      isFenced: true,
      effect: 'not counted; the doubt ends',`,
        replace: `      isFenced: true,
      countsAttempt: true,
      effect: 'not counted; the doubt ends',`,
      },
    ],
  },
  {
    name: 'concurrent-counts-an-attempt',
    rule: 'attempts',
    because: 'a 409 that only says “under way” is counted as a call that has ended',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: 'const counted = outcome.isAttempt === false ? { isAttempt: false } : {};',
        replace: 'const counted = {};',
      },
    ],
  },
  {
    name: 'new-round-inherits-attempts',
    rule: 'attempts',
    because:
      'a round after a bounce begins with the attempts of the last: a dead letter at its first refusal',
    edits: [
      {
        file: 'outbox/claim.ts',
        find: 'attempts: round > row.round ? 0 : row.attempts,',
        replace: 'attempts: row.attempts,',
      },
      {
        file: 'domain/transition.ts',
        find: '{ attempts: 0, providerMessageId: null }',
        replace: '{ providerMessageId: null }',
      },
    ],
  },
  {
    name: 'success-on-the-last-attempt-is-failed',
    rule: 'dead letter',
    because: 'accepted at the last attempt, and called failed: failed_permanent with a live mail',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: "    case 'accepted':\n      return {",
        replace: `    case 'accepted':
      if (claimed.attempts + 1 >= policy.attemptsMax)
        return { ...base, event: 'gave_up', error: { code: 'attempts_used_up' } };
      return {`,
      },
    ],
  },
  {
    name: 'one-attempt-too-few',
    rule: 'dead letter',
    because: 'a dead letter although one more attempt was promised',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: 'if (attemptsAfter >= policy.attemptsMax)',
        replace: 'if (attemptsAfter + 1 >= policy.attemptsMax)',
      },
    ],
  },
];
