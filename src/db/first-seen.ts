/**
 * Where a long file has named something first. Exact however long the file is, and with little memory: what does not fit into the
 * cache is in a SQLite file of its own that nobody else sees, and that is gone when it is closed.
 */
export interface FirstSeen {
  /** The line on which this key stood before; undefined where this is the first. */
  note(key: string, line: number): number | undefined;
  close(): void;
}

export async function openFirstSeen(): Promise<FirstSeen> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  // An empty name is a file of SQLite's own making, deleted as soon as it is open.
  const handle = new DatabaseSync('');
  // 16 MB: some 300,000 keys are looked up without the disk. Nothing of it has to outlive a crash.
  handle.exec(`
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16000;
    CREATE TABLE seen (key TEXT NOT NULL PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
    BEGIN
  `);
  const add = handle.prepare('INSERT INTO seen (key, line) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const find = handle.prepare('SELECT line FROM seen WHERE key = ?');
  return {
    note: (key, line) =>
      add.run(key, line).changes === 1 ? undefined : (find.get(key) as { line: number }).line,
    close: () => handle.close(),
  };
}
