import type { PlantedBug } from './planted-bug.ts';

/** Who must not be mailed. */
export const consentBugs: readonly PlantedBug[] = [
  {
    name: 'consent-passes-claimed-rows-by',
    rule: 'consent',
    because: 'what a worker holds stays claimed after the commit that says no',
    edits: [
      {
        file: 'outbox/stop.ts',
        find: 'const statuses = statusList(statusesBefore(event));',
        replace:
          "const statuses = statusList(statusesBefore(event).filter((status) => status !== 'claimed'));",
      },
    ],
  },
  {
    name: 'resubmitted-against-consent',
    rule: 'consent',
    because: 'they said no while it was in doubt, and the same bytes leave once more',
    edits: [
      {
        file: 'outbox/begin.ts',
        find: 'const allowed = batch.filter(({ claimed }) => !verdicts.has(claimed.seq));',
        replace: 'const allowed = [...batch];',
      },
    ],
  },
  {
    name: 'complaint-suppresses-nobody',
    rule: 'consent',
    because: 'a complaint ends its delivery, and the next mail to the same address goes out',
    edits: [
      {
        file: 'consent/suppressions.ts',
        find: "kind === 'suppressed' && delivery.toEmail !== null",
        replace: "kind === 'suppressed' && event !== 'complained' && delivery.toEmail !== null",
      },
    ],
  },
  {
    name: 'suppressed-told-by-status',
    rule: 'consent',
    because: 'bounced for good while it was in doubt, and told to nobody: it did not come from sent',
    edits: [
      {
        file: 'outbox/facts.ts',
        find: "after.status === 'suppressed' && after.evidence > before.evidence",
        replace:
          "after.status === 'suppressed' && (before.status === 'sent' || before.status === 'delivered')",
      },
    ],
  },
  {
    name: 'unsubscribe-not-asked-at-the-gate',
    rule: 'decision 0015',
    because: 'what is enqueued after an unsubscribe goes out',
    edits: [
      {
        file: 'consent/consent.ts',
        find: "return hasLeft || mine.length > 0 ? [[seq, 'unsubscribed']] : [];",
        replace: "return mine.length > 0 ? [[seq, 'unsubscribed']] : [];",
      },
    ],
  },
  {
    name: 'unsubscribe-stops-other-sources',
    rule: 'decision 0014',
    because: 'who leaves one source hears of no other any more',
    edits: [
      {
        file: 'outbox/stop.ts',
        find: `= \${whose.recipient} AND deliveries.source || '' = \${whose.source}`,
        replace: `= \${whose.recipient}`,
      },
    ],
  },
  {
    name: 'undo-after-a-year',
    rule: 'decision 0014',
    because: 'a forwarded mail brings back mails to somebody who left long ago',
    edits: [
      {
        file: 'consent/unsubscribe.ts',
        find: 'if (unsubscribed_at === null || now - unsubscribed_at > undoWithinMs)',
        replace: 'if (unsubscribed_at === null)',
      },
    ],
  },
  {
    name: 'undo-brings-back-what-a-complaint-stopped',
    rule: 'decision 0015',
    because: 'stopping everything is taken back, and with it a line that the person did not make',
    edits: [
      { file: 'consent/unsubscribe.ts', find: '    if (added === 0) return stop;\n', replace: '' },
      {
        file: 'consent/unsubscribe.ts',
        find: "      .where('reason', '=', 'unsubscribed')\n",
        replace: '',
      },
    ],
  },
];
