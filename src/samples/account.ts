import { type Status, statuses } from '../domain/status.ts';

/**
 * What came of a killing, by what arrived in the inbox against who should have been told. Everybody is counted in one place:
 * `people` = `told` + `underWay` + `notToBeTold` + `lost`.
 */
export interface Account {
  people: number;
  /** Who has the mail. */
  told: number;
  /** Of these, who has it more than once. */
  twice: number;
  /** Of these, whose mail was accepted without the dead worker having heard it: the engine does not know yet. */
  unheard: number;
  /** Who has not got it yet, or whose mail the worker that lives has on the wire; their deliveries are open. */
  underWay: number;
  /** They had unsubscribed, or their address is suppressed, before any mail left. */
  notToBeTold: number;
  /** Whose delivery has ended without a mail, although they were to be told. Null while something is open: then "none" would be a guess. */
  lost: number | null;
}

export interface Told {
  recipient: string;
  status: Status;
  sent_at: number | null;
  /** In the hands of a worker that lives, and hears what comes of it. */
  isWithLiving: boolean;
}

export function accountOf(rows: readonly Told[], arrived: ReadonlyMap<string, number>): Account {
  const count = { told: 0, twice: 0, unheard: 0, underWay: 0, notToBeTold: 0, lost: 0 };
  for (const { recipient, status, sent_at, isWithLiving } of rows) {
    const { isFinal } = statuses[status];
    const mails = arrived.get(recipient) ?? 0;
    if (isWithLiving) count.underWay++;
    else if (mails > 0) {
      count.told++;
      if (mails > 1) count.twice++;
      if (!isFinal) count.unheard++;
    } else if (!isFinal) count.underWay++;
    else if (isStopped(status) && sent_at === null) count.notToBeTold++;
    else count.lost++;
  }
  const isOpen = count.underWay + count.unheard > 0;
  return { people: rows.length, ...count, lost: isOpen && count.lost === 0 ? null : count.lost };
}

const isStopped = (status: Status) => status === 'suppressed' || status.startsWith('skipped_');
