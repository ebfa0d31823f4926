import { afterEach } from 'vitest';
import type { Provider } from '../../../src/providers/provider.ts';
import { createSmtp, type SmtpParts } from '../../../src/providers/smtp.ts';
import { systemClock } from '../../../src/std/clock.ts';
import { mailTo } from '../mails.ts';
import { createFakeSmtp, type FakeSmtp, type FakeSmtpOptions } from './fake-smtp.ts';

export interface SmtpWorld {
  fake: FakeSmtp;
  smtp: Provider;
}

/** For those who wait in vain. The fake greets after a tenth of a second. */
export const shortTimeouts = { beforeDotMs: 300, afterDotMs: 150 };
/** For those who are answered, on however busy a machine. */
export const usualTimeouts = { beforeDotMs: 8_000, afterDotMs: 8_000 };

/** A mail server and our side of it, ended after each test. */
export function smtpWorlds() {
  const worlds: SmtpWorld[] = [];
  afterEach(async () => {
    for (const { smtp, fake } of worlds.splice(0)) {
      await smtp.close?.();
      await fake.close();
    }
  });
  return async (parts: Partial<SmtpParts> = {}, options: FakeSmtpOptions = {}): Promise<SmtpWorld> => {
    const fake = await createFakeSmtp(options);
    const smtp = createSmtp({ url: fake.url, clock: systemClock, timeouts: usualTimeouts, ...parts });
    worlds.push({ fake, smtp });
    return { fake, smtp };
  };
}

export const keyOf = (number: number) => `11111111-1111-5111-8111-${String(number).padStart(12, '0')}`;

export const parcelOf = (number: number, more: Parameters<typeof mailTo>[1] = {}) => ({
  key: keyOf(number),
  mail: mailTo(number, more),
  startBefore: Infinity,
  leaseEndsAt: Infinity,
});
