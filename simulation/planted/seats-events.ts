import type { PlantedBug } from './planted-bug.ts';

const where = 'on a campus';
const events = 'sources/course-seats/events';

/** Open events, and to whom they are told. */
export const seatEventBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'a-second-opening-has-the-same-key', rule: 'decision 0020', where },
    because: 'a section that opens, closes and opens within three minutes is told once',
    edits: [
      {
        file: `${events}/open-event.ts`,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source's text.
        find: '.update(times > 1 ? `${text}|${times}` : text,',
        replace: '.update(times > 0 ? text : String(times),',
      },
    ],
  },
  {
    ...{ name: 'an-index-that-nobody-knows-is-dropped', rule: 'decision 0018', where },
    because: 'who watches a section that no catalog has never hears of it',
    edits: [
      {
        file: `${events}/record.ts`,
        find: '    if (dedupeKey === null) return [];',
        replace: '    if (dedupeKey === null || !sections.has(index)) return [];',
      },
    ],
  },
  {
    ...{ name: 'a-closing-resets-nobody', rule: 'spec 004', where },
    because: 'who was told once is never told again',
    edits: [
      {
        file: `${events}/record.ts`,
        find: '  if (indexes.length === 0) return;\n  for (const status of [',
        replace: '  if (indexes.length >= 0) return;\n  for (const status of [',
      },
    ],
  },
  {
    ...{ name: 'a-closing-resets-only-who-is-awake', rule: 'spec 004', where },
    because: 'who pauses after a mail, and goes on after the closing, is not told of the next opening',
    edits: [
      {
        file: `${events}/record.ts`,
        find: "    sql`status IN ('paused', 'suppressed', 'unsubscribed')`,\n",
        replace: '',
      },
    ],
  },
  {
    ...{ name: 'the-catalog-opens-against-a-fresh-feed', rule: 'decision 0019', where },
    because: 'a catalog of a quarter of an hour ago tells of a seat that is gone',
    edits: [
      {
        file: `${events}/weigh.ts`,
        find: 'return isFlip && !belief.isOpen && !belief.isFeedFresh && !isOld ?',
        replace: 'return isFlip && !belief.isOpen && !isOld ?',
      },
    ],
  },
  {
    ...{ name: 'the-catalog-closes-against-a-fresh-feed', rule: 'decision 0019', where },
    because: 'an old catalog closes what is open, and the next list mails everybody again',
    edits: [
      {
        file: `${events}/weigh.ts`,
        find: "if (belief.isFeedFresh) return belief.misses === 0 ? 'kept' : 'closes';",
        replace: "if (belief.isFeedFresh) return 'closes';",
      },
    ],
  },
  {
    ...{ name: 'nothing-known-is-not-different-from-open', rule: 'decision 0021', where },
    because: 'NULL <> is not true in SQL, and who was never told anything is never told',
    edits: [
      {
        file: `${events}/watchers.ts`,
        find: "(watching.last_known_section_status IS NULL OR watching.last_known_section_status <> 'Open')",
        replace: "watching.last_known_section_status <> 'Open'",
      },
    ],
  },
  {
    ...{ name: 'who-was-told-is-told-again', rule: 'spec 004', where },
    because: 'an opening goes to those who have just been told of it',
    edits: [
      {
        file: `${events}/watchers.ts`,
        find: "(watching.last_known_section_status IS NULL OR watching.last_known_section_status <> 'Open')",
        replace: '1 = 1',
      },
    ],
  },
  {
    ...{ name: 'who-rests-is-told', rule: 'spec 004', where },
    because: 'an opening goes to those who have paused',
    edits: [
      {
        file: `${events}/watchers.ts`,
        find: "AND watching.status IN ('active', 'pending')",
        replace: "AND watching.status IN ('active', 'pending', 'paused')",
      },
    ],
  },
  {
    ...{ name: 'the-first-page-is-all', rule: 'decision 0021', where },
    because: 'who watches a section that many watch is left out',
    edits: [
      { file: `${events}/fan-out.ts`, find: 'const pageMax = 1_000;', replace: 'const pageMax = 1;' },
      { file: `${events}/fan-out.ts`, find: 'const openingsMax = 50;', replace: 'const openingsMax = 1;' },
      {
        file: `${events}/fan-out.ts`,
        find: 'isFinished: count < each',
        replace: 'isFinished: count <= each',
      },
    ],
  },
  {
    ...{ name: 'progress-before-the-intents', rule: 'decision 0021', where },
    because: 'a crash between two commits leaves out a page of watchers',
    edits: [
      {
        file: `${events}/fan-out.ts`,
        find: '      await outbox.enqueue(intents, tx);\n',
        replace: '',
      },
      {
        file: `${events}/fan-out.ts`,
        find: 'return { openings, enqueued: intents.length, finished };',
        replace: 'return { openings, enqueued: intents.length, finished, intents };',
      },
      {
        file: `${events}/fan-out.ts`,
        find: 'if (page.enqueued > 0) {',
        replace: 'if (page.intents) await outbox.enqueue(page.intents);\n    if (page.enqueued > 0) {',
      },
    ],
  },
  {
    ...{ name: 'told-when-it-is-only-to-be-told', rule: 'decision 0025', where },
    because: 'whose mail is not accepted is written down as told',
    edits: [
      {
        file: `${events}/fan-out.ts`,
        find: '      await outbox.enqueue(intents, tx);\n',
        replace: `      await outbox.enqueue(intents, tx);
      for (const { subscriptionId } of watchers) {
        const told = { last_known_section_status: 'Open' } as const;
        await tx.updateTable('subscriptions').set(told).where('subscription_id', '=', subscriptionId).execute();
      }
`,
      },
    ],
  },
  {
    ...{ name: 'the-key-of-the-event-is-not-carried', rule: 'spec 004', where },
    because: 'nobody can tell which opening a delivery was about in the older system',
    edits: [{ file: `${events}/fan-out.ts`, find: '    dedupeKey: opening.dedupeKey,\n', replace: '' }],
  },
  {
    ...{ name: 'events-go-after-three-days', rule: 'decision 0022', where },
    because: 'what is to be kept for thirty days is gone after three',
    edits: [
      {
        file: 'sources/course-seats/course-seats.ts',
        find: 'const retentionMs = 30 * 86_400_000;',
        replace: 'const retentionMs = 3 * 86_400_000;',
      },
    ],
  },
  {
    ...{ name: 'events-go-and-their-deliveries-stay', rule: 'decision 0022', where },
    because: 'deliveries are left of which nobody knows what they were about',
    edits: [
      {
        file: `${events}/forget.ts`,
        find: 'const gone = old.filter((id) => !left.has(String(id)));',
        replace: 'const gone = old.filter((id) => !left.has(String(-id)));',
      },
      {
        file: `${events}/forget.ts`,
        find: 'const occasions = old.map(String);',
        replace: 'const occasions = old.map((id) => String(-id));',
      },
    ],
  },
];
