import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** `tidings serve` as a user starts it, with these settings and no others. */
export interface Serving {
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('../../scripts/tidings.mjs', import.meta.url));

export async function startServing(
  settings: Readonly<Record<string, string>>,
  folder: string,
): Promise<Serving> {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [program, 'serve', '--json'], {
    // No .env of the work tree.
    cwd: folder,
    env: { PATH, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const isUp = once(child.stdout, 'data').then(() => true);
  if (!(await Promise.race([isUp, ended.then(() => false)])))
    throw new Error('tidings serve did not start; its words are above');
  child.stdout.resume();
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
