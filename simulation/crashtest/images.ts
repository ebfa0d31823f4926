import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock as clock } from '../../src/std/clock.ts';
import { createSeededRandom, integerBelow } from '../../src/std/random.ts';
import { createClient } from './client.ts';
import { type Crashed, goOn } from './go-on.ts';
import {
  checkImage,
  copyImage,
  type Damage,
  damages,
  type Image,
  isShortened,
  loseTooMuch,
  type Told,
  takeImage,
} from './image.ts';
import { type Books, startProvider } from './provider.ts';
import { makeFolder } from './scene.ts';
import { startVictim } from './victim.ts';
import { readWalIndex } from './wal.ts';

/**
 * A process under load on a SQLite file, stopped at random instants; each time its file and log are copied, damaged as a
 * power failure may damage them, reopened and checked. From some of them a process goes on, against what the provider knew
 * at that instant: every intent is accepted once.
 */
export interface ImagesResult {
  images: number;
  /** Each is reopened as it was found and with each damage. */
  reopened: number;
  /** Of these, how many had lost commits that nobody had been told of. */
  shortened: number;
  inCheckpoint: number;
  /** How many logs there were: a full one is checkpointed and begun anew, over the old one's bytes. */
  logs: number;
  goneOn: number;
  intents: number;
  accepted: number;
  wrong: string[];
  seed: number;
  ms: number;
}

export interface ImagesOrder {
  images: number;
  seed: number;
  /** From so many of them a process goes on. */
  goneOn?: number;
  /** Instead of every damage that may be, one that may not. */
  isTooMuchLost?: boolean;
}

/** The first image is not of an empty database. */
const mailsBefore = 20;
const ratePerSecond = 150;
const backlog = 150;
/** The slowest answer of the provider: what it has been handed before the stop, it may accept after it. */
const slowestAnswerMs = 450;
/** A log is full, and checkpointed, every few seconds. */
const checkpointWithinMs = 5_000;

export async function takeImages(order: ImagesOrder, tell: (line: string) => void): Promise<ImagesResult> {
  const { images, seed, goneOn = Math.max(1, Math.round(images / 20)) } = order;
  const startedAt = clock.monotonic();
  const random = createSeededRandom(seed);
  const subject = await startSubject(seed);
  const wrong: string[] = [];
  const figures = { images: 0, reopened: 0, shortened: 0, inCheckpoint: 0 };
  const logs = new Set<string>();
  const kept: { crashed: Crashed; damage: Damage }[] = [];

  async function check(image: Image, number: number, known: Known): Promise<void> {
    const applied = order.isTooMuchLost ? { 'log lost': loseTooMuch } : damages;
    for (const [damage, apply] of Object.entries(applied)) {
      const copy = copyImage(image, join(subject.folder, `copy-${number}`));
      if (isShortened(image, apply(copy, random))) figures.shortened += 1;
      const problems = await checkImage(copy, known);
      wrong.push(...problems.map((problem) => `image ${number}, ${damage}: ${problem}`));
      figures.reopened += 1;
      rmSync(dirname(copy.path), { recursive: true });
    }
  }

  try {
    for (let number = 0; number < images; number++) {
      await clock.sleep(10 + integerBelow(random, 150));
      // A checkpoint is over in milliseconds: by chance alone hardly one would be met.
      if (number % 10 === 9) await subject.untilCheckpoint(checkpointWithinMs);
      const isKept = kept.length < goneOn && number >= (kept.length * images) / goneOn;
      const { image, books, ...known } = await subject.take(`image-${number}`, isKept ? slowestAnswerMs : 0);
      figures.images += 1;
      if (image.wal) logs.add(image.wal.salt);
      if (image.isInCheckpoint) figures.inCheckpoint += 1;
      await check(image, number, known);
      const damage = kept.length % 2 === 0 ? 'log cut' : 'half a checkpoint';
      if (isKept) kept.push({ crashed: { image, books, answered: known.answered }, damage });
      else rmSync(dirname(image.path), { recursive: true });
      if (figures.images % 50 === 0) tell(`${figures.images} of ${images} images`);
    }
    const { intents, accepted } = await subject.end();
    for (const { crashed, damage } of kept) {
      damages[damage](crashed.image, random);
      const problems = await goOn(crashed, subject.providerUrl);
      wrong.push(...problems.map((problem) => `gone on from an image, ${damage}: ${problem}`));
    }
    return {
      ...{ ...figures, logs: logs.size, goneOn: kept.length, intents, accepted, wrong, seed },
      ms: Math.round(clock.monotonic() - startedAt),
    };
  } finally {
    await subject.close();
  }
}

interface Known {
  answered: readonly string[];
  accepted: readonly string[];
}

/** A process on a file, under load, that can be stopped for as long as it takes to copy it. */
interface Subject {
  folder: string;
  providerUrl: string;
  /** Until one is under way, or so long. */
  untilCheckpoint(withinMs: number): Promise<void>;
  /** `lingerMs`: the provider goes on for so long before its books are copied. */
  take(name: string, lingerMs: number): Promise<Known & { image: Image; books: Books }>;
  /** No more questions, and the process ends as an operator ends it. */
  end(): Promise<{ intents: number; accepted: number }>;
  close(): Promise<void>;
}

async function startSubject(seed: number): Promise<Subject> {
  const folder = makeFolder('tidings-images-');
  const live = join(folder, 'live.db');
  let told: Told = 'all there is';
  // Whoever is told something may act upon it: by then it has to be on the disk.
  const mark = () => {
    let index: Told | null = null;
    for (let tries = 0; tries < 100 && index === null; tries++) index = readWalIndex(live);
    told = index ?? 'all there is';
  };
  const provider = await startProvider({ seed, ratePerSecond, onMail: mark });
  const env = { ...provider.env, DATABASE_URL: `sqlite:${live}` };
  const victim = startVictim({ env, folder, name: 'process' });
  await victim.up;
  const client = createClient({ urls: () => [victim.url ?? []].flat(), onAnswer: mark });
  const mails = () => provider.ledger.accepted.flatMap(({ body }) => body.to);
  let isOver = false;
  const closing = new AbortController();
  const asking = client.run({
    room: async () => client.asked.length - provider.ledger.accepted.length < backlog,
    isOver: () => isOver,
    aborted: closing.signal,
  });

  async function end() {
    isOver = true;
    await asking;
    await victim.stop();
    await provider.close();
    return { intents: client.asked.length, accepted: mails().length };
  }

  async function close(): Promise<void> {
    closing.abort();
    victim.signal('SIGCONT');
    await end().finally(() => rmSync(folder, { recursive: true, force: true }));
  }

  while (victim.url && mails().length < mailsBefore) await clock.sleep(20);
  if (!victim.url) {
    const said = readFileSync(join(folder, 'process.log'), 'utf8');
    await close();
    throw new Error(`the process ended ${await victim.gone}: ${said}`);
  }
  return {
    ...{ folder, providerUrl: provider.url, end, close },
    async untilCheckpoint(withinMs) {
      for (
        const giveUpAt = clock.monotonic() + withinMs;
        clock.monotonic() < giveUpAt;
        await clock.nextTurn()
      ) {
        const index = readWalIndex(live);
        if (index && index.attempted > index.backfilled) return;
      }
    },
    async take(name, lingerMs) {
      if (!victim.url) throw new Error(`the process ended ${await victim.gone}`);
      victim.signal('SIGSTOP');
      await untilStopped(victim.pid);
      await clock.sleep(lingerMs);
      const known = { answered: [...client.answered], accepted: mails() };
      const books = provider.ledger.accepted.map(({ key, bodyText }) => ({ key, bodyText }));
      const image = takeImage(live, join(folder, name), told);
      victim.signal('SIGCONT');
      return { ...known, image, books };
    },
  };
}

/** A signal takes a moment: what a process has asked of the system is finished first. */
async function untilStopped(pid: number): Promise<void> {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return clock.sleep(20);
  const stateOf = () => /\) (\w)/.exec(readFileSync(file, 'utf8'))?.[1];
  while (stateOf() !== 'T') await clock.sleep(1);
}
