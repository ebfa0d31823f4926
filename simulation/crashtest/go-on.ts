import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { openDatabase } from '../../src/db/database.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { silentLog as log } from '../../src/std/log.ts';
import { compareBooks, isOpen } from './books.ts';
import { type Image, outboxOf } from './image.ts';
import { type Books, startProvider } from './provider.ts';
import { startVictim } from './victim.ts';

/** An image from which a process is to go on, and what others knew when it was taken. */
export interface Crashed {
  image: Image;
  /** The addresses of the intents that somebody had said were taken. */
  answered: readonly string[];
  /** What the provider had accepted, or was about to: it goes on when we do not. */
  books: Books;
}

/** Longer than any lease. */
const offForMs = 5 * 60_000;
const settleWithinMs = 60_000;

/**
 * The machine starts again after five minutes. The provider is the same one, at the same address, with the books of the
 * instant of the failure. Answers what is wrong when all is settled.
 */
export async function goOn({ image, answered, books }: Crashed, providerUrl: string): Promise<string[]> {
  const folder = dirname(image.path);
  const url = `sqlite:${image.path}`;
  const port = Number(new URL(providerUrl).port);
  const provider = await startProvider({ seed: 1, ratePerSecond: 150, port, books });
  provider.behave();
  const db = await openDatabase(url, { clock, log });
  // What nobody was told of may be there or not; if it is, it is to be sent.
  const asked = new Set([...answered, ...(await outboxOf(db)).map(({ recipient }) => recipient)]);
  const env = { ...provider.env, DATABASE_URL: url };
  const heir = startVictim({ env, folder, name: 'process', aheadMs: offForMs });
  try {
    const giveUpAt = clock.monotonic() + settleWithinMs;
    let rows = await outboxOf(db);
    for (
      ;
      rows.some(({ status }) => isOpen(status)) && clock.monotonic() < giveUpAt;
      rows = await outboxOf(db)
    ) {
      await clock.sleep(100);
    }
    const mails = provider.ledger.accepted.flatMap(({ body }) => body.to);
    return compareBooks([...asked], rows, mails).wrong;
  } finally {
    await heir.stop();
    await db.close();
    await provider.close();
    rmSync(folder, { recursive: true });
  }
}
