import {
  createTidingsClient,
  type TidingsClient,
  type TidingsClientOptions,
} from '../../src/client/client.ts';
import { systemClock } from '../../src/std/clock.ts';
import { type LossyProxy, startLossyProxy } from './lossy-proxy.ts';

/** A client of a real server, over a wire that loses answers when the test says so. It does not wait between its tries. */
export interface LossyClient {
  client: TidingsClient;
  wire: LossyProxy;
  with(options: Partial<TidingsClientOptions>): TidingsClient;
  /** The same call when all is well and again when its answers get lost: how both were answered, and what was asked. */
  lose<Answer>(answers: number, call: () => Promise<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/** The bound of a try is real, the waits are not. */
const waits = { timeoutMs: 10_000, waitMaxMs: 9_999 };
const clock = {
  now: () => systemClock.now(),
  sleep: async (ms: number, signal?: AbortSignal) =>
    ms >= waits.timeoutMs ? systemClock.sleep(ms, signal) : undefined,
};

export async function lossyClient(serverUrl: string, apiKey: string): Promise<LossyClient> {
  const wire = await startLossyProxy(serverUrl);
  const make = (options: Partial<TidingsClientOptions> = {}) =>
    createTidingsClient({ ...{ baseUrl: wire.url, apiKey, clock }, ...waits, ...options });
  return {
    ...{ client: make(), wire, with: make, close: wire.close },
    async lose(answers, call) {
      wire.asked.length = 0;
      wire.loseAnswers(answers);
      return call();
    },
  };
}
