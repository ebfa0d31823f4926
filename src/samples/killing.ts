import { type Status, statuses } from '../domain/status.ts';
import type { Engine } from '../engine.ts';
import { readInbox } from '../inbox/inbox.ts';
import { Refusal } from '../std/refusal.ts';
import { neighbours } from './sample-people.ts';
import type { WorkerProcess } from './worker-process.ts';

/**
 * A worker is killed while it sends, and the account of what came of it: what the inbox holds against who should have been told. The inbox
 * is counted by what arrived there, and not by what the outbox says of it.
 */
export interface Killing {
  at: number;
  /** Who was killed, and who works now. */
  killedPid: number | null;
  pid: number | null;
  people: number;
  /** Handed over, and not answered, at that instant: nobody can know of these at once. */
  onTheWire: number;
  /** Who has the mail. */
  told: number;
  twice: number;
  /** Final: somebody who has not got it and will not, although they were to be told. */
  lost: number;
  /** They had unsubscribed, or their address is suppressed, before any mail left. */
  notToBeTold: number;
  /** Not settled yet. */
  waiting: number;
  /** When the last lease of the dead worker is over, and what it held is looked into. */
  lookedIntoAt: number | null;
}

interface KillingParts extends Pick<Engine, 'db' | 'outbox' | 'clock'> {
  worker: WorkerProcess;
  newNumber: () => string;
}

/** In mid-send: some have gone out, some are on the wire, some wait. */
const toldBefore = 8;
const withinMs = 15_000;
const lookMs = 20;

export async function killInMidSend(parts: KillingParts): Promise<() => Promise<Killing>> {
  const { db, outbox, clock, worker, newNumber } = parts;
  const number = newNumber();
  const subject = `Sample notice ${number}: no water on Monday`;
  const occasion = `sample-notice-${number}`;
  await outbox.enqueue(
    neighbours.map(({ email }) => ({
      ...{ source: 'plain', occasion, recipient: email, toEmail: email, lane: 'normal' as const },
      variables: { subject, text: 'The pipes are mended. From noon on there is water again.' },
    })),
  );
  const rows = () =>
    db.read
      .selectFrom('deliveries')
      .select(['status', 'due_at', 'sent_at'])
      .where('source', '=', 'plain')
      .where('occasion', '=', occasion)
      .execute();
  const until = clock.monotonic() + withinMs;
  let onTheWire = 0;
  for (;;) {
    const now = await rows();
    onTheWire = now.filter(({ status }) => status === 'sending').length;
    const toldCount = now.filter(({ status }) => status === 'sent' || status === 'delivered').length;
    if (onTheWire > 0 && toldCount >= toldBefore) break;
    if (clock.monotonic() > until)
      throw new Refusal(
        'worker_not_sending',
        'The worker has sent too little within some seconds for anything to be interrupted. Is everything paused, was it killed just now, or are the sample people suppressed or unsubscribed? Try again when it sends.',
      );
    await clock.sleep(lookMs);
  }
  const killedPid = worker.kill();
  const at = clock.now();
  return async () => {
    const now = await rows();
    const arrived = new Map<string, number>();
    // Also what somebody has cleared away meanwhile.
    const { mails } = await readInbox(db, { limit: inboxMax, subject, withCleared: true });
    for (const { mail } of mails)
      if (mail.subject === subject) arrived.set(mail.to, (arrived.get(mail.to) ?? 0) + 1);
    const open = now.filter(({ status }) => !statuses[status].isFinal);
    const held = open.filter(({ status }) => status === 'claimed' || status === 'sending');
    const waiting = open.length;
    const notToBeTold = now.filter(({ status, sent_at }) => isStopped(status) && sent_at === null).length;
    return {
      ...{ at, killedPid, pid: worker.pid(), people: neighbours.length, onTheWire },
      told: arrived.size,
      twice: [...arrived.values()].filter((times) => times > 1).length,
      lost: waiting > 0 ? 0 : Math.max(0, neighbours.length - notToBeTold - arrived.size),
      ...{ notToBeTold, waiting },
      lookedIntoAt: held.length > 0 ? Math.max(...held.map(({ due_at }) => due_at ?? 0)) : null,
    };
  };
}

const isStopped = (status: Status) => status === 'suppressed' || status.startsWith('skipped_');

/** Many times the people. */
const inboxMax = 1_000;
