/**
 * How far a run of many seeds is, on stderr: on a terminal in one line that is written over, elsewhere a line now and then, so that
 * a log is not full of them.
 */
export interface Progress {
  show(done: number): void;
  /** Something that one wants to know before the end. */
  note(line: string): void;
  /** Nothing more to show: the line is free for something else. */
  end(): void;
  /** For a run that is broken off. */
  tellInterrupted(): void;
}

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

const terminalEveryMs = 1_000;
const logEveryMs = 5_000;

export function createProgress(
  count: number,
  output: Output = process.stderr,
  now = () => performance.now(),
): Progress {
  const everyMs = output.isTTY ? terminalEveryMs : logEveryMs;
  let lastAt = now();
  let known = 0;
  const text = () => `${known.toLocaleString('en-GB')} of ${count.toLocaleString('en-GB')} seeds`;
  const end = () => {
    if (output.isTTY) output.write('\r\x1b[K');
  };
  return {
    end,
    note(line) {
      end();
      output.write(`${line}\n`);
    },
    show(done) {
      known = done;
      if (now() - lastAt < everyMs) return;
      lastAt = now();
      output.write(output.isTTY ? `\r\x1b[K${text()}` : `${text()}\n`);
    },
    tellInterrupted() {
      end();
      // Workers tell of their seeds in batches: there may be a few more.
      output.write(
        known === 0
          ? 'Broken off within its first few seeds.\n'
          : `Broken off after ${text()}, which kept every promise.\n`,
      );
    },
  };
}
