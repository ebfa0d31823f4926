import { describe, expect, it } from 'vitest';
import type { Mail } from '../../src/domain/message.ts';
import { createSmtp } from '../../src/providers/smtp.ts';
import { createManualClock, systemClock } from '../../src/std/clock.ts';
import {
  keyOf,
  parcelOf,
  shortTimeouts,
  smtpWorlds,
  usualTimeouts,
} from '../support/fake-smtp/smtp-world.ts';

const createWorld = smtpWorlds();

describe('a mail by SMTP', () => {
  it('000-72 arrives whole, at one mailbox, from the one who is logged in', async () => {
    const { fake, smtp } = await createWorld({}, { needsAuth: true });
    const messageId = `<${keyOf(1)}.r1@example.org>`;
    expect(await smtp.send(parcelOf(1, { subject: 'Grüße 🙂' }))).toEqual({ kind: 'accepted', messageId });
    expect(fake.ledger).toMatchObject([
      { from: 'noreply@example.org', to: ['person-1@example.org'], user: 'ana', isSecure: false },
    ]);
    expect(await fake.mails()).toMatchObject([
      { messageId, subject: 'Grüße 🙂', text: 'Text 1\n', html: expect.stringContaining('<p>Text 1</p>') },
    ]);
  });

  it('arrives at a server that takes one command at a time, too', async () => {
    const { fake, smtp } = await createWorld({}, { pipelining: false });
    expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger).toHaveLength(1);
  });

  it('with lines of dots and no line break at the end is neither cut nor split', async () => {
    const { fake, smtp } = await createWorld();
    const text = `.\r\n.\r\nMAIL FROM:<x@example.org>\n..\r.\r${'é'.repeat(5000)}`;
    expect(await smtp.send(parcelOf(1, { text }))).toMatchObject({ kind: 'accepted' });
    expect(await smtp.send(parcelOf(2))).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger).toHaveLength(2);
    expect((await fake.mails())[0]?.text?.replace(/\r\n?|\n/g, '\n').trimEnd()).toBe(
      text.replace(/\r\n?|\n/g, '\n'),
    );
  });

  it('that brings a line break in a header, a name or an address does not leave', async () => {
    const { fake, smtp } = await createWorld();
    const evil: Partial<Mail>[] = [
      { subject: 'a\r\nBcc: eve@example.org' },
      { to: 'a@example.org\r\nRCPT TO:<eve@example.org>' as Mail['to'] },
      { to: 'a@example.org, eve@example.org' as Mail['to'] },
      { from: 'A\r\nBcc: eve@example.org <a@example.org>' as Mail['from'] },
      { headers: { 'X-A': 'a\nBcc: eve@example.org' } },
      { headers: { Bcc: 'eve@example.org' } },
    ];
    for (const more of evil) {
      expect(await smtp.send(parcelOf(1, more))).toMatchObject({ kind: 'refused_for_good' });
    }
    expect(await smtp.send({ ...parcelOf(1), key: 'a b\r\n' })).toMatchObject({ kind: 'refused_for_good' });
    expect(fake.opened()).toBe(0);
  });

  it('larger than the server announces is refused for good before it is mentioned', async () => {
    const { fake, smtp } = await createWorld({}, { sizeMax: 2000 });
    const outcome = await smtp.send(parcelOf(1, { text: 'x'.repeat(5000) }));
    expect(outcome).toMatchObject({ kind: 'refused_for_good', error: { code: 'message_too_big' } });
    expect(fake.commands).toEqual(['AUTH']);
  });
});

describe('the moment after which nothing may leave', () => {
  it('is looked at right before MAIL FROM, when connecting has taken its time', async () => {
    const { fake, smtp } = await createWorld();
    fake.lie({ connect: { lateMs: 60 } });
    const outcome = await smtp.send({ ...parcelOf(1), startBefore: systemClock.monotonic() + 20 });
    expect(outcome).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
    expect(fake.commands).toEqual(['AUTH']);
    // The connection is there, and serves the next one.
    fake.lie({});
    expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'accepted' });
    expect(fake.opened()).toBe(1);
  });
});

describe('connections', () => {
  it('are as many as mails are in flight, and are used again', async () => {
    const { fake, smtp } = await createWorld({ connections: 3 });
    expect(smtp.guarantees).toEqual({
      idempotencyWindowMs: null,
      indexingDelayMs: 0,
      longestCallMs: usualTimeouts.beforeDotMs + usualTimeouts.afterDotMs,
      concurrency: 3,
      ratePerSecond: null,
    });
    for (let round = 0; round < 3; round++) {
      const outcomes = await Promise.all([1, 2, 3].map((n) => smtp.send(parcelOf(10 * round + n))));
      expect(outcomes.map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'accepted']);
    }
    expect([fake.opened(), fake.ledger.length]).toEqual([3, 9]);
  });

  it('a mail too many is not kept waiting', async () => {
    const { fake, smtp } = await createWorld({ connections: 1 });
    const [first, second] = await Promise.all([smtp.send(parcelOf(1)), smtp.send(parcelOf(2))]);
    expect(first).toMatchObject({ kind: 'accepted' });
    expect(second).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
    expect(fake.ledger).toHaveLength(1);
  });

  it('that the server has ended are replaced, and no mail notices', async () => {
    const { fake, smtp } = await createWorld({ connections: 1 });
    await smtp.send(parcelOf(1));
    await fake.hangUp();
    expect(await smtp.send(parcelOf(2))).toMatchObject({ kind: 'accepted' });
    expect(fake.opened()).toBe(2);
  });

  it('that have been idle are asked first: one that has gone silent costs no mail', async () => {
    const clock = createManualClock();
    const { fake, smtp } = await createWorld({ connections: 1, clock });
    await smtp.send(parcelOf(1));
    await clock.advance(5_000);
    expect(await smtp.send(parcelOf(2))).toMatchObject({ kind: 'accepted' });
    expect(fake.opened()).toBe(1);
    fake.freeze();
    await clock.advance(5_000);
    const sending = smtp.send(parcelOf(3));
    await expect.poll(() => clock.nextWakeMs()).toBe(usualTimeouts.beforeDotMs / 4);
    await clock.advance(usualTimeouts.beforeDotMs / 4);
    expect(await sending).toMatchObject({ kind: 'accepted' });
    expect([fake.opened(), fake.ledger.length]).toEqual([2, 3]);
  });

  it('after a refused envelope are used again, and the refused mail is forgotten', async () => {
    const { fake, smtp } = await createWorld({ connections: 1 });
    for (const lies of [
      { mail: '450 4.7.1 Later' },
      { rcpt: '550 5.1.1 No' },
      { data: '451 4.3.0 No' },
    ] as const) {
      fake.lie(lies);
      expect((await smtp.send(parcelOf(1))).kind).toMatch(/^refused/);
    }
    fake.lie({});
    expect(await smtp.send(parcelOf(2))).toMatchObject({ kind: 'accepted' });
    expect([fake.opened(), fake.ledger.length]).toEqual([1, 1]);
  });

  it('after refused content are replaced: the server may not have said its last word', async () => {
    const { fake, smtp } = await createWorld({ connections: 1 });
    fake.lie({ afterDot: '554 5.7.1 No' });
    await smtp.send(parcelOf(1));
    fake.lie({});
    expect(await smtp.send(parcelOf(2))).toMatchObject({ kind: 'accepted' });
    expect(fake.opened()).toBe(2);
  });

  it('close ends them, after the answer to what is on its way; nothing leaves afterwards', async () => {
    const { fake, smtp } = await createWorld({ connections: 2 });
    fake.lie({ afterDot: { acceptLateMs: 60 } });
    const sending = [smtp.send(parcelOf(1)), smtp.send(parcelOf(2))];
    await smtp.close?.();
    expect(await Promise.all(sending)).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }]);
    await expect.poll(() => fake.open()).toBe(0);
    expect(await smtp.send(parcelOf(3))).toMatchObject({ kind: 'deferred', error: { code: 'not_started' } });
    expect(fake.opened()).toBe(2);
  });
});

describe('encryption', () => {
  const anyCertificate = { rejectUnauthorized: false };

  it.each(['starttls', 'from_the_start'] as const)('%s', async (tls) => {
    const parts = { tls: { ...anyCertificate, startTls: 'required' as const } };
    const { fake, smtp } = await createWorld(parts, { tls, needsAuth: true });
    expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'accepted' });
    expect(fake.ledger).toMatchObject([{ isSecure: true, user: 'ana' }]);
  });

  it.each(['starttls', 'from_the_start'] as const)(
    '%s with a certificate that nobody signed: no password is said',
    async (tls) => {
      const { fake, smtp } = await createWorld({ tls: { startTls: 'required' } }, { tls });
      expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'deferred', trouble: 'unreachable' });
      expect(fake.commands).toEqual([]);
    },
  );

  it('required and not offered: no password is said', async () => {
    const { fake, smtp } = await createWorld({ tls: { startTls: 'required' } });
    expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'deferred', error: { code: 'tls_failed' } });
    expect(fake.commands).toEqual([]);
  });
});

describe('the probe', () => {
  it('logs in and takes leave, and mentions no mail', async () => {
    const { fake, smtp } = await createWorld({}, { needsAuth: true });
    expect(await smtp.probe()).toEqual({ isUp: true });
    expect(fake.commands).toEqual(['AUTH']);
    await expect.poll(() => fake.open()).toBe(0);
  });

  it('says why not', async () => {
    const { fake, smtp } = await createWorld({ timeouts: shortTimeouts });
    fake.lie({ auth: '535 5.7.8 No, ana@example.org' });
    expect(await smtp.probe()).toEqual({ isUp: false, reason: 'unauthorised: 535 5.7.8 No, …' });
    fake.lie({ connect: 'hang' });
    expect(await smtp.probe()).toMatchObject({ isUp: false, reason: expect.stringContaining('unreachable') });
    await fake.close();
    expect(await smtp.probe()).toMatchObject({ isUp: false, reason: expect.stringContaining('unreachable') });
  });
});

describe('the account', () => {
  it('has no secret in it', () => {
    const { account } = createSmtp({ url: 'smtp://ana:geheim@mail.example.org', clock: systemClock });
    expect(account).toMatch(/^smtp:[0-9a-f]{12}$/);
  });
});
