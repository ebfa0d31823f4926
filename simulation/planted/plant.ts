import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { campusEvery, isCampusSeed } from '../campus/campus-seeds.ts';
import { civicEvery, civicFirst, isCivicSeed } from '../civic/civic-seeds.ts';
import { type Order, type Result, root, runMany } from '../many.ts';
import { isReviewSeed, reviewEvery, reviewFirst } from '../reviews/review-seeds.ts';
import type { Broken } from '../seeds.ts';
import type { PlantedBug } from './planted-bug.ts';

export interface PlantedResult extends Result {
  /** Why the promise that broke says nothing about the bug. Null where it does, or where none broke. */
  objection: string | null;
}

interface Seeds extends Omit<Order, 'folder'> {
  /** What is copied: where `src` and `simulation` are. */
  from?: string;
}
type Edits = PlantedBug['edits'];

/** Runs seeds on a copy of the source that has this bug, and asks of the first alarm whether it is about the bug at all. */
export function runPlanted(
  { edits, where }: Pick<PlantedBug, 'edits' | 'where'>,
  seeds: Seeds,
): Promise<PlantedResult> {
  const { from = root, ...asked } = seeds;
  const order = where === undefined ? asked : onlyThere(asked, where);
  return onCopy(from, edits, async (folder) => {
    const result = await runMany({ ...order, folder });
    const { broken } = result;
    return { ...result, objection: broken && (await objectionTo(broken, from, folder)) };
  });
}

/** Of these seeds, those that have a campus, citizens, or reviewers. */
function onlyThere<T extends Pick<Order, 'first' | 'count'>>(
  order: T,
  where: NonNullable<PlantedBug['where']>,
): T & { every: number } {
  const { every, offset } = placeOf[where];
  const first = Math.ceil((order.first - offset) / every) * every + offset;
  return { ...order, first, count: order.first + order.count - first, every };
}

const placeOf = {
  'on a campus': { every: campusEvery, offset: 0, isThere: isCampusSeed },
  'among citizens': { every: civicEvery, offset: civicFirst, isThere: isCivicSeed },
  'among reviewers': { every: reviewEvery, offset: reviewFirst, isThere: isReviewSeed },
} as const;

/** The same on a copy as it is: what breaks there is the simulator's fault, or the engine's. */
export function runClean({ from = root, ...order }: Seeds): Promise<Result> {
  return onCopy(from, [], (folder) => runMany({ ...order, folder }));
}

/** `npm run simulate` as it is on a copy that has this bug: for whoever wants to see what it does. Answers the exit code. */
export function simulateOnCopy(
  { edits }: Pick<PlantedBug, 'edits'>,
  args: readonly string[],
): Promise<number> {
  return onCopy(root, edits, async (folder) => {
    const child = spawn(process.execPath, ['--import', 'tsx', join('simulation', 'simulate.ts'), ...args], {
      cwd: folder,
      env: { ...process.env, TIDINGS_SIMULATE_ON_COPY: '1' },
      stdio: 'inherit',
    });
    const [code] = await once(child, 'exit');
    return code ?? 1;
  });
}

async function objectionTo(broken: Broken, from: string, folder: string): Promise<string | null> {
  const { seed } = broken;
  const clean = await runClean({ first: seed, count: 1, workers: 1, from });
  if (clean.broken) {
    return `a false alarm, seed ${seed} breaks a promise without the bug as well (${clean.broken.violation.promise})`;
  }
  return (await standsStill(broken, folder))
    ? 'with it nothing is ever sent, so that no rule was tried'
    : null;
}

const seedsTried = 3;

/** A source that throws whatever it is asked would break promises, too. Somewhere, some mail must have begun. */
async function standsStill({ seed, violation, lines }: Broken, folder: string): Promise<boolean> {
  // Of the feed no more is asked than to be asked: whoever asks is at work.
  if (violation.promise === 'the feed is spared' || hasBegun(lines)) return false;
  const place = Object.values(placeOf).find(({ isThere }) => isThere(seed));
  const stride = place?.every ?? 1;
  for (let next = seed + stride; next <= seed + seedsTried * stride; next += stride) {
    const { broken } = await runMany({ first: next, count: 1, workers: 1, folder });
    if (!broken || hasBegun(broken.lines)) return false;
  }
  return true;
}

/** Mails leave; on a campus it will do that openings and closings are noticed, among reviewers that jobs are made. */
const hasBegun = (lines: readonly string[]) =>
  lines.some((line) => /→ sending| {2}open event | is a job, /.test(line));

async function onCopy<T>(from: string, edits: Edits, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(process.env.TIDINGS_TEST_TMP ?? tmpdir(), 'tidings-planted-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    for (const name of ['src', 'simulation', 'package.json', 'tsconfig.json']) {
      cpSync(join(from, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(from, 'node_modules'), join(folder, 'node_modules'));
    plant(edits, folder);
    return await run(folder);
  } finally {
    remove();
    process.off('exit', remove);
  }
}

function plant(edits: Edits, folder: string): void {
  for (const { file, find, replace } of edits) {
    const path = join(folder, 'src', file);
    const parts = readFileSync(path, 'utf8').split(find);
    if (parts.length !== 2) {
      throw new Error(`src/${file} has this ${parts.length - 1} times, not once: ${find}`);
    }
    writeFileSync(path, parts.join(replace));
  }
}
