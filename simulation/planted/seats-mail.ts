import type { PlantedBug } from './planted-bug.ts';

const where = 'on a campus';
const mail = 'sources/course-seats/mail';

/** Who may have a seat mail when it is due, and what is written down of it. */
export const seatMailBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'the-key-of-the-event-is-the-key-of-the-mail', rule: 'decision 0023', where },
    because: 'a provider with keys takes the mails to all watchers for one',
    edits: [
      {
        file: 'dispatch/send.ts',
        find: 'key: idempotencyKey(claimed.id, claimed.round),',
        replace: 'key: claimed.dedupeKey ?? idempotencyKey(claimed.id, claimed.round),',
      },
    ],
  },
  {
    ...{ name: 'unconfirmed-addresses-are-mailed', rule: 'decision 0025', where },
    because: 'anybody can have others written to',
    edits: [
      {
        file: `${mail}/verdict.ts`,
        find: 'if (verifiesAddresses) return unverified;',
        replace: 'if (!verifiesAddresses) return unverified;',
      },
    ],
  },
  {
    ...{ name: 'who-pauses-is-mailed', rule: 'decision 0025', where },
    because: 'a mail that waits goes out to who has paused meanwhile',
    edits: [
      {
        file: `${mail}/verdict.ts`,
        find: "return ineligible('paused', 'They have paused this watch.');",
        replace: 'break;',
      },
    ],
  },
  {
    ...{ name: 'a-seat-that-is-gone-is-told', rule: 'decision 0025', where },
    because: 'a mail that waited tells of a seat that has closed',
    edits: [
      {
        file: `${mail}/verdict.ts`,
        find: 'if (isClosed || (openedAfter === null && listClosedAt !== null && listClosedAt > event.eventAt))',
        replace: 'if (isClosed && listClosedAt === now)',
      },
    ],
  },
  {
    ...{ name: 'an-older-opening-is-told-beside-the-newer', rule: 'decision 0025', where },
    because: 'after quiet hours two mails come about the same section',
    edits: [
      {
        file: `${mail}/verdict.ts`,
        find: 'if (newer.some(isToldOrWaits))',
        replace: 'if (newer.some(isToldOrWaits) && newer.length > 5)',
      },
    ],
  },
  {
    ...{ name: 'quiet-hours-are-not-asked-again', rule: 'decision 0025', where },
    because: 'who wants quiet while a mail waits is woken by it',
    edits: [
      {
        file: `${mail}/verdict.ts`,
        find: 'if (dueAt <= now) return undefined;',
        replace: 'if (dueAt <= now || awakeAt <= now) return undefined;',
      },
    ],
  },
  {
    ...{ name: 'a-snooze-is-not-asked-again', rule: 'decision 0025', where },
    because: 'who snoozes while a mail waits is woken by it',
    edits: [
      {
        file: `${mail}/verdict.ts`,
        find: 'const awakeAt = Math.max(now, snooze_until ?? 0);',
        replace: 'const awakeAt = Math.max(now, snooze_until === null ? 0 : now);',
      },
    ],
  },
  {
    ...{ name: 'quiet-hours-drop-the-mail', rule: 'decision 0025', where },
    because: 'what is due at night is never told',
    edits: [
      {
        file: `${mail}/verdict.ts`,
        find: "return { event: 'deferred', dueAt, error };\n}\n\nfunction ineligible",
        replace: "return { event: 'expired', error };\n}\n\nfunction ineligible",
      },
    ],
  },
  {
    ...{ name: 'the-number-of-mails-pauses-nobody', rule: 'decision 0025', where },
    because: 'who wanted one mail goes on watching',
    edits: [
      {
        file: `${mail}/watch-book.ts`,
        find: 'if (!hasEnough || (',
        replace: 'if (!hasEnough || openEventId > 0 || (',
      },
    ],
  },
  {
    ...{ name: 'mails-are-not-counted', rule: 'decision 0025', where },
    because: 'who wanted two mails gets every one',
    edits: [
      {
        file: `${mail}/watch-book.ts`,
        find: 'book.notificationsSent += 1;',
        replace: 'book.notificationsSent += 0;',
      },
    ],
  },
  {
    ...{ name: 'told-although-it-closed-meanwhile', rule: 'decision 0025', where },
    because: 'a mail that is accepted after the closing keeps its reader from hearing of the next opening',
    edits: [
      {
        file: `${mail}/watch-book.ts`,
        find: "if (closedAfter === null) book.known = 'Open';",
        replace: "book.known = 'Open';",
      },
    ],
  },
  {
    ...{ name: 'never-written-down-as-told', rule: 'decision 0025', where },
    because: 'who was told is told of the same opening again',
    edits: [
      {
        file: `${mail}/watch-book.ts`,
        find: "if (closedAfter === null) book.known = 'Open';",
        replace: "if (closedAfter !== null) book.known = 'Open';",
      },
    ],
  },
  {
    ...{ name: 'a-complaint-is-written-down-as-a-mail', rule: 'spec 000', where },
    because: 'one mail is written down twice',
    edits: [
      {
        file: `${mail}/watch-book.ts`,
        find: "      book.status = 'suppressed';\n      line('suppressed', at);",
        replace:
          "      book.status = 'suppressed';\n      book.notificationsSent += 1;\n      line('notify_sent', at);",
      },
    ],
  },
  {
    ...{ name: 'a-verdict-is-no-attempt', rule: 'decision 0024', where },
    because: 'what the gate has ended is shown as never tried',
    edits: [
      {
        file: 'domain/lifecycle.ts',
        find: 'const verdict = { countsAttempt: true, effect',
        replace: 'const verdict = { effect',
      },
    ],
  },
  {
    ...{ name: 'the-view-calls-expired-skipped', rule: 'spec 000', where },
    because: 'the older system sees another word than the one that is meant',
    edits: [
      {
        file: 'db/migrations/sqlite/0006_seats.sql',
        find: "WHEN status = 'expired' THEN 'expired'",
        replace: "WHEN status = 'expired' THEN 'skipped'",
      },
    ],
  },
  {
    ...{ name: 'cancelling-stops-nothing', rule: 'consent', where },
    because: 'what waits for who has cancelled still waits',
    edits: [
      {
        file: 'sources/course-seats/subscriptions/leaving.ts',
        find: '        await stopMails(tx, row, { actor, detail });\n',
        replace: '',
      },
    ],
  },
];
