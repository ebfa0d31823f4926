import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startStubRegistry } from './stub-registry.ts';

/** A small package of somebody else, that installs the packed tarball and has nothing else of this project. */
export interface SeparatePackage {
  folder: string;
  write(path: string, text: string): void;
  /** What is in the tarball. */
  files(): string[];
  /** Compiles with this project's compiler, strictly; answers what it complains about. */
  compile(options: object, files: readonly string[]): Promise<Ran>;
  run(command: string, args: readonly string[], env?: Record<string, string>): Promise<Ran>;
  remove(): void;
}

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** As it is after `npm install`: with everything strict that there is, and the types of packages checked, too. */
const strict = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
  ...{ target: 'es2023', verbatimModuleSyntax: true, rootDir: '.' },
};

export async function installPacked(): Promise<SeparatePackage> {
  const home = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-package-'));
  const folder = join(home, 'consumer');
  mkdirSync(folder);
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const registry = await startStubRegistry(dependencies);
  // Nobody's settings: they may name another registry, or leave things out.
  const settings = ['--userconfig', join(home, 'none'), '--globalconfig', join(home, 'none-either')];
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--cache', join(home, 'cache')];
  const npm = async (cwd: string, args: readonly string[]) => {
    const ran = await run(cwd, ...npmCommand([...args, ...settings, ...quiet]));
    if (ran.code !== 0) throw new Error(`npm ${args.join(' ')}: ${ran.out}${ran.err}`);
  };
  try {
    await npm(root, ['pack', '--pack-destination', home]);
    const tarball = readdirSync(home).find((name) => name.endsWith('.tgz')) ?? 'no tarball';
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'consumer', type: 'module', private: true }),
    );
    await npm(folder, ['install', join(home, tarball), '--registry', registry.url]);
  } finally {
    await registry.close();
  }
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  return {
    ...{ folder, write },
    files: () =>
      readdirSync(join(folder, 'node_modules/tidings'), { recursive: true, encoding: 'utf8' }).sort(),
    async compile(options, files) {
      write('tsconfig.json', JSON.stringify({ compilerOptions: { ...strict, ...options }, files }));
      return run(folder, process.execPath, [
        join(root, 'node_modules/typescript/bin/tsc'),
        '-p',
        'tsconfig.json',
      ]);
    },
    run: (command, args, env) => run(folder, command, args, env),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** npm as it was started, where it was. */
function npmCommand(args: readonly string[]): [command: string, args: readonly string[]] {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}

/** Without what npm has put into the environment of this process. */
function run(cwd: string, command: string, args: readonly string[], env = {}): Promise<Ran> {
  const { PATH = '', TIDINGS_TEST_TMP = tmpdir() } = process.env;
  return new Promise((resolve) => {
    const options = {
      cwd,
      env: { PATH, HOME: TIDINGS_TEST_TMP, TIDINGS_TEST_TMP, ...env },
      timeout: 120_000,
      maxBuffer: 1e7,
    };
    const child = execFile(command, args, options, (error, out, err) => {
      resolve({ code: error ? (child.exitCode ?? 1) : 0, out, err });
    });
  });
}
