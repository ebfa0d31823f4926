import pc from 'picocolors';
import type { Meaning } from '../domain/meanings.ts';
import { systemClock } from '../std/clock.ts';
import { barOf } from './progress-bar.ts';
import { shortened } from './width.ts';

/**
 * Where a command's words go: results to standard output, complaints to standard error. A reader that has seen enough
 * (`| head -1`) is no error and stops no work: what follows is dropped, and the command finishes what it began.
 */
export interface Terminal {
  print(...lines: string[]): void;
  json(value: unknown): void;
  complain(...lines: string[]): void;
  /**
   * How far a long command is: on one line of standard error, with a bar where it is known how much there is, and gone when
   * something else is printed. Only where a screen shows it: a log, a pipe or a program has no use for it.
   */
  progress(text: string, fraction?: number): void;
  /** The command has ended: what said how far it is goes. */
  settle(): void;
  readonly paint: Paint;
  /** How wide a line may be; undefined when nobody's screen shows it. */
  readonly columns: number | undefined;
  readonly isForPeople: boolean;
  /** Why output was lost, other than by a reader that left: a full disk, for one. */
  readonly failure: Error | undefined;
}

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  /** Colour stands beside a word, never in place of it. */
  meaning(meaning: Meaning, text: string): string;
}

/** Often enough for an eye, seldom enough to cost nothing. */
const progressEveryMs = 100;
const clearedLine = '\r\u001b[K';
/** Where a screen does not say how wide it is. */
const columnsUsually = 80;

export function createTerminal({ mayPaint = true } = {}): Terminal {
  const { stdout, stderr } = process;
  // Without a listener, a reader that leaves would end the process in the middle of its work.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  let progressAt: number | undefined;
  let isProgressShown = false;
  const settle = () => {
    if (isProgressShown && stderr.writable) stderr.write(clearedLine);
    isProgressShown = false;
  };
  const write = (stream: NodeJS.WriteStream, lines: readonly string[]) => {
    settle();
    if (stream.writable) stream.write(lines.map((line) => `${line}\n`).join(''));
  };
  const print = (...lines: string[]) => write(stdout, lines);
  return {
    print,
    json: (value) => print(JSON.stringify(value, null, 2)),
    complain: (...lines) => {
      if (lines.length > 0) write(stderr, lines);
    },
    progress: (text, fraction) => {
      const now = systemClock.monotonic();
      if (!stderr.isTTY || !stderr.writable) return;
      if (progressAt !== undefined && now - progressAt < progressEveryMs) return;
      progressAt = now;
      isProgressShown = true;
      const line = fraction === undefined ? text : `${barOf(fraction)} ${text}`;
      // A line that wraps would not be taken back as a whole.
      stderr.write(`${clearedLine}${shortened(line, (stderr.columns || columnsUsually) - 1)}`);
    },
    settle,
    // picocolors alone would also paint for a pipe when CI is set.
    paint: createPaint(mayPaint && pc.isColorSupported && stdout.isTTY === true),
    columns: stdout.isTTY ? stdout.columns : undefined,
    isForPeople: stdout.isTTY === true,
    get failure() {
      // Asked of the stream, because its event may come only after the command has returned.
      const error = stdout.errored as NodeJS.ErrnoException | null;
      return error && error.code !== 'EPIPE' ? error : undefined;
    },
  };
}

export function createPaint(isEnabled: boolean): Paint {
  const { bold, dim, green, cyan, red, gray } = pc.createColors(isEnabled);
  const colours = { good: green, 'in hand': cyan, 'needs a person': red, 'stopped on purpose': gray };
  return { bold, dim, meaning: (meaning, text) => colours[meaning](text) };
}
