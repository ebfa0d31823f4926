import { sql } from 'kysely';
import type { Status } from '../../src/domain/status.ts';
import { systemClock as clock } from '../../src/std/clock.ts';
import { isOpen } from '../crashtest/books.ts';
import { counted } from '../options.ts';
import type { Deployment } from './deployment.ts';

/** A lease is 120 s, and what stays in doubt is looked into again after minutes. */
const settleWithinMs = 8 * 60_000;
const lookEveryMs = 500;
const tellEveryMs = 10_000;

/** Until all were asked for and nothing is left to be looked at, or nothing has changed for too long. Tells how far it is. */
export async function untilSettled(
  { db, provider, client }: Pick<Deployment, 'db' | 'provider' | 'client'>,
  { intents, isOver = () => true }: { intents: number; isOver?: () => boolean },
  tell: (line: string) => void,
): Promise<void> {
  let last = '';
  let changedAt = clock.monotonic();
  let told = { at: clock.monotonic(), accepted: 0 };
  for (; ; await clock.sleep(lookEveryMs)) {
    const { accepted } = await provider.books();
    // A database that is being restarted has no answer.
    const open = await openRows(db).catch(() => null);
    if (open === 0 && client.answered.size === intents && isOver()) return;
    const now = clock.monotonic();
    const seen = `${client.answered.size} ${accepted} ${open} ${isOver()}`;
    if (seen !== last) changedAt = now;
    last = seen;
    if (now - changedAt > settleWithinMs) return tell(`${open} not settled, and no longer waited for`);
    if (now - told.at < tellEveryMs) continue;
    const perSecond = ((accepted - told.accepted) * 1000) / (now - told.at);
    const waiting = open === null ? 'the database does not answer' : `${open} not settled`;
    tell(
      `${accepted} of ${counted(intents, 'intent')} accepted, ${perSecond.toFixed(1)} a second; ${waiting}`,
    );
    told = { at: now, accepted };
  }
}

async function openRows(db: Deployment['db']): Promise<number> {
  const { rows } = await sql<{ status: Status; count: number }>`
    SELECT status, count(*) AS count FROM deliveries GROUP BY status
  `.execute(db.read);
  return rows.filter(({ status }) => isOpen(status)).reduce((sum, { count }) => sum + Number(count), 0);
}
