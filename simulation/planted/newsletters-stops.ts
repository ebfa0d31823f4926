import type { PlantedBug } from './planted-bug.ts';

const where = 'among citizens';
const runs = 'sources/newsletters/runs';

/** Runs that are cancelled, paused and tried on a few, and who comes back meanwhile. */
export const newsletterStopBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'who-waits-in-a-cancelled-run-is-on-no-list', rule: 'ends of runs', where },
    because: 'a run that begins in the same breath leaves out whom the cancelled one had taken up',
    edits: [
      {
        file: `${runs}/candidates.ts`,
        find: `\n          AND NOT \${isOfCancelledRun} THEN`,
        replace: ' THEN',
      },
    ],
  },
  {
    ...{ name: 'a-line-does-not-wait-for-a-cancelled-run', rule: 'ends of runs', where },
    because: 'who is on the list is left out of it, because the cancelled run has not let them go',
    edits: [
      {
        file: `${runs}/collect.ts`,
        find: 'if (one && undecided.has(one.seq))',
        replace: 'if (one && undecided.has(-1))',
      },
    ],
  },
  {
    ...{ name: 'what-is-composed-cannot-be-stopped', rule: 'pauses of runs', where },
    because: 'a run is finished when all is composed, and its mails leave for hours after that',
    edits: [
      {
        file: `${runs}/runs.ts`,
        find: "'paused', ['running', 'halted', 'finished'], why",
        replace: "'paused', ['running', 'halted'], why",
      },
    ],
  },
  {
    ...{ name: 'a-pause-forgets-when-it-was-due', rule: 'pauses of runs', where },
    because: 'what bounced for now is sent again at once when its run goes on',
    edits: [{ file: `${runs}/pass.ts`, find: 'isHeld || due_at > now ?', replace: 'isHeld ?' }],
  },
  {
    ...{ name: 'a-canary-minds-what-was-suppressed-before', rule: 'canaries', where },
    because: 'a run halts for an address to which nothing was sent',
    edits: [
      {
        file: `${runs}/canary.ts`,
        find: `deliveries.evidence >= \${sql.lit(rankOf('bounced_for_good', 1))}`,
        replace: 'deliveries.evidence >= 0',
      },
    ],
  },
  {
    ...{ name: 'a-canary-of-nobody-passes', rule: 'canaries', where },
    because: 'everybody is mailed when the first of the list could not be',
    edits: [
      {
        file: `${runs}/collect.ts`,
        find: "const which = sql`state = 'planned' AND ",
        replace: `const first = isCanary(run) ? run.canary_size : 99;
    const which = sql\`state = 'planned' AND items.place <= \${first} AND `,
      },
      {
        file: `${runs}/canary.ts`,
        find: 'if (open > 0 || isTooSmall || isUnproven)',
        replace: 'if (open > 0 || (isTooSmall && isUnproven))',
      },
    ],
  },
  {
    ...{ name: 'figures-are-asked-for-for-ever', rule: 'figures', where },
    because: 'a run does not end, because it was said that there will never be any',
    edits: [{ file: `${runs}/compose.ts`, find: 'tries + 1 >= hopelessTriesMax', replace: 'tries < 0' }],
  },
  {
    ...{ name: 'who-left-while-it-was-made-is-nobodys', rule: 'pauses of runs', where },
    because: 'who comes back is mailed by a run that is paused, or that was cancelled',
    edits: [
      {
        file: `${runs}/compose.ts`,
        find: "if (item.delivery_status === 'skipped_unsubscribed') return [{ notification_id, state: 'composed' }];",
        replace: '',
      },
    ],
  },
  {
    ...{ name: 'who-is-back-is-not-planned-again', rule: 'lists', where },
    because: 'who changes their mind twice while a run is collected is told nothing',
    edits: [
      {
        file: `${runs}/let-go.ts`,
        find: "state || '' = 'left_out' AND delivery_seq IS NULL",
        replace: "state || '' = 'left_out' AND delivery_seq = 0",
      },
    ],
  },
];
