import type { PlantedBug } from './planted-bug.ts';

const where = 'among citizens';
const notifications = 'sources/newsletters/notifications';

/** Who wants what: leaving, coming back, and what a bounce says. */
export const newsletterWishBugs: readonly PlantedBug[] = [
  {
    ...{ name: 'an-opt-out-stops-one-of-them', rule: 'opting out', where },
    because: 'who wants no newsletters at all gets those that wait',
    edits: [
      {
        file: `${notifications}/opting-out.ts`,
        find: "whose: { source: newsletterSource, recipients }, event: 'unsubscribed', actor }",
        replace:
          "whose: { source: newsletterSource, recipients: recipients.slice(0, 1) }, event: 'unsubscribed', actor }",
      },
    ],
  },
  {
    ...{ name: 'an-opt-out-leaves-wishes-on', rule: 'opting out', where },
    because:
      'the wishes of who left everything are shown as active, and come back with the first that is asked for',
    edits: [
      {
        file: `${notifications}/opting-out.ts`,
        find: "    .set(inactiveCells('global_opt_out', now))\n    .where('user_id', '=', userId)\n    .where('is_active', '=', 1)",
        replace:
          "    .set(inactiveCells('global_opt_out', now))\n    .where('user_id', '=', userId)\n    .where('is_active', '=', 0)",
      },
    ],
  },
  {
    ...{ name: 'a-link-ends-every-wish', rule: 'scope of links', where },
    because: 'who is tired of one town hall hears of none',
    edits: [
      {
        file: `${notifications}/leaving.ts`,
        find: 'const ids = recipients.map((recipient) => ({ id: wisherOf(recipient).notificationId }));',
        replace:
          "const users = recipients.map((recipient) => wisherOf(recipient).userId);\n      const ids = await tx.selectFrom('notifications').select('id').where('user_id', 'in', users).execute();",
      },
    ],
  },
  {
    ...{ name: 'a-deleted-wish-is-made-anew', rule: 'one period, once', where },
    because: 'who deletes a wish and asks for it again is told of the same period twice',
    edits: [
      {
        file: `${notifications}/changing.ts`,
        find: "...{ updated_at: now, deleted_at: because === 'deleted' ? now : null },",
        replace:
          "...{ updated_at: now, deleted_at: because === 'deleted' ? now : null },\n        ...(because === 'deleted' && { hash: 'deleted ' + row.id + now }),",
      },
    ],
  },
  {
    ...{ name: 'who-deletes-a-wish-gets-what-waits', rule: 'leaving', where },
    because: 'a mail that waits goes out after its wish was deleted',
    edits: [
      {
        file: `${notifications}/changing.ts`,
        find: 'await stopDeliveries(tx, order, now, { dialect: db.dialect, log });',
        replace:
          "if (because !== 'deleted') await stopDeliveries(tx, order, now, { dialect: db.dialect, log });",
      },
    ],
  },
  {
    ...{ name: 'a-bounce-leaves-the-wish-on', rule: 'bounces', where },
    because: 'an address that is gone is written to every month',
    edits: [
      {
        file: `${notifications}/books.ts`,
        find: "await end(tx, dialect, idsOf(true), 'bounced', now);",
        replace: "await end(tx, dialect, idsOf(true).slice(1), 'bounced', now);",
      },
    ],
  },
];
