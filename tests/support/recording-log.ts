import { createLog, type Log } from '../../src/std/log.ts';

interface LogLine {
  level: string;
  event: string;
  error?: { message: string; code?: string };
  [field: string]: unknown;
}

/** The real log, read as it is written. */
export interface RecordingLog extends Log {
  lines: LogLine[];
  /** `event: what the error says`, of the lines that tell of an error. */
  errors(): string[];
}

export function createRecordingLog(onLine: (line: LogLine) => void = () => {}): RecordingLog {
  const lines: LogLine[] = [];
  const write = (text: string) => {
    const line = JSON.parse(text) as LogLine;
    lines.push(line);
    onLine(line);
  };
  return {
    ...createLog({ level: 'debug', sink: { write } }),
    lines,
    errors: () =>
      lines
        .filter(({ level }) => level === 'error')
        .map(({ event, error }) => `${event}: ${error?.message ?? ''}`),
  };
}
