import { describe, expect, it } from 'vitest';
import { createSmtp } from '../../src/providers/smtp.ts';
import { systemClock } from '../../src/std/clock.ts';
import type { Lies } from '../support/fake-smtp/lies.ts';
import { parcelOf, shortTimeouts, smtpWorlds } from '../support/fake-smtp/smtp-world.ts';

const createWorld = smtpWorlds();

/** What the server does, and what is known then. Nobody has the mail in any of these. */
const refusals: readonly (readonly [Lies, string, string])[] = [
  [{ connect: '421 4.7.0 Too many connections' }, 'deferred throttled', 'throttled'],
  [{ connect: '421 Busy' }, 'deferred throttled', 'throttled'],
  [{ connect: '554 No service' }, 'deferred unreachable', 'session_refused'],
  [{ connect: 'drop' }, 'deferred unreachable', 'unreachable'],
  [{ connect: 'hang' }, 'deferred unreachable', 'unreachable'],
  [{ auth: '535 5.7.8 Wrong' }, 'deferred unauthorised', 'unauthorised'],
  [{ auth: '454 4.7.0 Later' }, 'deferred throttled', 'throttled'],
  [{ auth: 'drop' }, 'deferred unreachable', 'unreachable'],
  [{ auth: 'hang' }, 'deferred unreachable', 'unreachable'],
  [{ mail: '450 4.7.1 Greylisted' }, 'refused_for_now', 'refused_for_now'],
  [{ mail: '421 4.7.0 Too fast' }, 'deferred throttled', 'throttled'],
  [{ mail: '421 4.3.2 Going down' }, 'refused_for_now', 'service_closing'],
  [{ mail: '530 5.7.0 Log in first' }, 'deferred unauthorised', 'unauthorised'],
  [{ mail: '550 5.7.1 Not you' }, 'refused_for_good', 'policy'],
  [{ mail: 'drop' }, 'refused_for_now', 'connection_lost'],
  [{ mail: 'hang' }, 'refused_for_now', 'connection_lost'],
  [{ rcpt: '452 4.2.2 Full' }, 'refused_for_now', 'mailbox_full'],
  [{ rcpt: '550 5.1.1 <person-1@example.org> unknown' }, 'refused_for_good', 'mailbox_unknown'],
  [{ rcpt: '553 5.1.2 No such domain' }, 'refused_for_good', 'mailbox_unknown'],
  [{ rcpt: '550 5.7.26 DMARC' }, 'refused_for_good', 'policy'],
  [{ rcpt: '421 4.7.28 Slow down' }, 'deferred throttled', 'throttled'],
  [{ rcpt: 'drop' }, 'refused_for_now', 'connection_lost'],
  [{ data: '451 4.3.0 Try later' }, 'refused_for_now', 'refused_for_now'],
  [{ data: '554 5.5.1 No valid recipients' }, 'refused_for_good', 'refused'],
  [{ data: 'drop' }, 'refused_for_now', 'connection_lost'],
  [{ data: 'hang' }, 'refused_for_now', 'connection_lost'],
  [{ content: { afterOctets: 1, does: '552 5.3.4 Too big' } }, 'refused_for_good', 'message_too_big'],
  [{ afterDot: '452 4.3.1 Disk full' }, 'refused_for_now', 'refused_for_now'],
  [{ afterDot: '421 4.7.0 Rate' }, 'deferred throttled', 'throttled'],
  [{ afterDot: '550 5.1.1 Unknown after all' }, 'refused_for_good', 'mailbox_unknown'],
  [{ afterDot: '554 5.7.1 Spam' }, 'refused_for_good', 'policy'],
];

describe.each([true, false])(
  '000-80 a structured outcome, never an exception (pipelining: %s)',
  (pipelining) => {
    it.each(refusals)('%j is %s, %s', async (lies, expected, code) => {
      const isSilent = Object.values(lies).includes('hang');
      const { fake, smtp } = await createWorld(isSilent ? { timeouts: shortTimeouts } : {}, { pipelining });
      fake.lie(lies);
      const outcome = await smtp.send(parcelOf(1));
      const trouble = outcome.kind === 'deferred' && outcome.trouble ? ` ${outcome.trouble}` : '';
      expect(`${outcome.kind}${trouble}`).toBe(expected);
      expect(outcome).toMatchObject({ error: { code, provider: 'smtp' } });
      expect(JSON.stringify(outcome)).not.toContain('@');
      expect(fake.ledger).toEqual([]);
      // Whatever happened to this one, the next one is served.
      fake.lie({});
      expect(await smtp.send(parcelOf(2))).toMatchObject({ kind: 'accepted' });
    });
  },
);

describe('nobody there', () => {
  it.each([
    ['a refused connection', '127.0.0.1:1', /^no session with 127\.0\.0\.1:1 \(ECONNREFUSED\)$/],
    // Who asks for names may be away, too.
    ['an unknown host', 'nowhere.invalid', /^no session with nowhere\.invalid:587 \(E[A-Z_]+\)$/],
  ])('%s is deferred, and said with where and why, and no password', async (_what, place, message) => {
    const url = `smtp://ana:geheim@${place}`;
    const smtp = createSmtp({ url, clock: systemClock, timeouts: { beforeDotMs: 5_000 } });
    expect(await smtp.send(parcelOf(1))).toMatchObject({
      ...{ kind: 'deferred', trouble: 'unreachable' },
      error: { message: expect.stringMatching(message) },
    });
    const probed = await smtp.probe();
    expect(probed).toMatchObject({ isUp: false, reason: expect.stringContaining(`with ${place}`) });
    expect(JSON.stringify(probed)).not.toMatch(/ana|geheim/);
    await smtp.close?.();
  });
});
