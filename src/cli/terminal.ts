import pc from 'picocolors';
import type { Meaning } from '../domain/tell-now.ts';

/**
 * Where a command's words go: results to standard output, complaints to standard error. A reader that has seen enough
 * (`| head -1`) is no error and stops no work: what follows is dropped, and the command finishes what it began.
 */
export interface Terminal {
  print(...lines: string[]): void;
  json(value: unknown): void;
  complain(...lines: string[]): void;
  /** How far a long command is: on standard error, on one line where a screen shows it. */
  progress(text: string): void;
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

export function createTerminal(): Terminal {
  const { stdout, stderr } = process;
  // Without a listener, a reader that leaves would end the process in the middle of its work.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  let isProgressShown = false;
  const print = (...lines: string[]) => {
    if (isProgressShown && stderr.writable) stderr.write('\r\u001b[K');
    isProgressShown = false;
    if (stdout.writable) stdout.write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    print,
    json: (value) => print(JSON.stringify(value, null, 2)),
    complain: (...lines) => {
      if (stderr.writable) stderr.write(lines.map((line) => `${line}\n`).join(''));
    },
    progress: (text) => {
      if (stderr.writable) stderr.write(stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
      isProgressShown = stderr.isTTY === true;
    },
    // picocolors alone would also paint for a pipe when CI is set.
    paint: createPaint(pc.isColorSupported && stdout.isTTY === true),
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
