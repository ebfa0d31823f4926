import { Refusal } from '../std/refusal.ts';
import { lockedCode } from './dialect.ts';

/** What SQLite's errors mean for whoever opens a database, or waits for its lock. */
export const busyGiveUpMs = 15_000;

const errorCodes = { busy: 5, readOnly: 8, cannotOpen: 14, notADatabase: 26 } as const;

export function isBusy(error: unknown): boolean {
  return codeOf(error) === errorCodes.busy;
}

export function locked(cause: unknown): Error {
  const sentence =
    `Another process has kept the SQLite database locked for ${busyGiveUpMs / 1000} s: a back-up, a shell with an open ` +
    'transaction, or a program that hangs. End it, and try again.';
  return Object.assign(new Error(sentence, { cause }), { code: lockedCode });
}

/** The driver's `all()` throws without the code; the sentences are SQLite's own and do not change. */
const codesBySentence: Readonly<Record<string, number>> = {
  'database is locked': errorCodes.busy,
  'attempt to write a readonly database': errorCodes.readOnly,
  'unable to open database file': errorCodes.cannotOpen,
  'file is not a database': errorCodes.notADatabase,
};

function codeOf(error: unknown): number | undefined {
  const { errcode, message } = (error ?? {}) as { errcode?: unknown; message?: unknown };
  // The low byte is the primary code; the rest says which kind.
  return typeof errcode === 'number' ? errcode & 0xff : codesBySentence[String(message)];
}

export function explained(error: unknown, path: string): unknown {
  const systemCode = (error as NodeJS.ErrnoException)?.code;
  const code = codeOf(error);
  if (systemCode === lockedCode) return new Refusal(lockedCode, (error as Error).message);
  if (code === errorCodes.notADatabase) {
    return new Refusal(
      'not_a_database',
      `${path} is not a SQLite database. Move that file away or set DATABASE_URL to another path.`,
    );
  }
  if (
    code === errorCodes.readOnly ||
    code === errorCodes.cannotOpen ||
    systemCode === 'EACCES' ||
    systemCode === 'EROFS' ||
    systemCode === 'ENOENT'
  ) {
    return new Refusal(
      'database_not_writable',
      `Cannot write ${path}. Make the file and its folder writable for this user, or set DATABASE_URL to another path.`,
    );
  }
  if (systemCode === 'ENOTDIR' || systemCode === 'EEXIST') {
    return new Refusal(
      'database_not_writable',
      `The folder of ${path} cannot be made because a file stands in its way. Set DATABASE_URL to another path.`,
    );
  }
  return error;
}
