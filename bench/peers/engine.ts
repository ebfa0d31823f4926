import { existsSync, writeFileSync } from 'node:fs';
import { sql } from 'kysely';
import { readyMail } from '../send/bare-loop.ts';
import { intentNumber } from '../send/intent-number.ts';
import { createSender, type Sender } from '../send/sender.ts';
import type { Contender, ContenderOrder } from './contender.ts';

/** Ours, with everything on: events, frozen mails, consent, fences. It composes each mail; the others have theirs ready made. */
export async function createContender(order: ContenderOrder): Promise<Contender> {
  const { rows, databaseUrl, providerUrl, connections, mailsFile } = order;
  const sender = await createSender({ databaseUrl, providerUrl, connections });
  const intents = Array.from({ length: rows }, (_, index) => intentNumber(index));
  return {
    fill: (round) => sender.enqueue(intents.map((intent) => ({ ...intent, occasion: `round ${round}` }))),
    run: () => sender.send(rows),
    async check() {
      const { sent = 0, ...others } = await sender.tally();
      const left = Object.values(others).reduce((sum, count) => sum + Number(count), 0);
      if (!existsSync(mailsFile)) await writeMails(sender, mailsFile);
      return { sent: Number(sent), ...(await countStory(sender)), left };
    },
    close: sender.close,
  };
}

/** One that says "accepted" for each, whatever else is in the story. */
async function countStory({ db }: Sender): Promise<{ events: number; bodies: number }> {
  const { rows } = await sql<{ events: number; bodies: number }>`
    SELECT (SELECT count(*) FROM delivery_events WHERE event = 'accepted') AS events,
      (SELECT count(*) FROM delivery_mails WHERE round > 0 AND body_hash IS NOT NULL) AS bodies`.execute(
    db.read,
  );
  return { events: Number(rows[0]?.events), bodies: Number(rows[0]?.bodies) };
}

/** What the others post is what the engine has frozen in its first round, octet for octet. */
async function writeMails(sender: Sender, file: string): Promise<void> {
  writeFileSync(file, JSON.stringify((await sender.mails()).map(readyMail)));
}
