import { afterEach, beforeEach, expect, it } from 'vitest';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import { createSmtp } from '../../src/providers/smtp.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { consentOf } from '../support/consent.ts';
import { createDispatchWorld, type DispatchWorld, signal } from '../support/dispatch-world.ts';
import { createFakeSmtp, type FakeSmtp } from '../support/fake-smtp/fake-smtp.ts';
import { intentNumber, onBothDatabases } from '../support/world.ts';

/** What a mail server says while it is asked to take a mail: it bounces there and then, by the same rules as later. */
onBothDatabases('a bounce at the door of the mail server', (dialect) => {
  let world: DispatchWorld;
  let fake: FakeSmtp;
  let outbox: Outbox;
  let smtp: ReturnType<typeof createSmtp>;
  beforeEach(async () => {
    world = await createDispatchWorld(dialect);
    fake = await createFakeSmtp();
    smtp = createSmtp({ url: fake.url, clock });
    const { db } = world;
    const listeners = { consent: consentOf({ db, clock }).learn, source: () => undefined };
    outbox = createOutbox({ db, clock, log, namespace: await readNamespace(db), listeners });
  });
  afterEach(async () => {
    await smtp.close?.();
    await fake.close();
    await world.close();
  });

  /** One to the address goes out now, another waits for tomorrow. */
  async function askedTwice() {
    const tomorrow = { dueAt: clock.now() + 86_400_000 };
    const waiting = intentNumber(2, { ...tomorrow, toEmail: 'Person-1@example.org' });
    const [now, later] = await outbox.enqueue([intentNumber(1), waiting]);
    await world.dispatch({ provider: smtp, outbox, clock }).runOnce(signal());
    return {
      sent: await world.find(now?.seq),
      waiting: await world.find(later?.seq),
      listed: await world.db.read.selectFrom('suppressions').selectAll().execute(),
      sentSeq: now?.seq,
    };
  }

  it.each(['550 5.1.1 no such user', '553 5.1.2 no such host', '556 5.1.10 takes no mail'] as const)(
    '%s: the address is suppressed in the same transaction, and what waits for it ends',
    async (answer) => {
      fake.lie({ rcpt: answer });
      const { sent, waiting, listed, sentSeq } = await askedTwice();
      expect(sent).toMatchObject({ status: 'failed_permanent', attempts: 1, first_possible_accept_at: null });
      expect(waiting).toMatchObject({ status: 'suppressed', due_at: null });
      expect(listed).toMatchObject([
        {
          ...{ address_key: 'person-1@example.org', scope: '*', reason: 'mailbox_unknown' },
          ...{ delivery_seq: sentSeq, lifted_at: null },
        },
      ]);
      expect(fake.ledger).toEqual([]);
    },
  );

  it.each([
    ['550 5.7.1 refused by policy', 'failed_permanent'],
    ['554 5.7.26 not authenticated', 'failed_permanent'],
    ['550 refused, without saying more', 'failed_permanent'],
    ['552 5.2.2 mailbox full', 'failed_permanent'],
    ['452 4.2.2 mailbox full', 'failed_transient'],
    ['450 4.1.1 mailbox unavailable just now', 'failed_transient'],
    ['421 4.7.0 too many mails for this destination', 'pending'],
  ] as const)('%s: the address stays, and the mail is %s', async (answer, status) => {
    fake.lie({ rcpt: answer });
    const { sent, waiting, listed } = await askedTwice();
    expect(sent).toMatchObject({ status });
    expect(waiting).toMatchObject({ status: 'pending' });
    expect(listed).toEqual([]);
  });

  it('a sender that is refused says nothing about the recipient, whatever the code', async () => {
    fake.lie({ mail: '550 5.1.1 no such sender' });
    const { sent, listed } = await askedTwice();
    expect(sent?.status).toBe('failed_permanent');
    expect(listed).toEqual([]);
  });
});
