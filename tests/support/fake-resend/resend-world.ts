import type { Provider } from '../../../src/providers/provider.ts';
import { createResend, type ResendParts } from '../../../src/providers/resend.ts';
import { createManualClock, type ManualClock } from '../../../src/std/clock.ts';
import { type ByteServers, createByteServers } from '../byte-servers.ts';
import { type FakeResend, type FakeResendOptions, startFakeResend } from './fake-resend.ts';

/** A fake Resend and our client of it, on one clock that the test moves. */
export interface ResendWorld {
  clock: ManualClock;
  fake: FakeResend;
  /** A client, closed with the world. */
  resend(more?: Partial<ResendParts>): Provider;
  listen: ByteServers['listen'];
  close(): Promise<void>;
}

export async function createResendWorld(
  options: FakeResendOptions = {},
  standing: Partial<ResendParts> = {},
): Promise<ResendWorld> {
  const clock = createManualClock(Date.UTC(2026, 2, 14, 22));
  const fake = await startFakeResend({ clock, ...options });
  const bytes = createByteServers();
  const closers: (() => unknown)[] = [];
  return {
    clock,
    fake,
    resend(more = {}) {
      const provider = createResend({ apiKey: 're_test', baseUrl: fake.url, clock, ...standing, ...more });
      closers.push(() => provider.close?.());
      return provider;
    },
    listen: bytes.listen,
    async close() {
      await fake.close();
      await bytes.close();
      for (const close of closers) await close();
    },
  };
}
