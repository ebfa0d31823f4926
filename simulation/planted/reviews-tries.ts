import type { PlantedBug } from './planted-bug.ts';

const where = 'among reviewers';
const letters = 'sources/code-reviews/dead-letters';

/** Second tries, and the list of who was not told. */
export const reviewTryBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'what-was-accepted-is-tried-again', rule: 'second tries', where },
    because: 'who has the mail gets it once more, in a new round',
    edits: [
      {
        file: `${letters}/retry.ts`,
        find: "if (!isDead({ status, delivered_at: deliveredAt }, failures)) return 'already_sent';\n",
        replace: '',
      },
      {
        file: `${letters}/retry.ts`,
        find: "return sentAt !== null && failures.ending === null ? 'already_sent' : undefined;",
        replace: 'return undefined;',
      },
    ],
  },
  {
    ...{ name: 'who-said-no-is-tried-again', rule: 'second tries', where },
    because: 'what cannot be told is put back, and the caller is told that it will be',
    edits: [
      {
        file: `${letters}/retry.ts`,
        find: "if (objection) return objection === 'unsubscribed' ? 'unsubscribed' : 'suppressed';",
        replace: "if (objection === 'address_suppressed') return 'suppressed';",
      },
    ],
  },
  {
    ...{ name: 'one-is-named-and-all-are-tried', rule: 'second tries', where },
    because: 'a caller who wants one reviewer told has all of them told',
    edits: [
      {
        file: `${letters}/retry.ts`,
        find: 'return [...chosen.values()];',
        replace: 'return chosen.size > 0 ? [...recipients] : [];',
      },
    ],
  },
  {
    ...{ name: 'a-second-try-without-its-reason', rule: 'second tries', where },
    because: 'nobody can read in the story why it was tried again',
    edits: [
      {
        file: `${letters}/retry.ts`,
        find: "{ verb: 'requeued', reason: order.reason, operator: order.by }",
        replace: "{ verb: 'requeued', reason: 'a retry', operator: order.by }",
      },
    ],
  },
  {
    ...{ name: 'anybody-tries-a-third-time', rule: 'escalation', where },
    because: 'a caller presses the same button again and again',
    edits: [
      {
        file: `${letters}/retry.ts`,
        find: "if (failures.isEscalated && !isOperator) return 'escalated';\n",
        replace: '',
      },
    ],
  },
  {
    ...{ name: 'a-second-end-is-taken-for-a-first', rule: 'escalation', where },
    because: 'what has ended twice in the same way is never shown to an operator',
    edits: [
      {
        file: `${letters}/failures.ts`,
        find: '      before = failures.ending ?? before;\n      failures.ending = null;',
        replace: '      before = null;\n      failures.ending = null;',
      },
    ],
  },
  {
    ...{ name: 'only-what-was-given-up-is-dead', rule: 'dead letters', where },
    because: 'who is suppressed or has left is missing, and nobody knows it',
    edits: [
      {
        file: `${letters}/dead-letters.ts`,
        find: "status === 'needs_review' || (statuses[status].isFinal && statuses[status].mailExists !== 'yes'),",
        replace: "status === 'needs_review' || status === 'failed_permanent',",
      },
    ],
  },
  {
    ...{ name: 'what-was-accepted-cannot-come-back', rule: 'escalation', where },
    because: 'a mail that bounces as it did before is told to nobody',
    edits: [
      {
        file: `${letters}/replays.ts`,
        find: "if (status === 'sent') return now",
        replace: "if (status === 'sent') return true || now",
      },
    ],
  },
  {
    ...{ name: 'second-tries-are-settled-in-flight', rule: 'escalation', where },
    because: 'what is still on its way is called sent or ended, and its end is told to nobody',
    edits: [
      {
        file: `${letters}/replays.ts`,
        find: 'return statuses[status].isFinal;',
        replace: "return status !== 'pending';",
      },
    ],
  },
];
