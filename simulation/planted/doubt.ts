import type { PlantedBug } from './planted-bug.ts';

/** Mails of which nobody knows: the key's window, resubmission, look-ups, the account that holds them, operators. */
export const doubtBugs: readonly PlantedBug[] = [
  {
    name: 'window-not-checked',
    rule: 'key window',
    because: 'resubmitted a day later, when the provider has forgotten the key: twice',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return state.dueAt < state.resubmitUntil;',
        replace: 'return true;',
      },
    ],
  },
  {
    name: 'window-counted-from-the-last-attempt',
    rule: 'key window',
    because: 'each resubmission prolongs the window, and the provider counts from the first: twice',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return { lastAttemptAt: now };',
        replace:
          'return { lastAttemptAt: now, resubmitUntil: (before.resubmitUntil ?? 0) + now - (before.lastAttemptAt ?? now) };',
      },
    ],
  },
  {
    name: 'absent-before-the-lease-is-over',
    rule: 'key window',
    because:
      'the look-up says “absent” while the lost worker may still post: failed_transient, then a live mail',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: 'return lastAttemptAt + Math.max(leaseOf(source), leaseMs) + indexingDelayMs;',
        replace: 'return lastAttemptAt + indexingDelayMs;',
      },
    ],
  },
  {
    name: 'absent-before-it-is-indexed',
    rule: 'key window',
    because: 'accepted a moment ago and not yet to be found: failed_transient with a live mail',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: 'return lastAttemptAt + Math.max(leaseOf(source), leaseMs) + indexingDelayMs;',
        replace: 'return lastAttemptAt + Math.max(leaseOf(source), leaseMs);',
      },
    ],
  },
  {
    name: 'absent-right-after-resubmitting',
    rule: 'key window',
    because: 'the second submission is still under way when the look-up does not find it',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: "answer.kind === 'absent' && isOurs && startBefore === null && askedAt",
        replace: "answer.kind === 'absent' && isOurs && askedAt",
      },
    ],
  },
  {
    name: 'absent-by-another-account',
    rule: 'key window',
    because: 'the new account does not know what the old one accepted: sent again by the new one',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: 'const mayHaveIt = isOurs || one.account === null;',
        replace: 'const mayHaveIt = true;',
      },
      {
        file: 'dispatch/reconcile.ts',
        find: "answer.kind === 'absent' && isOurs && startBefore",
        replace: "answer.kind === 'absent' && startBefore",
      },
    ],
  },
  {
    name: 'operator-asked-too-early',
    rule: 'decision 0009',
    because:
      'the operator looks, finds nothing and says so; then the provider accepts what it had been given',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: 'return Math.max(one.resubmitUntil ?? 0, absentFrom(one));',
        replace: 'return one.resubmitUntil ?? 0;',
      },
    ],
  },
  {
    name: 'dead-letter-from-doubt',
    rule: 'dead letter',
    because: 'doubtful so often that it is given up: failed_permanent with a live mail',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: '    const isAttempt = outcome !== null &&',
        replace: `    if (one.attempts + 1 >= 3) return { ...base, event: 'gave_up', error: { code: 'attempts_used_up' } };
    const isAttempt = outcome !== null &&`,
      },
      {
        file: 'domain/lifecycle.ts',
        find: "    undecidable: { to: 'needs_review',",
        replace: `    gave_up: { to: 'failed_permanent', by: 'reconcile', isFenced: true, effect: '' },
    undecidable: { to: 'needs_review',`,
      },
    ],
  },
  {
    name: 'throttled-resubmission-ends-the-doubt',
    rule: 'dead letter',
    because:
      'the second submission met a 429, so the first was not accepted either: pending with a live mail',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: '    if (mayHaveIt && provider.lookUp) {',
        replace: `    if (outcome?.kind === 'deferred') return { ...base, event: 'deferred', dueAt: clock.now() + againFirstMs };
    if (mayHaveIt && provider.lookUp) {`,
      },
      {
        file: 'domain/lifecycle.ts',
        find: "    undecidable: { to: 'needs_review',",
        replace: `    deferred: { to: 'pending', by: 'reconcile', isFenced: true, effect: '' },
    undecidable: { to: 'needs_review',`,
      },
    ],
  },
  {
    name: 'conflict-does-not-bar-the-key',
    rule: 'one key, one body',
    because:
      'the provider said that the key was used with another body, and is asked again with the same one',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return { ...released, dueAt, resubmitUntil: null };',
        replace: 'return { ...released, dueAt };',
      },
    ],
  },
  {
    name: 'requeued-while-in-doubt',
    rule: 'life cycle',
    because: 'closed with a doubt, requeued, sent under a new key: two live mails',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return state.firstPossibleAcceptAt === null;',
        replace: 'return true;',
      },
      {
        file: 'domain/transition.ts',
        find: 'const restart = { ...released, dueAt: now,',
        replace: 'const restart = { ...released, ...settled, dueAt: now,',
      },
    ],
  },
  {
    name: 'operator-decides-what-is-settled',
    rule: 'life cycle',
    because: 'of two who decide at once the second wins: sent, and nobody accepted it',
    edits: [
      {
        file: 'outbox/operator.ts',
        find: "if (row?.state.status !== 'needs_review') return",
        replace: 'if (!row) return',
      },
    ],
  },
  {
    name: 'patience-without-keys',
    rule: 'ports',
    because: 'the patient sender tries a time-out again where no key tells the two apart: twice',
    edits: [
      {
        file: 'providers/reliable.ts',
        find: "if (outcome.kind === 'unknown') return guarantees.idempotencyWindowMs !== null;",
        replace: "if (outcome.kind === 'unknown') return true;",
      },
    ],
  },
  {
    name: 'conflict-is-looked-for-nearby',
    rule: 'key window',
    because:
      'after a fail-over a look-up does not reach back to the mail that holds the key: asked for ever, then twice',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: 'return isBarred ? (idempotencyWindowMs ?? 0) : 0;',
        replace: 'return isBarred ? 0 * (idempotencyWindowMs ?? 0) : 0;',
      },
    ],
  },
  {
    name: 'number-taken-for-a-name',
    rule: 'fence',
    because:
      'after a fail-over a number is given out again: what was heard of one delivery is written to another',
    edits: [
      {
        file: 'outbox/record.ts',
        find: 'return id === undefined || row?.id === id ? row : undefined;',
        replace: 'return id === undefined || row?.id ? row : undefined;',
      },
      {
        file: 'outbox/record.ts',
        find: 'if (ids.length === 0) return new Map();',
        replace: 'if (ids.length >= 0) return new Map();',
      },
    ],
  },
  {
    name: 'asleep-by-one-clock',
    rule: 'lease',
    because:
      'a machine sleeps with the mail in its hand, and sends it when it wakes up: its lease is long over',
    edits: [
      {
        file: 'providers/too-late.ts',
        find: 'clock.monotonic() > startBefore || clock.now() + longestCallMs > leaseEndsAt',
        replace: 'clock.monotonic() > startBefore || longestCallMs > leaseEndsAt',
      },
    ],
  },
];
