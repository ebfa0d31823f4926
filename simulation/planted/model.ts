import type { PlantedBug } from './planted-bug.ts';

/** The rules that the model of the life cycle was run without, one at a time: each broke a promise within seconds. */
export const modelBugs: readonly PlantedBug[] = [
  {
    name: 'consent-only-in-the-claim',
    rule: 'consent',
    because: 'claims, then the address is suppressed, then sends',
    edits: [
      {
        file: 'dispatch/gate.ts',
        find: 'verdicts.set(seq, verdictOf(event));',
        replace: 'if (false) verdicts.set(seq, verdictOf(event));',
      },
    ],
  },
  {
    name: 'refusal-ends-a-doubt',
    rule: 'dead letter',
    because: 'accepted, answer lost, resubmitted, 422: failed_permanent with a live mail',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: '    if (mayHaveIt && provider.lookUp) {',
        replace: `    if (outcome?.kind === 'refused_for_good') return { ...base, event: 'refused_for_good', error: outcome.error };
    if (mayHaveIt && provider.lookUp) {`,
      },
      {
        file: 'domain/lifecycle.ts',
        find: "    undecidable: { to: 'needs_review',",
        replace: `    refused_for_good: { to: 'failed_permanent', by: 'reconcile', isFenced: true, effect: '' },
    undecidable: { to: 'needs_review',`,
      },
    ],
  },
  {
    name: 'dead-letter-while-unknown',
    rule: 'dead letter',
    because: 'the last attempt was accepted, its answer lost: failed_permanent with a live mail',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: "    case 'unknown': {",
        replace: `    case 'unknown': {
      if (claimed.attempts + 1 >= policy.attemptsMax) return { ...base, event: 'gave_up', error: outcome.error };`,
      },
    ],
  },
  {
    name: 'concurrent-means-deferred',
    rule: 'attempts',
    because: 'a request under the same key is under way: pending with a live mail',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: "    case 'unknown': {",
        replace: `    case 'unknown': {
      if (outcome.isAttempt === false) return { ...base, event: 'deferred', dueAt: now + deferralMs };`,
      },
    ],
  },
  {
    name: 'last-inner-answer-wins',
    rule: 'dead letter',
    because: 'time-out, then a refusal: failed_transient with a live mail',
    edits: [
      {
        file: 'domain/outcome.ts',
        find: '(strength[next.kind] >= strength[sofar.kind] ? next : sofar)',
        replace: '(strength[next.kind] >= strength[sofar.kind] ? next : next)',
      },
    ],
  },
  {
    name: 'window-checked-at-the-decision',
    rule: 'key window',
    because: 'resubmitted just inside the key window, posted just outside: twice',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return canResubmit(state, report.account);',
        replace: 'return canResubmit({ ...state, dueAt: now }, report.account);',
      },
      // The margin of an hour would hide it: it covers what the rule does not.
      {
        file: 'dispatch/dispatch.ts',
        find: 'const keyWindowMarginMs = 60 * 60 * 1000;',
        replace: 'const keyWindowMarginMs = 0;',
      },
    ],
  },
  {
    name: 'webhooks-by-status-alone',
    rule: 'decision 0001',
    because: 'a soft bounce, then a late "sent" of the same mail: sent',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'const wins = rank > before.evidence ||',
        replace: "const wins = rank > before.evidence || before.status === 'failed_transient' ||",
      },
    ],
  },
  {
    name: 'no-account-pin',
    rule: 'key window',
    because: 'the account is switched in mid-doubt: twice',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: 'claimed.source === source.name && claimed.account === provider.account && claimed.frozen',
        replace: 'claimed.source === source.name && claimed.frozen',
      },
      {
        file: 'domain/transition.ts',
        find: 'state.dueAt === null || state.account !== account) return false;',
        replace: 'state.dueAt === null || account === undefined) return false;',
      },
      {
        file: 'dispatch/reconcile.ts',
        find: 'const isOurs = one.account === provider.account;',
        replace: 'const isOurs = true;',
      },
    ],
  },
  {
    name: 'no-own-deadline',
    rule: 'lease',
    because: 'a sender that stood still posts after the look-up said "absent": twice',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: 'const startBefore = leaseEndsAt - longestCallMs;',
        replace: 'const startBefore = Infinity + leaseEndsAt - longestCallMs;',
      },
      // The wall clock, which is for machines that sleep, would hide it.
      {
        file: 'dispatch/send.ts',
        find: 'clock.now() + longestCallMs <= one.claimed.leaseEndsAt',
        replace: 'true',
      },
      {
        file: 'providers/too-late.ts',
        find: 'clock.monotonic() > startBefore || clock.now() + longestCallMs > leaseEndsAt',
        replace: 'clock.monotonic() > startBefore && longestCallMs > leaseEndsAt',
      },
    ],
  },
];
