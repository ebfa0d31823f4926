import type { Provider } from '../../src/providers/provider.ts';
import { createResend, type ResendParts } from '../../src/providers/resend.ts';
import { type ManualClock, systemClock } from '../../src/std/clock.ts';
import { type FakeResend, type FakeResendOptions, startFakeResend } from './fake-resend/fake-resend.ts';

/** A Resend behind a real socket, and a client of it. */
export type ResendByClock = (
  options?: FakeResendOptions,
  client?: Partial<ResendParts>,
) => Promise<{ fake: FakeResend; provider: Provider }>;

/** By the clock of a world; what ends the two is put among its `closers`. */
export const resendByClock =
  ({ clock, closers }: { clock: ManualClock; closers: (() => unknown)[] }): ResendByClock =>
  async (options = {}, client = {}) => {
    const fake = await startFakeResend({ clock, ...options });
    // Its requests are real: how long they may take is not for a clock to decide that others move.
    const itsClock = { ...clock, sleep: systemClock.sleep };
    const provider = createResend({
      ...{ apiKey: 're_test', baseUrl: fake.url, clock: itsClock, ratePerSecond: Infinity, ...client },
    });
    closers.push(
      () => provider.close?.(),
      () => fake.close(),
    );
    return { fake, provider };
  };
