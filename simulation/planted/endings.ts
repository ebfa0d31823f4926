import type { PlantedBug } from './planted-bug.ts';

/** Nothing is sent twice, and yet somebody is never told: what ends too soon, and what is never taken. */
export const endingBugs: readonly PlantedBug[] = [
  {
    name: 'id-depends-on-time',
    rule: 'one key, one body',
    because:
      'what is asked for again after a fail-over has another key, and the provider takes it for another mail',
    edits: [
      {
        file: 'outbox/outbox.ts',
        find: 'const asked = askedOf(namespace, intents);',
        replace:
          'const asked = askedOf(namespace, intents.map((one) => ({ ...one, occasion: clock.now() + one.occasion }))).map((one, at) => ({ ...one, occasion: (intents[at] as Intent).occasion }));',
      },
    ],
  },
  {
    name: 'asking-again-fails',
    rule: 'ports',
    because: 'a source whose answer was lost asks again, is refused with all that it asks for, and gives up',
    edits: [
      {
        file: 'db/dialect.ts',
        find: "const tail = 'ON CONFLICT DO NOTHING';",
        replace: "const tail = '';",
      },
    ],
  },
  {
    name: 'two-lapses-are-the-end',
    rule: 'attempts',
    because: 'a row is given up because two workers died, which it had nothing to do with',
    edits: [{ file: 'dispatch/sweep.ts', find: 'const lapsesMax = 5;', replace: 'const lapsesMax = 2;' }],
  },
  {
    name: 'expires-before-its-time',
    rule: 'life cycle',
    because: 'what still has time is thrown away',
    edits: [
      {
        file: 'outbox/expire.ts',
        find: ".where('expires_at', '<=', now)",
        replace: ".where('expires_at', '<=', now + 6 * 3_600_000)",
      },
    ],
  },
  {
    name: 'failed-draft-is-the-end',
    rule: 'ports',
    because: 'a source that cannot answer for a moment loses what it was asked about',
    edits: [
      {
        file: 'dispatch/compose.ts',
        find: "return { ...base, event: 'deferred', dueAt: made.dueAt ?? clock.now() + draftAgainMs, error: made.error };",
        replace: "return { ...base, event: 'unsendable', error: made.error };",
      },
    ],
  },
  {
    name: 'not-now-means-never',
    rule: 'ports',
    because: 'a source that wants a mail to wait never sees it leave',
    edits: [
      {
        file: 'dispatch/gate.ts',
        find: 'for (const { seq, expiresAt } of claimed) {',
        replace:
          "for (const [seq, { event }] of verdicts) if (event === 'deferred') verdicts.set(seq, { event: 'ineligible' });\n    for (const { seq, expiresAt } of claimed) {",
      },
    ],
  },
  {
    name: 'first-soft-bounce-is-the-last',
    rule: 'life cycle',
    because: 'a mailbox that was full for an hour never gets the mail',
    edits: [
      {
        file: 'domain/transition.ts',
        find: "return evidenceEvents[event].next === 'failed_transient' && round >= roundsMax;",
        replace:
          "return evidenceEvents[event].next === 'failed_transient' && round >= Math.min(1, roundsMax);",
      },
    ],
  },
];
