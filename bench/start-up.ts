import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from './report/result.ts';
import { median } from './support/median.ts';
import { roundsWanted } from './support/rounds-wanted.ts';

/**
 * How long somebody waits at a prompt: for `tidings --version`, and for `tidings serve` in an empty folder until it says where it listens,
 * its first database made and all. From a package as npm installs it, with dist and without src, which has nothing to prepare.
 */
const root = fileURLToPath(new URL('../', import.meta.url));
const rounds = roundsWanted(10);
const folder = mkdtempSync(join(tmpdir(), 'tidings-bench-'));
const program = join(folder, 'installed/scripts/tidings.mjs');
try {
  for (const name of ['dist', 'scripts', 'package.json'])
    cpSync(join(root, name), join(folder, 'installed', name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'installed/node_modules'));
  const version: number[] = [];
  const serve: number[] = [];
  // The first of each has the files read into memory. It is not counted.
  for (let round = 0; round <= rounds; round++) {
    const versionMs = await untilFirstLine(['--version'], round);
    const serveMs = await untilFirstLine(['serve', '--json'], round);
    if (round === 0) continue;
    version.push(versionMs);
    serve.push(serveMs);
  }
  console.log(`\nUntil the first line, in ms: median (lowest to highest) of ${rounds}`);
  print('tidings --version', version);
  print('tidings serve', serve);
  const measured = { 'start-up/version': median(version), 'start-up/serve': median(serve) };
  report({ bench: 'start-up', rounds, rows: 1, measured });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A version is there when the program has ended; a server, when it has said where it listens. */
async function untilFirstLine(args: readonly string[], round: number): Promise<number> {
  const cwd = join(folder, `${args[0]} ${round}`);
  mkdirSync(cwd);
  const { PATH = '' } = process.env;
  const env = { PATH, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' };
  const startedAt = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [''])]);
  if (args[0] === 'serve') {
    const tookMs = performance.now() - startedAt;
    if (!String(line).includes('"url"')) throw new Error(`tidings serve said: ${line}`);
    child.kill('SIGTERM');
    await ended;
    return tookMs;
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`tidings ${args.join(' ')} ended with ${code}`);
  return performance.now() - startedAt;
}

function print(name: string, times: readonly number[]): void {
  const [low, high] = [Math.min(...times), Math.max(...times)];
  console.log(
    `  ${name.padEnd(20)} ${median(times).toFixed(0).padStart(5)} (${low.toFixed(0)} to ${high.toFixed(0)})`,
  );
}
