import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** What a child says next. One that dies without a word fails the test at once. */
export async function messageOf(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController();
  const death = once(child, 'exit', { signal: stop.signal }).then(([code]) => {
    throw new Error(`a process ended with ${code} before it answered`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: stop.signal }), death]);
    return message;
  } finally {
    death.catch(() => {});
    stop.abort();
  }
}
