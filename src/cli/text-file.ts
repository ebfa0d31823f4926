import { open } from 'node:fs/promises';
import { Refusal } from '../std/refusal.ts';

/** A file that somebody named, as text. */
export interface TextFile {
  chunks: AsyncIterable<string>;
  /** How much there is to read, and how much of it has been. */
  octets: number;
  octetsRead(): number;
  close(): Promise<void>;
}

/** How much of it has been read, from 0 to 1; undefined of what is empty, or has no end yet. */
export function shareRead({ octets = 0, octetsRead }: Partial<TextFile>): number | undefined {
  return octets > 0 ? octetsRead && octetsRead() / octets : undefined;
}

/** Before the database is opened: a name that is misspelt is told first. */
export async function openTextFile(file: string): Promise<TextFile> {
  try {
    const handle = await open(file);
    const stat = await handle.stat();
    if (stat.isDirectory()) {
      await handle.close();
      throw new Refusal('file_unreadable', `${JSON.stringify(file)} is a folder. Give a file.`);
    }
    const chunks = handle.createReadStream({ encoding: 'utf8', autoClose: false });
    const octetsRead = () => chunks.bytesRead;
    return { chunks, octets: stat.size, octetsRead, close: () => handle.close() };
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new Refusal(
      'file_unreadable',
      code === 'ENOENT'
        ? `There is no file ${JSON.stringify(file)}. Check its name, and the folder you are in.`
        : `The file ${JSON.stringify(file)} cannot be read (${code ?? 'unknown'}).`,
    );
  }
}
