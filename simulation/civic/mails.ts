import { statuses } from '../../src/domain/status.ts';
import type { Clock } from '../../src/std/clock.ts';
import { hourMs } from '../chance.ts';
import type { Ledger } from '../ledger.ts';
import type { Post } from '../posts.ts';
import { skewMs, type Violate, type WatchedRow } from '../promises.ts';
import type { CivicTables, Words } from './civic-tables.ts';
import type { Change } from './civic-watch.ts';
import { isToldSo, mayBeTold } from './grounds.ts';
import { codeOf, isTakenUp, meaningOf, objectionOf, partsOf, periodOf, short } from './reading.ts';
import type { Town } from './town.ts';
import { nothing, type TownHall } from './town-hall.ts';

/** What leaves, to whom, in which words, and whether it may; and what ends without a mail. */
export interface MailWatch {
  look(change: Change): void;
  posted(post: Post, tables: CivicTables, rows: readonly WatchedRow[]): void;
  atTheEnd(tables: CivicTables, rows: readonly WatchedRow[]): void;
}

interface Parts {
  violate: Violate;
  clock: Clock;
  ledger: Ledger;
  town: Town;
  hall: Pick<TownHall, 'told'>;
  ownerOf: (seq: number) => string | undefined;
}

const bounceDelayMs = 4 * hourMs; // 8.19

/** As a period is read. */
const labels: Readonly<Record<string, readonly string[]>> = {
  '2025-12': ['December 2025', 'decembrie 2025'],
  '2025-11': ['November 2025', 'noiembrie 2025'],
  '2025-Q4': ['Q4 2025', 'trimestrul IV 2025'],
  '2025': ['2025'],
  '2024': ['2024'],
};

export function createMailWatch({ violate, clock, ledger, town, hall, ownerOf }: Parts): MailWatch {
  /** What was first to leave, where nobody had composed it ahead. */
  const left = new Map<string, Words>();
  const claimedAt = new Map<string, number>();
  /** A mail of it may have existed: nobody has to tell it again. */
  const inDoubt = new Set<number>();
  /** By run: what had been tried and was over when it began, so that it is on no list of that run. */
  const triedBefore = new Map<string, ReadonlySet<number>>();
  let checked = 0;

  /** Given up before a run began, it is none of that run's; an operator who has put it back since is told that its own run stops it again. */
  const isLetGo = (seq: number, runId: string) =>
    inDoubt.has(seq) || (triedBefore.get(runId)?.has(seq) ?? false);

  /** Why it must not begin now; undefined where it may. */
  function objectionTo(row: WatchedRow, { before }: Change): string | undefined {
    const why = objectionOf(before.wishes.get(partsOf(row.recipient).wishId), before);
    if (why) return why;
    const runId = ownerOf(row.seq) ?? '';
    const { state, reason } = before.items.get(runId)?.get(partsOf(row.recipient).wishId) ?? {};
    // What an operator has put back leaves without its run. Who had left, and comes back, does not.
    const isOfRun = isTakenUp(state) || reason === 'skipped_unsubscribed';
    if (!isOfRun) return undefined;
    const status = before.runs.get(runId)?.status;
    return status === 'running' || status === 'finished' ? undefined : `its run is ${status}`;
  }

  function addressesSince(userId: string, from: number): (string | null)[] {
    const all = town.citizens.find(({ id }) => id === userId)?.addresses ?? [];
    return all.filter((_, index) => (all[index + 1]?.from ?? Infinity) >= from).map(({ address }) => address);
  }

  function checkEnd(row: WatchedRow, change: Change): void {
    const { after } = change;
    const { userId, wishId } = partsOf(row.recipient);
    const wish = after.wishes.get(wishId);
    const code = codeOf(row);
    if (row.status === 'skipped_no_email') {
      const known = addressesSince(userId, (claimedAt.get(row.id) ?? 0) - skewMs);
      if (!known.includes(null))
        violate('nobody is left over', `#${row.seq} has no address, and ${userId} has one`);
      return;
    }
    const run = after.runs.get(ownerOf(row.seq) ?? '');
    const isSo =
      code === 'run_cancelled'
        ? run?.status === 'cancelled'
        : code === 'bounced' || code === 'complained'
          ? wish?.inactive_because === code
          : wish !== undefined && isToldSo(code, wish, row.occasion, hall.told);
    if (!isSo) violate('nobody is left over', `#${row.seq} ended because of ${code}, which is not so`);
  }

  /** A full mailbox is not emptied at once, whatever is said to its run meanwhile. */
  function checkBounced(row: WatchedRow, was: WatchedRow): void {
    const say = () =>
      violate('nobody is left over', `#${row.seq} bounced for now, and is tried again at once`);
    // What met a full quota waits for the next day, which may begin sooner.
    const isBounce = row.evidence > was.evidence && codeOf(row).startsWith('bounced');
    if (row.status === 'failed_transient' && isBounce) {
      if ((row.due_at ?? 0) < (row.sent_at ?? 0) + bounceDelayMs - 2 * skewMs) say();
      dueAfterBounce.set(row.seq, row.due_at ?? 0);
    } else if (was.status === 'failed_transient' && row.status !== was.status) {
      const dueAt = dueAfterBounce.get(row.seq) ?? 0;
      dueAfterBounce.delete(row.seq);
      if (row.status === 'claimed' && clock.now() < dueAt - 2 * skewMs) say();
    }
  }
  const dueAfterBounce = new Map<number, number>();

  function checkOnce({ wishes }: CivicTables, rows: readonly WatchedRow[]): void {
    for (; checked < ledger.entries.length; checked++) {
      const { deliveryId } = ledger.entries[checked] as (typeof ledger.entries)[number];
      const row = rows.find(({ id }) => id === deliveryId);
      const wish = wishes.get(partsOf(row?.recipient ?? '').wishId);
      if (!row || !wish) continue;
      const key = `${meaningOf(wish)} ${row.occasion}`;
      const known = tellers.get(key) ?? deliveryId;
      if (known !== deliveryId)
        violate('one period, one mail', `${wish.user_id} was told of ${row.occasion} twice`);
      tellers.set(key, known);
    }
  }
  /** By user, wish and period: which delivery has told it. */
  const tellers = new Map<string, string>();

  function checkWords(
    { seq, recipient, occasion }: WatchedRow,
    { text }: Words,
    { wishes, links }: CivicTables,
  ): void {
    const wish = wishes.get(partsOf(recipient).wishId);
    const isPlain = text.startsWith('{');
    if (!wish || !isPlain) return;
    const { props, unsubscribeUrl = '' } = JSON.parse(text) as {
      props: Record<string, string>;
      unsubscribeUrl?: string;
    };
    if (!labels[occasion]?.includes(props.periodLabel ?? ''))
      violate('as it was composed', `#${seq} tells of ${props.periodLabel}, and is of ${occasion}`);
    const said = wish.entity_cui === null ? undefined : hall.told.get(`${wish.entity_cui} ${occasion}`);
    if (said && !said.has(props.entityName ?? nothing))
      violate('as it was composed', `#${seq} tells of ${props.entityName}, which nobody has said`);
    if (wish.entity_cui === null && !mayBeTold(wish, occasion, hall.told))
      violate('as it was composed', `#${seq} is told, and none of its conditions ever held`);
    const link = links.get(recipient);
    if (!link || !unsubscribeUrl.includes(`/${link.token_id}`))
      violate('as it was composed', `#${seq} does not have the way out of wish ${short(wish.id)}`);
  }

  return {
    look(change) {
      const { rows, rowsBefore, after } = change;
      const had = new Map(rowsBefore.map((row) => [row.seq, row]));
      for (const runId of after.runs.keys()) {
        if (change.before.runs.has(runId)) continue;
        triedBefore.set(runId, new Set(rows.filter(isTried).map(({ seq }) => seq)));
      }
      for (const row of rows) {
        const was = had.get(row.seq);
        if (!was || (was.status === row.status && was.lease === row.lease)) continue;
        checkBounced(row, was);
        if (row.status === 'claimed') claimedAt.set(row.id, clock.now());
        if (row.status === 'reconciling' || row.status === 'needs_review') inDoubt.add(row.seq);
        if (row.status === 'skipped_ineligible' || row.status === 'skipped_no_email') checkEnd(row, change);
        if (was.status !== 'claimed' || row.status !== 'sending') continue;
        const why = objectionTo(row, change);
        if (why)
          violate(
            why.startsWith('its run') ? 'a run is heeded' : 'a wish is heeded',
            `#${row.seq} leaves, and ${why}`,
          );
        const to = addressesSince(partsOf(row.recipient).userId, (claimedAt.get(row.id) ?? 0) - skewMs);
        const isFirstTime = was.to_email === null || row.round > was.round;
        if (isFirstTime && !to.includes(row.to_email))
          violate('as it was composed', `#${row.seq} leaves for ${row.to_email}, where nobody lives now`);
      }
      checkOnce(after, rows);
    },
    posted({ parcel: { mail } }, tables, rows) {
      const row = rows.find(({ id }) => id === mail.tags.delivery_id);
      if (!row) return;
      const { subject, html, text } = mail;
      const words = tables.words.get(row.seq) ?? left.get(row.id) ?? { subject, html, text };
      left.set(row.id, words);
      if (words.subject !== subject || words.html !== html || words.text !== text)
        violate('as it was composed', `#${row.seq} leaves in other words than it was composed in`);
      checkWords(row, words, tables);
    },
    atTheEnd({ wishes, optOuts, runs }, rows) {
      // The last runs had all figures there: whoever wants it has been told, or it was tried.
      for (const { run_id: runId, notification_type: type, period_key: period } of [...runs.values()].filter(
        ({ created_by }) => created_by === 'the last',
      )) {
        for (const wish of wishes.values()) {
          if (wish.notification_type !== type || wish.is_active === 0 || optOuts.has(wish.user_id)) continue;
          const occasion = periodOf(wish, period);
          const row = rows.find(
            (one) => one.recipient === `${wish.user_id}:${wish.id}` && one.occasion === occasion,
          );
          if (!row) violate('nobody is left over', `wish ${short(wish.id)} was never told of ${occasion}`);
          else if (row.sent_at === null && codeOf(row) === 'run_cancelled' && !isLetGo(row.seq, runId))
            violate('nobody is left over', `#${row.seq} ended with its run, and no later one has told it`);
        }
      }
    },
  };
}

/** Over, and not to be told again by a run: who left is, when they come back. */
const isTried = ({ status }: WatchedRow) =>
  statuses[status].isFinal && status !== 'skipped_ineligible' && status !== 'skipped_unsubscribed';
