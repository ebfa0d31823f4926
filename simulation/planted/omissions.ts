import type { PlantedBug } from './planted-bug.ts';

/** What is not done, or done by halves: nothing goes wrong at once, and somebody waits for ever. */
export const omissionBugs: readonly PlantedBug[] = [
  {
    name: 'refusal-is-not-counted',
    rule: 'attempts',
    because: 'a mail that is refused for now is tried for ever',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'if (path.countsAttempt && report.isAttempt !== false) state.attempts += 1;',
        replace:
          "if (path.countsAttempt && report.isAttempt !== false && report.event !== 'refused_for_now') state.attempts += 1;",
      },
    ],
  },
  {
    name: 'lost-sender-is-not-counted',
    rule: 'attempts',
    because: 'a lease that ran out while sending is an attempt of which nobody tells',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'if (path.countsAttempt && report.isAttempt !== false) state.attempts += 1;',
        replace:
          "if (path.countsAttempt && report.isAttempt !== false && report.event !== 'lease_expired') state.attempts += 1;",
      },
    ],
  },
  {
    name: 'time-out-is-not-counted',
    rule: 'attempts',
    because: 'a call that came to no end is an attempt of which nobody tells',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'if (path.countsAttempt && report.isAttempt !== false) state.attempts += 1;',
        replace:
          "if (path.countsAttempt && report.isAttempt !== false && report.event !== 'outcome_unknown') state.attempts += 1;",
      },
    ],
  },
  {
    name: 'nobody-asks-what-became-of-it',
    rule: 'decision 0013',
    because: 'webhooks are lost, and nobody asks the provider',
    edits: [
      {
        file: 'dispatch/heal.ts',
        find: 'return mails.length === 0 ? 0 : ask(mails, signal);',
        replace: 'return mails.length === 0 || signal ? 0 : ask(mails, signal);',
      },
    ],
  },
  {
    name: 'requests-are-left-lying',
    rule: 'ports',
    because: 'what an operator asks for by SQL is never done',
    edits: [
      {
        file: 'dispatch/sweep.ts',
        find: 'requests: await counted(outbox.performRequests),',
        replace: 'requests: await counted(async () => 0),',
      },
    ],
  },
  {
    name: 'found-and-forgotten',
    rule: 'key window',
    because: 'a look-up finds the mail, and a person is asked all the same',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: "if (answer.kind === 'found') {",
        replace: "if (answer.kind === 'found' && answer.at < 0) {",
      },
    ],
  },
  {
    name: 'a-person-is-asked-while-the-key-is-good',
    rule: 'key window',
    because: 'a person has to decide what the same key would settle',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: 'return Math.max(one.resubmitUntil ?? 0, absentFrom(one));',
        replace: 'return absentFrom(one);',
      },
    ],
  },
  {
    name: 'sent-says-nothing',
    rule: 'webhooks',
    because: 'the provider tells that it was sent, and nobody believes it',
    edits: [
      {
        file: 'webhooks/resend-event.ts',
        find: "['email.sent', says('accepted')],",
        replace: "['email.sent', () => ({ evidence: null, error: null })],",
      },
    ],
  },
  {
    name: 'any-holder-of-the-number',
    rule: 'decision 0016',
    because: 'after a fail-over two workers have the same lease, and one speaks for the other',
    edits: [{ file: 'outbox/record.ts', find: 'if (isOthers(report, row)) {', replace: 'if (false) {' }],
  },
  {
    name: 'absent-is-believed-of-a-taken-key',
    rule: 'decision 0016',
    because: 'something holds the key, and it is called absent: sent again, again and again',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: "heard.kind === 'absent' && usedMs > 0",
        replace: "heard.kind === 'absent' && usedMs < 0",
      },
    ],
  },
  {
    name: 'second-conflict-is-overheard',
    rule: 'decision 0016',
    because: 'the key is refused on a second submission, and it is submitted for a day',
    edits: [
      {
        file: 'dispatch/reconcile.ts',
        find: "if (outcome?.kind === 'key_conflict') {",
        replace: "if (outcome?.kind === 'key_conflict' && outcome.error.code === '') {",
      },
    ],
  },
];
