import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Seen } from './provider-process.ts';

/** A provider on loopback, in its own process. */
export interface ProviderServer {
  url: string;
  /** What it has seen since this was last asked. */
  seen(): Promise<Seen>;
  close(): Promise<void>;
}

/** It answers at once, or after so long. */
export async function startProviderServer({ latencyMs = 0 } = {}): Promise<ProviderServer> {
  const path = fileURLToPath(new URL('provider-process.ts', import.meta.url));
  const child = fork(path, [String(latencyMs)], { execArgv: ['--import', 'tsx'] });
  const ended = new Promise<never>((_, reject) => {
    child.once('exit', (code) => reject(new Error(`the provider's process ended with ${code}`)));
  });
  ended.catch(() => {}); // Heard by whoever waits for an answer; at the close nobody does.
  const answer = async <T>() => (await Promise.race([once(child, 'message'), ended]))[0] as T;
  const { port } = await answer<{ port: number }>();
  return {
    url: `http://127.0.0.1:${port}`,
    seen() {
      child.send('seen');
      return answer<Seen>();
    },
    async close() {
      if (child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
