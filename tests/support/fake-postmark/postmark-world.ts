import { createPostmark, type PostmarkParts } from '../../../src/providers/postmark.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { createManualClock, type ManualClock } from '../../../src/std/clock.ts';
import { type ByteServers, createByteServers } from '../byte-servers.ts';
import {
  type FakePostmark,
  type FakePostmarkOptions,
  serverToken,
  startFakePostmark,
} from './fake-postmark.ts';

/** A fake Postmark and our client of it, on one clock that the test moves. */
export interface PostmarkWorld {
  clock: ManualClock;
  fake: FakePostmark;
  /** A client, closed with the world. */
  postmark(more?: Partial<PostmarkParts>): Provider;
  listen: ByteServers['listen'];
  close(): Promise<void>;
}

export async function createPostmarkWorld(options: FakePostmarkOptions = {}): Promise<PostmarkWorld> {
  const clock = createManualClock(Date.UTC(2026, 2, 14, 22));
  const fake = await startFakePostmark({ clock, ...options });
  const bytes = createByteServers();
  const clients: Provider[] = [];
  return {
    ...{ clock, fake, listen: bytes.listen },
    postmark(more = {}) {
      const provider = createPostmark({
        // A rate at which questions do not wait.
        ...{ serverToken, baseUrl: fake.url, clock, requestsPerSecond: Infinity, ...more },
      });
      clients.push(provider);
      return provider;
    },
    async close() {
      await fake.close();
      await bytes.close();
      for (const client of clients) await client.close?.();
    },
  };
}
