import type { PlantedBug } from './planted-bug.ts';

/** From the intent to the record: write ahead, one key and one body, the fence, the lease. */
export const sendingBugs: readonly PlantedBug[] = [
  {
    name: 'sends-what-begin-stopped',
    rule: 'write ahead',
    because:
      'the whole batch leaves, not only what the write-ahead let through: skipped rows with a live mail',
    edits: [
      {
        file: 'dispatch/dispatch.ts',
        find: 'const { sending: batch, stopped } = await beginSafely(chosen, lastCheck);',
        replace: 'const { stopped } = await beginSafely(chosen, lastCheck);\n      const batch = chosen;',
      },
    ],
  },
  {
    name: 'frozen-after-the-commit',
    rule: 'write ahead',
    because: 'a crash between two transactions: a mail may exist, and nobody has its bytes',
    edits: [
      { file: 'outbox/begin.ts', find: '  await freezeMails(tx, parts.dialect, fresh, now);\n', replace: '' },
      {
        file: 'outbox/begin.ts',
        find: 'return { sending, stopped: answers.filter(({ seq }) => !begun.has(seq)) };',
        replace: 'return { sending, fresh, stopped: answers.filter(({ seq }) => !begun.has(seq)) };',
      },
      {
        file: 'outbox/outbox.ts',
        find: 'begin: (batch, order) => db.transaction((tx) => beginDeliveries(tx, batch, order, clock.now(), parts)),',
        replace: `begin: async (batch, order) => {
      const begun = await db.transaction((tx) => beginDeliveries(tx, batch, order, clock.now(), parts));
      await db.transaction((tx) => freezeMails(tx, db.dialect, begun.fresh ?? [], clock.now()));
      return begun;
    },`,
      },
      {
        file: 'outbox/outbox.ts',
        find: "import { foldCounts } from './counts.ts';",
        replace: "import { foldCounts } from './counts.ts';\nimport { freezeMails } from './mails.ts';",
      },
    ],
  },
  {
    name: 'whole-batch-begun-without-keys',
    rule: 'write ahead',
    because: 'a crash leaves a whole batch in doubt where nobody can be asked, not only what was on the wire',
    edits: [
      {
        file: 'dispatch/dispatch.ts',
        find: 'idempotencyWindowMs === null ? width.current : batchMax',
        replace: 'batchMax',
      },
    ],
  },
  {
    name: 'composed-anew-on-each-attempt',
    rule: 'one key, one body',
    because:
      'two bodies under one key: the provider refuses the second, and the doubt cannot be settled by it',
    edits: [
      {
        file: 'dispatch/compose.ts',
        find: 'const fresh = batch.filter(({ frozen }) => !frozen);',
        replace: 'const fresh = batch;',
      },
      {
        file: 'dispatch/compose.ts',
        find: 'const made = claimed.frozen\n',
        replace: 'const made = claimed.frozen && !drafts.has(claimed.seq)\n',
      },
    ],
  },
  {
    name: 'later-rounds-keep-the-first-key',
    rule: 'one key, one body',
    because:
      'the second round goes out under the first one’s key: refused as another body, or swallowed as a replay',
    edits: [
      {
        file: 'domain/message.ts',
        find: 'return round === 1 ? deliveryId',
        replace: 'return round >= 1 ? deliveryId',
      },
    ],
  },
  {
    name: 'requeue-keeps-the-round',
    rule: 'one key, one body',
    because:
      'requeued after a bounce, under the same key: the provider replays its first answer and sends nothing',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'evidence: before.round >= 1 ? 4 * before.round + 3 : 0 }',
        replace: 'evidence: 4 * before.round }',
      },
    ],
  },
  {
    name: 'soft-bounce-keeps-the-round',
    rule: 'one key, one body',
    because: 'what bounced is sent under the same key: the provider replays its answer, and nothing leaves',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return evidence % 4 === 0 ? last : last + 1;',
        replace: 'return evidence % 4 === 3 ? last + 1 : last;',
      },
    ],
  },
  {
    name: 'absent-opens-a-round',
    rule: 'one key, one body',
    because:
      'a look-up without a hit opens a new round: the key that would have caught its mistake is given up',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return { ...released, ...settled, dueAt, ...(before.evidence === 0 && { sentAt: null }) };',
        replace:
          'return { ...released, ...settled, dueAt, evidence: before.evidence + 3, ...(before.evidence === 0 && { sentAt: null }) };',
      },
    ],
  },
  {
    name: 'not-sent-opens-a-round',
    rule: 'one key, one body',
    because: 'an operator’s “not sent” opens a new round: if it was wrong, no key stops the second mail',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return { ...settled, dueAt: now, attempts: 0, ...(before.evidence === 0 && { sentAt: null }) };',
        replace:
          'return { ...settled, dueAt: now, attempts: 0, evidence: 4 * before.round + 3, ...(before.evidence === 0 && { sentAt: null }) };',
      },
    ],
  },
  {
    name: 'time-out-means-refused',
    rule: 'one key, one body',
    because: 'no answer counts as a no: failed_transient with a live mail',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: "    case 'refused_for_now': {",
        replace: "    case 'unknown':\n    case 'refused_for_now': {",
      },
    ],
  },
  {
    name: 'lost-sender-is-tried-again',
    rule: 'write ahead',
    because: 'a worker died while it sent, and the row goes back to wait: failed_transient with a live mail',
    edits: [
      {
        file: 'domain/lifecycle.ts',
        find: `    lease_expired: {
      to: 'reconciling',`,
        replace: `    lease_expired: {
      to: 'failed_transient',`,
      },
      {
        file: 'domain/transition.ts',
        find: "    case 'outcome_unknown':\n    case 'lease_expired':",
        replace: `    case 'lease_expired':
      return { ...released, dueAt, ...(before.status === 'sending' && settled) };
    case 'outcome_unknown':`,
      },
    ],
  },
  {
    name: 'no-fence',
    rule: 'fence',
    because: 'a worker that wakes up late speaks for a row that somebody else holds',
    edits: [
      {
        file: 'domain/transition.ts',
        find: "if ((path.isFenced || report.lease !== undefined) && !isHeld) return unchanged('lease lost');",
        replace: '',
      },
      // The holder's name beside the number would hide it: it is for a database that went back in time.
      { file: 'outbox/record.ts', find: 'if (isOthers(report, row)) {', replace: 'if (false) {' },
    ],
  },
  {
    name: 'no-fence-in-doubt',
    rule: 'fence',
    because:
      'one who stood still says “absent” after another has submitted it again: failed_transient, then live',
    edits: [
      {
        file: 'domain/transition.ts',
        find: '(path.isFenced || report.lease !== undefined) && !isHeld',
        replace:
          "(path.isFenced || report.lease !== undefined) && !isHeld && before.status !== 'reconciling'",
      },
      { file: 'outbox/record.ts', find: 'if (isOthers(report, row)) {', replace: 'if (false) {' },
    ],
  },
  {
    name: 'late-answer-is-dropped',
    rule: 'fence',
    because: 'a worker whose lease is over brings the provider’s id, and nobody writes it down',
    edits: [
      {
        file: 'outbox/record.ts',
        find: 'const found = isEvidence(report)\n      ?',
        replace: `const isLate = 'lease' in report && (report.lease !== row.state.lease || row.state.lockedBy === null);
    const found = isEvidence(report) && isLate ? ({ changed: false, why: 'lease lost' } as const) : isEvidence(report)
      ?`,
      },
    ],
  },
  {
    name: 'call-may-outlast-its-lease',
    rule: 'lease',
    because: 'posted just before the lease ends, accepted long after it: the look-up had said “absent”',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: 'const startBefore = leaseEndsAt - longestCallMs;',
        replace: 'const startBefore = leaseEndsAt;',
      },
      {
        file: 'dispatch/send.ts',
        find: 'clock.now() + longestCallMs <= one.claimed.leaseEndsAt',
        replace: 'clock.now() <= one.claimed.leaseEndsAt',
      },
      {
        file: 'providers/too-late.ts',
        find: 'clock.now() + longestCallMs > leaseEndsAt',
        replace: 'clock.now() > leaseEndsAt + 0 * longestCallMs',
      },
    ],
  },
  {
    name: 'sweep-takes-what-is-held',
    rule: 'lease',
    because: 'rows are taken out of the hands of workers that are alive',
    edits: [
      {
        file: 'domain/transition.ts',
        find: 'return state.lockedBy !== null && state.dueAt !== null && state.dueAt <= now;',
        replace: 'return state.lockedBy !== null;',
      },
      { file: 'outbox/queries.ts', find: "        .where('due_at', '<=', now)\n", replace: '' },
    ],
  },
  {
    name: 'too-late-is-sent-all-the-same',
    rule: 'life cycle',
    because: 'claimed in time, begun after its last moment',
    edits: [
      {
        file: 'dispatch/gate.ts',
        find: "if (expiresAt !== null && expiresAt <= clock.now()) verdicts.set(seq, verdictOf('expired'));",
        replace: '',
      },
    ],
  },
  {
    name: 'repeat-makes-it-due',
    rule: 'decision 0003',
    because:
      'an intent that is known already is due again, in whosever hands it is: sent again while it is sent',
    edits: [
      {
        file: 'db/dialect.ts',
        find: "const tail = 'ON CONFLICT DO NOTHING';",
        replace:
          "const tail = \"ON CONFLICT (source, occasion, recipient) DO UPDATE SET due_at = excluded.due_at WHERE deliveries.status NOT IN ('sent', 'delivered')\";",
      },
      {
        file: 'outbox/enqueue.ts',
        find: 'INSERT INTO delivery_mails',
        replace: 'INSERT OR IGNORE INTO delivery_mails',
      },
    ],
  },
  {
    name: 'known-of-a-later-round',
    rule: 'facts stand',
    because: 'word of the round before comes while this one is on its way, and is written over',
    edits: [
      {
        file: 'outbox/begin.ts',
        find: 'if (!row || row.state.round > 1) return composed;',
        replace: 'if (!row) return composed;',
      },
    ],
  },
  {
    name: 'known-although-the-clock-was-set-back',
    rule: 'the key window',
    because:
      'the times from before are written over those that moved: a key is relied on again that nobody may rely on',
    edits: [
      {
        file: 'outbox/as-before.ts',
        find: "  AND coalesce(locked_by, '') = ? AND coalesce(locked_at, 0) = ?`",
        replace: "  AND coalesce(locked_by, '') = ? AND ? >= 0`",
      },
    ],
  },
];
