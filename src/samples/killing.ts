import type { Status } from '../domain/status.ts';
import type { Engine } from '../engine.ts';
import { readInbox } from '../inbox/inbox.ts';
import { Refusal } from '../std/refusal.ts';
import { type Account, accountOf } from './account.ts';
import { neighbours } from './sample-people.ts';
import type { WorkerProcess } from './worker-process.ts';

/** A worker is killed while it sends, and the account of what came of it, by what arrived in the inbox and not by what the outbox says. */
export interface Killing extends Account {
  at: number;
  /** Who was killed, and who works now: null until the next one has started. */
  killedPid: number | null;
  pid: number | null;
  /** Handed over, and not answered, when it was dead: nobody can know of these at once. */
  onTheWire: number;
  /** Accepted by then, and heard of. */
  heard: number;
  /** Waiting or claimed by then: no mail of these had left. */
  notLeft: number;
  /** When the last lease of the dead worker is over, and what it held is looked into. Null when nothing is in its hands any more. */
  lookedIntoAt: number | null;
}

interface KillingParts extends Pick<Engine, 'db' | 'outbox' | 'clock' | 'pauses'> {
  worker: WorkerProcess;
  newNumber: () => string;
}

const source = 'plain';
/** The scope of a pause of all mail. */
const everything = '*';
/** In mid-send: some have gone out, some are on the wire, some wait. */
const toldBefore = 8;
const withinMs = 15_000;
const lookMs = 20;

export async function killInMidSend(parts: KillingParts): Promise<() => Promise<Killing>> {
  const { db, outbox, clock, worker, newNumber } = parts;
  await requireNoPause(parts.pauses);
  const number = newNumber();
  const subject = `Sample notice ${number}: no water on Monday`;
  const occasion = `sample-notice-${number}`;
  await outbox.enqueue(
    neighbours.map(({ email }) => ({
      ...{ source, occasion, recipient: email, toEmail: email, lane: 'normal' as const },
      variables: { subject, text: 'The pipes are mended. From noon on there is water again.' },
    })),
  );
  const rows = () =>
    db.read
      .selectFrom('deliveries')
      .select(['recipient', 'status', 'due_at', 'sent_at', 'locked_by'])
      .where('source', '=', source)
      .where('occasion', '=', occasion)
      .execute();
  const until = clock.monotonic() + withinMs;
  for (;;) {
    const { onTheWire, heard } = standingOf(await rows());
    if (onTheWire > 0 && heard >= toldBefore) break;
    if (clock.monotonic() > until)
      throw new Refusal(
        'worker_not_sending',
        'The worker has sent too little within some seconds for anything to be interrupted. Was everything paused or it killed just now, or are the sample people suppressed or unsubscribed? Try again when it sends.',
      );
    await clock.sleep(lookMs);
  }
  const killedPid = worker.kill();
  const at = clock.now();
  // Only now: between the last look and its death it has sent and heard more. Another is not there yet.
  const atDeath = await rows();
  const standing = standingOf(atDeath);
  const heldAtDeath = atDeath.filter(isInHand);
  // By name: whoever takes over has one of its own, and what it has in hand is not what the dead one held.
  const dead = new Set(heldAtDeath.map(({ locked_by }) => locked_by));
  const leasesEndAt = Math.max(...heldAtDeath.map(({ due_at }) => due_at ?? 0));
  return async () => {
    // Before the inbox is read: what is sent by then has arrived there.
    const now = await rows();
    const arrived = new Map<string, number>();
    // Also what somebody has cleared away meanwhile.
    const { mails } = await readInbox(db, { limit: inboxMax, subject, withCleared: true });
    for (const { mail } of mails)
      if (mail.subject === subject) arrived.set(mail.to, (arrived.get(mail.to) ?? 0) + 1);
    const told = now.map((row) => ({ ...row, isWithLiving: isInHand(row) && !dead.has(row.locked_by) }));
    const isHeldByDead = now.some((row) => isInHand(row) && dead.has(row.locked_by));
    return {
      ...{ at, killedPid, pid: worker.pid(), ...standing, ...accountOf(told, arrived) },
      lookedIntoAt: isHeldByDead ? leasesEndAt : null,
    };
  };
}

const isInHand = ({ status }: { status: Status }) => status === 'claimed' || status === 'sending';

function standingOf(rows: readonly { status: Status }[]): Pick<Killing, 'onTheWire' | 'heard' | 'notLeft'> {
  const count = (isMeant: (status: Status) => boolean) => rows.filter(({ status }) => isMeant(status)).length;
  return {
    onTheWire: count((status) => status === 'sending'),
    heard: count((status) => status === 'sent' || status === 'delivered'),
    notLeft: count((status) => ['pending', 'claimed', 'failed_transient'].includes(status)),
  };
}

/** Before anything is queued: what a pause holds back would leave when nobody expects it any more. */
async function requireNoPause(pauses: Engine['pauses']): Promise<void> {
  const paused = new Set((await pauses.list()).map(({ scope }) => scope));
  if (!paused.has(everything) && !paused.has(source)) return;
  throw new Refusal(
    'worker_not_sending',
    `${paused.has(everything) ? 'All mail' : `Mail of the source ${source}`} is paused, so there is no sending to interrupt, and nothing was queued. Let it leave again, then kill the worker.`,
  );
}

/** Many times the people. */
const inboxMax = 1_000;
