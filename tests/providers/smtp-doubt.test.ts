import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSmtp } from '../../src/providers/smtp.ts';
import { systemClock } from '../../src/std/clock.ts';
import { createFakeSmtp } from '../support/fake-smtp/fake-smtp.ts';
import type { Lies } from '../support/fake-smtp/lies.ts';
import { parcelOf, shortTimeouts, smtpWorlds, usualTimeouts } from '../support/fake-smtp/smtp-world.ts';

const createWorld = smtpWorlds();

describe('once the final dot may have been sent', () => {
  it.each([
    ['accept_and_drop', 1],
    ['drop', 0],
    ['accept_and_hang', 1],
    ['hang', 0],
  ] as const)(
    '000-80 a server that does "%s" leaves the outcome unknown: it may have the mail (it has %i)',
    async (afterDot, has) => {
      const isSilent = afterDot.endsWith('hang');
      const { fake, smtp } = await createWorld(
        isSilent ? { timeouts: { ...usualTimeouts, afterDotMs: shortTimeouts.afterDotMs } } : {},
      );
      fake.lie({ afterDot });
      expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'unknown', error: { code: 'answer_lost' } });
      expect(fake.ledger).toHaveLength(has);
      fake.lie({});
      expect(await smtp.send(parcelOf(2))).toMatchObject({ kind: 'accepted' });
    },
  );

  it('the wait for the answer has its own time, beyond that of what comes before', async () => {
    const { fake, smtp } = await createWorld({ timeouts: { beforeDotMs: 300, afterDotMs: 5_000 } });
    fake.lie({ afterDot: { acceptLateMs: 350 } });
    expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'accepted' });
  });

  it('an answer that comes too late changes nothing that was said', async () => {
    const { fake, smtp } = await createWorld({ timeouts: { ...usualTimeouts, afterDotMs: 50 } });
    fake.lie({ afterDot: { acceptLateMs: 150 } });
    expect(await smtp.send(parcelOf(1))).toMatchObject({ kind: 'unknown' });
    expect(fake.ledger).toHaveLength(1);
  });

  it('it never sends the mail again by itself', async () => {
    const { fake, smtp } = await createWorld();
    fake.lie({ afterDot: 'accept_and_drop' });
    await smtp.send(parcelOf(1));
    expect(fake.commands.filter((command) => command.startsWith('MAIL'))).toHaveLength(1);
  });
});

it('000-71 what it says never contradicts what the server has, wherever and however it is cut off', async () => {
  const fake = await createFakeSmtp();
  const smtp = createSmtp({
    url: fake.plainUrl,
    clock: systemClock,
    timeouts: { beforeDotMs: 400, afterDotMs: 40 },
  });
  const cut = fc.oneof(
    fc.constantFrom<Lies>(
      {},
      { mail: 'drop' },
      { rcpt: 'drop' },
      { data: 'drop' },
      { data: '451 4.3.0 No' },
      { afterDot: 'drop' },
      { afterDot: 'accept_and_drop' },
      { afterDot: 'accept_and_hang' },
      { afterDot: 'hang' },
      { afterDot: '554 5.7.1 No' },
    ),
    fc.record({
      content: fc.record({
        afterOctets: fc.nat(700_000),
        does: fc.constantFrom('drop' as const, 'stall' as const, '552 5.3.4 Too big' as const),
      }),
    }),
  );
  let number = 0;
  await fc.assert(
    fc.asyncProperty(cut, fc.nat(600_000), async (lies, octets) => {
      number += 1;
      fake.ledger.length = 0;
      fake.lie(lies);
      const { kind } = await smtp.send(parcelOf(number, { text: 'x '.repeat(octets / 2 + 1) }));
      if (kind === 'accepted') expect(fake.ledger).toHaveLength(1);
      // Whatever is still on its way has arrived once the connection is gone, and not among what comes of the next one.
      else await fake.hangUp();
      if (kind !== 'accepted' && kind !== 'unknown') expect(fake.ledger).toHaveLength(0);
      expect(fake.ledger.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: 40 },
  );
  await smtp.close?.();
  await fake.close();
});
