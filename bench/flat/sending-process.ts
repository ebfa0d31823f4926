import { intentNumber } from '../send/intent-number.ts';
import { createSender } from '../send/sender.ts';
import { answerParent } from '../support/child.ts';
import { taken } from '../support/cpu.ts';

/** Puts and sends so many, a part at a time, and tells what each part was like. */
export interface FlatOrder {
  databaseUrl: string;
  providerUrl: string;
  total: number;
  part: number;
}

export interface Part {
  /** To send one: the part was put before the clock began. */
  cpuMicros: number;
  rssMb: number;
}

answerParent(async ({ databaseUrl, providerUrl, total, part }: FlatOrder): Promise<Part[]> => {
  const sender = await createSender({ databaseUrl, providerUrl, connections: 64 });
  const parts: Part[] = [];
  for (let sent = 0; sent < total + part; sent += part) {
    const occasion = `after ${sent}`;
    // Not all at once: who puts them would hold more than who sends them.
    for (let at = 0; at < part; at += 1_000) {
      const size = Math.min(1_000, part - at);
      const batch = Array.from({ length: size }, (_, index) => ({ ...intentNumber(at + index), occasion }));
      await sender.enqueue(batch);
    }
    const { cpuMs } = await taken(() => sender.send(part));
    parts.push({ cpuMicros: (cpuMs * 1000) / part, rssMb: process.memoryUsage.rss() / 1e6 });
  }
  const { sent = 0 } = await sender.tally();
  if (Number(sent) !== parts.length * part) throw new Error(`${sent} are sent, of ${parts.length * part}`);
  await sender.close();
  return parts.slice(1);
});
