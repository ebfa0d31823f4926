import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { isOpenToAll } from '../support/open-to-all.ts';
import { type Copy, copiesOf, isSent, readStages, root, type Stage } from './dockerfile.ts';

/**
 * What the Dockerfile makes, made in a folder: its copies and its build are done, and nothing else is there. Only `npm ci` is not run:
 * packages are links to those of this clone, all of them to build with, in the image those alone that are no dev dependencies.
 */
export interface Image {
  /** Its /app, which nobody may write to but for `data`. */
  folder: string;
  /** Whom it runs as; undefined where that is who runs the tests. */
  user: { uid: number; gid: number } | undefined;
  stage: Stage;
  remove(): void;
}

const isRoot = process.getuid?.() === 0;
const nobody = { uid: 65_534, gid: 65_534 };

export function makeImage(): Image {
  const user = isRoot && isOpenToAll(root) ? nobody : undefined;
  const own = process.env.TIDINGS_TEST_TMP ?? tmpdir();
  // The folder of a test run is closed to others.
  const below = user ? ([own, tmpdir(), '/tmp'].find(isOpenToAll) ?? own) : own;
  const parent = mkdtempSync(join(below, 'tidings-image-'));
  const remove = () => {
    for (const path of ['.', ...filesOf(parent)]) chmodSync(join(parent, path), 0o755);
    rmSync(parent, { recursive: true });
  };
  try {
    chmodSync(parent, 0o755);
    const stages = readStages();
    for (const stage of stages) makeStage(stage, parent);
    const folder = join(parent, 'image');
    mkdirSync(join(folder, 'data'));
    const files = filesOf(folder).filter((path) => path !== 'data');
    for (const path of ['.', ...files]) chmodSync(join(folder, path), 0o555);
    if (user) chownSync(join(folder, 'data'), user.uid, user.gid);
    return { folder, user, stage: stages.at(-1) as Stage, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

const folderOf = (stage: string, parent: string) => join(parent, stage || 'image');

function makeStage(stage: Stage, parent: string): void {
  const folder = folderOf(stage.name, parent);
  mkdirSync(folder);
  for (const copy of copiesOf(stage)) perform(copy, folder, parent);
  const programs = programsOf(stage);
  if (programs.length === 0) return;
  linkPackages(join(folder, 'node_modules'), readdirSync(join(root, 'node_modules')));
  for (const program of programs) execFileSync(process.execPath, [program], { cwd: folder, stdio: 'pipe' });
}

/** The programs that a stage runs. */
function programsOf({ instructions }: Stage): string[] {
  const commands = instructions.flatMap(({ name, text }) => (name === 'RUN' ? [text] : []));
  return commands.flatMap((text) => /^node (\S+)$/.exec(text)?.[1] ?? []);
}

function perform({ from, paths, to }: Copy, folder: string, parent: string): void {
  if (from === 'packages') {
    linkPackages(join(folder, to), productionPackages());
    return;
  }
  for (const path of paths) {
    const origin = from === undefined ? join(root, path) : path.replace(/^\/app/, folderOf(from, parent));
    const target = to === './' ? join(folder, path) : join(folder, to);
    const isWanted = (file: string) => from !== undefined || isSent(relative(root, file));
    cpSync(origin, target, { recursive: true, filter: isWanted });
  }
}

/** As package-lock.json marks them. What lies inside of another package comes with it. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true }>;
  };
  return Object.entries(packages).flatMap(([path, { dev, devOptional }]) => {
    const [, name] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    return name === undefined || dev || devOptional ? [] : [name];
  });
}

/** One by one, so that nobody who tidies up the folder touches what the links lead to. */
function linkPackages(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const installed = join(root, 'node_modules', name);
    if (!existsSync(installed)) continue; // Of another platform.
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    symlinkSync(installed, join(folder, name));
  }
}

/** And folders; without packages. */
export function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !/(?:^|\/)node_modules(?:\/|$)/.test(path),
  );
}
