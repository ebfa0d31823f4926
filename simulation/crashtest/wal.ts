import { readFileSync } from 'node:fs';

/**
 * SQLite's log, as far as it must be read to break it honestly (https://sqlite.org/walformat.html): a header of 32 bytes,
 * then frames of a page each. Its index, the -shm file, says up to which frame the log is committed; with synchronous = FULL
 * that is written after the log was synced. The index itself is never part of an image: a restart makes a new one.
 */
export interface WalIndex {
  /** Which log it speaks of: a new one has a new salt. */
  salt: string;
  /** The last frame that is committed, and synced. */
  committed: number;
  /** A checkpoint is writing, or has written, the frames up to this into the database; the log was synced before. */
  attempted: number;
  /** Up to this it has finished. */
  backfilled: number;
}

export interface Wal {
  bytes: Buffer;
  salt: string;
  pageSize: number;
}

const headerBytes = 32;
const frameHeaderBytes = 24;

/** Null when there is none, or when it is being written at this very moment. */
export function readWalIndex(databasePath: string): WalIndex | null {
  const bytes = readIfThere(`${databasePath}-shm`);
  // Two copies, written one after the other: whoever reads them alike has read a whole one.
  if (bytes.length < 136 || !bytes.subarray(0, 48).equals(bytes.subarray(48, 96))) return null;
  return {
    committed: bytes.readUInt32LE(16),
    salt: bytes.toString('hex', 32, 40),
    backfilled: bytes.readUInt32LE(96),
    attempted: bytes.readUInt32LE(128),
  };
}

export function readWal(databasePath: string): Wal | null {
  const bytes = readIfThere(`${databasePath}-wal`);
  if (bytes.length < headerBytes) return null;
  return { bytes, salt: bytes.toString('hex', 16, 24), pageSize: bytes.readUInt32BE(8) };
}

/** Where a frame ends, counted from 1; before the first there is nothing that matters, not even the header. */
export function endOfFrame({ pageSize }: Wal, frame: number): number {
  return frame === 0 ? 0 : headerBytes + frame * (frameHeaderBytes + pageSize);
}

/** What a checkpoint up to this frame, which ends a transaction, has to write: the last version of each page. */
export function pagesUpTo(wal: Wal, frame: number): Map<number, Buffer> {
  const pages = new Map<number, Buffer>();
  for (let each = 1; each <= frame; each++) {
    const start = endOfFrame(wal, each) - wal.pageSize;
    const header = start - frameHeaderBytes;
    pages.set(wal.bytes.readUInt32BE(header), wal.bytes.subarray(start, start + wal.pageSize));
  }
  const sizeInPages = wal.bytes.readUInt32BE(endOfFrame(wal, frame) - wal.pageSize - frameHeaderBytes + 4);
  for (const page of pages.keys()) if (page > sizeInPages) pages.delete(page);
  return pages;
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
