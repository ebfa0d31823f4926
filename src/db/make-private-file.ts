import { closeSync, openSync } from 'node:fs';

/**
 * Addresses and mails are in it, so that a new one is its owner's alone; SQLite gives what it writes beside it the same mode. Whoever
 * has let others in keeps it so: one that is there is left as it is.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It is there, or cannot be made; SQLite, which opens it next, says which.
  }
}
