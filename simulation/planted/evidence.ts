import type { PlantedBug } from './planted-bug.ts';

/** What comes back: ranks, webhooks, healing; and what is told of it: facts, the story, counts. */
export const evidenceBugs: readonly PlantedBug[] = [
  {
    name: 'bounce-beats-delivered',
    rule: 'decision 0001',
    because: 'an automatic reply after the delivery reads as a soft bounce: sent again to who has it',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'const wins = rank > before.evidence ||',
        replace:
          "const wins = rank > before.evidence || (before.status === 'delivered' && report.event === 'bounced_for_now' && report.round === before.round) ||",
      },
    ],
  },
  {
    name: 'lower-rank-wins',
    rule: 'decision 0001',
    because: 'whoever speaks last is right: a late “sent” after the bounce of the same mail',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'const wins = rank > before.evidence ||',
        replace: "const wins = rank >= before.evidence || before.status === 'failed_permanent' ||",
      },
    ],
  },
  {
    name: 'last-time-counts',
    rule: 'decision 0005',
    because: 'sent_at is the time of whoever spoke last: it depends on the order of webhooks',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return known === null ? at : Math.min(known, at);',
        replace: 'return at;',
      },
    ],
  },
  {
    name: 'contradiction-is-believed',
    rule: 'webhooks',
    because: 'a word about another mail, with our tags: the row ends by somebody else’s bounce',
    edits: [
      {
        file: 'domain/transition.ts',
        find: "if (contradicts(before, report)) return unchanged('contradicts');",
        replace: '',
      },
      {
        file: 'webhooks/webhook.ts',
        find: "if (found.isContradicted) return { outcome: 'contradicts', delivery };",
        replace: '',
      },
    ],
  },
  {
    name: 'webhook-marked-before-applied',
    rule: 'webhooks',
    because: 'kept and marked, then a crash, then told again: a repeat, and never applied',
    edits: [
      {
        file: 'webhooks/webhook.ts',
        find: `      const done = await apply(event, now, page);
      if (done) await page.mark(eventSeq, processed(done, now));
      return { isRepeat: false, done };
    }, tx);`,
        replace: `      return { isRepeat: false, eventSeq, now };
    }, tx);
    if (!told.isRepeat && told.eventSeq !== undefined) {
      const { eventSeq, now } = told;
      await events.together((page) => page.mark(eventSeq, processed({ outcome: 'applied' }, now)));
      told.done = await events.together((page) => apply(event, now, page));
    }`,
      },
    ],
  },
  {
    name: 'webhook-answered-whatever-happens',
    rule: 'webhooks',
    because: 'the database was away, the provider hears a 2xx, and tells it never again',
    edits: [
      {
        file: 'webhooks/webhook.ts',
        find: `      return { isRepeat: false, done };
    }, tx);`,
        replace: `      return { isRepeat: false, done };
    }, tx).catch(() => ({ isRepeat: true, done: undefined }));`,
      },
    ],
  },
  {
    name: 'unknown-webhook-is-dropped',
    rule: 'webhooks',
    because: 'word of a mail whose id we do not know yet is not kept for the moment when we do',
    edits: [
      {
        file: 'webhooks/webhook.ts',
        find: "return isOurs ? undefined : { outcome: 'another environment', isStrangers: true };",
        replace: "return isOurs ? noSuchDelivery : { outcome: 'another environment', isStrangers: true };",
      },
    ],
  },
  {
    name: 'webhook-counts-for-the-present-round',
    rule: 'webhooks',
    because: 'a late bounce of the first mail ends the second one’s round',
    edits: [
      {
        file: 'webhooks/find-mail.ts',
        find: 'const round = tagged ?? byName ?? (delivery.round <= 1 ? 1 : undefined);',
        replace: 'const round = Math.max(delivery.round, 1);',
      },
      {
        file: 'webhooks/find-mail.ts',
        find: 'const isOfAnotherRound = byName !== undefined && byName !== round;',
        replace: 'const isOfAnotherRound = byName !== undefined && false;',
      },
    ],
  },
  {
    name: 'earlier-ids-are-forgotten',
    rule: 'webhooks',
    because: 'a webhook without tags about an earlier round’s mail finds no delivery',
    edits: [
      {
        file: 'outbox/record.ts',
        find: '[...earlierIds(reports, bySeq), ...replacedIds(changes)]',
        replace: 'earlierIds(reports, bySeq)',
      },
    ],
  },
  {
    name: 'silence-is-a-no',
    rule: 'decision 0013',
    because: 'nothing was heard for a day, so it is sent again: two live mails',
    edits: [
      {
        file: 'dispatch/heal.ts',
        find: 'if (answer) reports.push(reportOf(mail, answer));',
        replace: `if (answer) reports.push(reportOf(mail, answer));
      else if (answer === null && clock.now() - mail.leftAt >= 86_400_000)
        reports.push(reportOf(mail, { event: 'bounced_for_now', at: clock.now() }));`,
      },
    ],
  },
  {
    name: 'first-accepted-told-by-status',
    rule: 'ports',
    because:
      'pending to delivered directly: the source never hears that it was accepted; two rounds: it hears twice',
    edits: [
      {
        file: 'outbox/facts.ts',
        find: 'if (before.sentAt === null && after.sentAt !== null)',
        replace: "if (before.status !== 'sent' && after.status === 'sent')",
      },
    ],
  },
  {
    name: 'owed-fact-told-twice',
    rule: 'ports',
    because: 'two sweeps at once tell the source the same fact',
    edits: [{ file: 'outbox/facts.ts', find: '      if (mine.length === 0) return;\n', replace: '' }],
  },
  {
    name: 'owed-fact-forgotten',
    rule: 'ports',
    because: 'the source’s bookkeeping failed once, and it is never told again',
    edits: [
      {
        file: 'outbox/facts.ts',
        find: '    await oweFacts(tx, dialect, told, textOf(failure), now);\n',
        replace: '',
      },
    ],
  },
  {
    name: 'bookkeeping-undoes-the-status',
    rule: 'ports',
    because: 'a source that throws takes the provider’s answer with it',
    edits: [
      {
        file: 'outbox/facts.ts',
        find: '    if (failure === undefined) continue;\n',
        replace: '    if (failure === undefined) continue;\n    throw failure;\n',
      },
    ],
  },
  {
    name: 'quota-is-for-good',
    rule: 'webhooks',
    because: 'the day’s quota was full, and the mail is never tried again',
    edits: [
      {
        file: 'webhooks/resend-event.ts',
        find: "reason === 'reached_daily_quota' ? 'over_quota' : 'provider_failed'",
        replace: "reason === 'daily_quota_exceeded' ? 'over_quota' : 'provider_failed'",
      },
    ],
  },
  {
    name: 'attempt-told-at-its-beginning',
    rule: 'decision 0006',
    because: 'an attempt has two lines in the story, and they may contradict each other',
    edits: [
      { file: 'outbox/story.ts', find: "new Set(['begun', 'taken_up'])", replace: "new Set(['taken_up'])" },
    ],
  },
  {
    name: 'retention-takes-what-still-waits',
    rule: 'decision 0010',
    because: 'what has waited for long loses its mail before it is sent, or while it is in doubt',
    edits: [
      {
        file: 'outbox/forget.ts',
        find: 'statuses[row.status].isFinal && lastHeardOf(row) < before',
        replace: "row.status !== 'sending' && lastHeardOf(row) < before",
      },
    ],
  },
  {
    name: 'retention-takes-the-identity',
    rule: 'decision 0010',
    because: 'the same intent comes again after its delivery was forgotten: sent a second time',
    edits: [
      {
        file: 'outbox/forget.ts',
        find: 'UPDATE deliveries SET to_email = NULL WHERE seq IN',
        replace: 'DELETE FROM deliveries WHERE seq IN',
      },
    ],
  },
  {
    name: 'story-misses-a-deferral',
    rule: 'story',
    because: 'a row changes, and nobody can say why',
    edits: [
      {
        file: 'outbox/story.ts',
        find: "new Set(['begun', 'taken_up'])",
        replace: "new Set(['begun', 'taken_up', 'deferred', 'lapsed'])",
      },
    ],
  },
  {
    name: 'story-told-of-what-did-not-happen',
    rule: 'story',
    because: 'a late worker’s refusal is told although it changed nothing',
    edits: [
      {
        file: 'outbox/story.ts',
        find: "if (!result.changed && result.why !== 'contradicts') return [];",
        replace: "if (!result.changed && result.why === 'nothing new') return [];",
      },
    ],
  },
  {
    name: 'counts-lose-what-ended',
    rule: 'story',
    because: 'folded lines lose what left a heading: there are more deliveries than rows',
    edits: [
      {
        file: 'outbox/counts.ts',
        find: '.filter(({ delta }) => delta !== 0);',
        replace: '.filter(({ delta }) => delta > 0);',
      },
    ],
  },
];
