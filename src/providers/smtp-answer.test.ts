import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomeOf, type Progress, wordsOf } from './smtp-answer.ts';

const recipient = 'ana.pop@example.org';
const reply = (response: string, progress: Progress = 'handing_over', command = 'RCPT TO') =>
  outcomeOf(
    { code: 'EENVELOPE', command, response, responseCode: Number(response.slice(0, 3)) },
    progress,
    recipient,
  );

describe("a mail server's answer", () => {
  it.each([
    ['550 5.1.1 No such user', 'refused_for_good', 'mailbox_unknown'],
    ['553 5.1.2 No such domain', 'refused_for_good', 'mailbox_unknown'],
    ['556 5.1.10 Null MX', 'refused_for_good', 'mailbox_unknown'],
    ['550-5.1.1 No such user\n550 5.1.1 see http://x', 'refused_for_good', 'mailbox_unknown'],
    // Whoever says only 550 may mean anything by it, and policy is about us: neither suppresses an address.
    ['550 No such user', 'refused_for_good', 'refused'],
    ['550 5.7.1 Relaying denied', 'refused_for_good', 'policy'],
    ['550 4.1.1 Two minds', 'refused_for_good', 'refused'],
    ['554 5.1.1 Transaction failed', 'refused_for_good', 'refused'],
    ['552 5.2.2 Over quota', 'refused_for_good', 'mailbox_full'],
    ['552 Too big', 'refused_for_good', 'message_too_big'],
    ['552 5.3.4 Too big', 'refused_for_good', 'message_too_big'],
    ['452 4.2.2 Mailbox full', 'refused_for_now', 'mailbox_full'],
    ['450 4.7.1 Greylisted', 'refused_for_now', 'refused_for_now'],
    ['421 4.3.2 Shutting down', 'refused_for_now', 'service_closing'],
    ['421 4.7.0 Too many mails', 'deferred', 'throttled'],
    ['535 5.7.8 Who are you', 'deferred', 'unauthorised'],
    ['530 5.7.0 Log in first', 'deferred', 'unauthorised'],
  ])('%s is %s, %s', (response, kind, code) => {
    expect(reply(response)).toMatchObject({ kind, error: { code, provider: 'smtp' } });
  });

  it('an unknown mailbox of the sender says nothing about the recipient', () => {
    expect(reply('550 5.1.1 Unknown', 'handing_over', 'MAIL FROM')).toMatchObject({
      error: { code: 'refused' },
    });
  });

  it('before any mail is mentioned, it is about us and not about the mail', () => {
    expect(reply('421 Busy', 'opening')).toMatchObject({ kind: 'deferred', trouble: 'throttled' });
    expect(reply('454 4.7.0 Try later', 'opening')).toMatchObject({ kind: 'deferred', trouble: 'throttled' });
    expect(reply('535 5.7.8 No', 'opening')).toMatchObject({ kind: 'deferred', trouble: 'unauthorised' });
    expect(reply('554 No service', 'opening')).toMatchObject({ kind: 'deferred', trouble: 'unreachable' });
  });

  it('every answer is definite, and none is an acceptance', () => {
    for (const progress of ['opening', 'handing_over', 'handed_over'] as const) {
      for (let code = 400; code < 600; code++) {
        const { kind } = reply(`${code} Words`, progress);
        const known =
          progress === 'opening' ? ['deferred'] : ['deferred', 'refused_for_now', 'refused_for_good'];
        expect(known).toContain(kind);
        if (progress !== 'opening' && kind !== 'deferred') {
          expect(kind).toBe(code < 500 ? 'refused_for_now' : 'refused_for_good');
        }
      }
    }
  });
});

describe('silence', () => {
  it.each([
    ['opening', 'EDNS', 'deferred', 'unreachable'],
    ['opening', 'ETLS', 'deferred', 'tls_failed'],
    ['opening', 'EAUTH', 'deferred', 'unauthorised'],
    ['handing_over', 'ECONNECTION', 'refused_for_now', 'connection_lost'],
    ['handing_over', 'EMESSAGE', 'refused_for_good', 'message_too_big'],
    ['handed_over', 'ECONNECTION', 'unknown', 'answer_lost'],
  ] as const)('while %s (%s) is %s, %s', (progress, code, kind, name) => {
    expect(outcomeOf({ code, command: 'CONN' }, progress, recipient)).toMatchObject({
      kind,
      error: { code: name },
    });
  });

  it('after the hand-over is unknown whatever nodemailer calls it, and before it never', () => {
    const failure = fc.record(
      {
        code: fc.constantFrom('ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EPROTOCOL', 'EMESSAGE', 'ESTREAM', 'x'),
        command: fc.constantFrom('CONN', 'DATA', 'API'),
        // A 2yz or 3yz in the place of an answer that we have not asked for is no answer.
        responseCode: fc.constantFrom(200, 250, 354),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(failure, (one) => {
        expect(outcomeOf(one, 'handed_over', recipient).kind).toBe('unknown');
        expect(outcomeOf(one, 'handing_over', recipient).kind).toMatch(/^refused/);
        expect(outcomeOf(one, 'opening', recipient).kind).toBe('deferred');
      }),
    );
  });
});

describe('the words of an answer', () => {
  it('are bounded, on one line, and name nobody', () => {
    expect(wordsOf('550 5.1.1 <ana.pop@example.org>: unknown', recipient)).toBe('550 5.1.1 <…>: unknown');
    expect(wordsOf('550 No such user ana.pop here', recipient)).toBe('550 No such user … here');
    expect(wordsOf('550-5.7.1 see\r\n550 5.7.1 http://x/?e=ana%40b.c', recipient)).toBe(
      '550-5.7.1 see 550 5.7.1 …',
    );
    expect(wordsOf(`550 ${'x'.repeat(9000)}`).length).toBe(300);
  });

  it('never hold an address, wherever it stands', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, text, fc.emailAddress(), (before, after, address) => {
        const words = wordsOf(`550 ${before} ${address} ${after}`, address);
        expect(words).not.toContain('@');
        expect(words).not.toMatch(/[\n\r\0]/);
      }),
    );
  });
});
