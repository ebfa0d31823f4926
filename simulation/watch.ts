import { CompiledQuery } from 'kysely';
import type { Database } from '../src/db/database.ts';
import type { DeliveryRow } from '../src/db/schema.ts';
import { statuses } from '../src/domain/status.ts';
import type { Fact } from '../src/outbox/facts.ts';
import type { Clock } from '../src/std/clock.ts';
import type { Entry, Ledger } from './ledger.ts';
import type { Story } from './story.ts';

/**
 * The promises, checked against the ledger after every commit and once more at the end. It knows only what the tables and
 * the providers' ledger say, and nothing of how the engine gets there.
 */
export interface Watch {
  /** After a commit by `who`, before anybody else commits. */
  look(who: string): Promise<void>;
  /** Between commits, when only the world has changed. */
  lookAround(): void;
  told(facts: readonly Fact[]): void;
  atTheEnd(): Promise<void>;
  readonly rows: readonly WatchedRow[];
  /** The first promise that was broken; the run ends there. */
  readonly violation: string | null;
}

const columns = [
  ...(['seq', 'id', 'status', 'round', 'lease', 'due_at', 'to_email', 'sent_at', 'expires_at'] as const),
  ...(['first_possible_accept_at', 'resubmit_until', 'last_attempt_at'] as const),
];
export type WatchedRow = Pick<DeliveryRow, (typeof columns)[number]> & { is_suppressed: 0 | 1 };
// The addresses of a run are spelt as their keys are.
const query = CompiledQuery.raw(
  `SELECT ${columns.join(', ')},
    EXISTS (SELECT 1 FROM suppressions WHERE address_key = to_email) AS is_suppressed
  FROM deliveries ORDER BY seq`,
) as CompiledQuery<WatchedRow>;

export interface WatchParts {
  db: Database;
  clock: Clock;
  story: Story;
  ledger: Ledger;
}

export function createWatch({ db, clock, story, ledger }: WatchParts): Watch {
  let rows: WatchedRow[] = [];
  let violation: string | null = null;
  const firstAccepted = new Map<string, number>();

  function violate(sentence: string): void {
    if (violation !== null) return;
    violation = sentence;
    story.tell(`VIOLATED: ${sentence}`);
  }

  function checkStep(before: WatchedRow | undefined, row: WatchedRow): void {
    if (before?.is_suppressed === 1 && isBeginning(before, row)) {
      violate(`#${row.seq} was begun after its address was suppressed`);
    }
    const change = changeOf(before, row);
    if (change !== '')
      story.tell(`  #${row.seq} ${change}${row.status === 'sending' ? ` (round ${row.round})` : ''}`);
  }

  function checkTruth(row: WatchedRow): void {
    const mine = ledger.entries.filter(({ deliveryId }) => deliveryId === row.id);
    if (mine.length === 0 && (row.status === 'sent' || row.status === 'delivered')) {
      violate(`#${row.seq} is ${row.status}, but nobody accepted it`);
    }
    const rounds = new Set(mine.map(({ round }) => round));
    if (rounds.size < mine.length) violate(`#${row.seq}: a round was accepted twice (${namesOf(mine)})`);
    const live = mine.filter(ledger.isLive);
    if (live.length > 1) violate(`#${row.seq}: ${live.length} live mails (${namesOf(live)})`);
    const { mailExists } = statuses[row.status];
    const saysNo =
      mailExists === 'no' ||
      (mailExists === 'see sent_at' && row.sent_at === null && row.first_possible_accept_at === null);
    if (saysNo && live.length > 0) violate(`#${row.seq} is ${row.status}, but ${namesOf(live)} is live`);
    const saysYes = mailExists === 'yes';
    if (saysYes && mine.every(({ isBounceTold }) => isBounceTold)) {
      violate(`#${row.seq} is ${row.status}, although it was told that ${namesOf(mine)} bounced`);
    }
  }

  async function read(): Promise<void> {
    const { rows: next } = await db.write.executeQuery(query);
    for (const [index, row] of next.entries()) checkStep(rows[index], row);
    rows = next;
  }

  return {
    async look(who) {
      const told = story.lines.length;
      await read();
      if (story.lines.length > told) story.tell(`  … by ${who}`);
      for (const row of rows) checkTruth(row);
    },
    lookAround() {
      for (const row of rows) checkTruth(row);
    },
    told(facts) {
      for (const { kind, delivery } of facts) {
        if (kind !== 'first_accepted') continue;
        const times = (firstAccepted.get(delivery.id) ?? 0) + 1;
        firstAccepted.set(delivery.id, times);
        if (times > 1) violate(`#${delivery.seq}: first_accepted was told ${times} times`);
      }
    },
    async atTheEnd() {
      await read();
      for (const row of rows) {
        checkTruth(row);
        if (statuses[row.status].isDue)
          violate(`#${row.seq} is still ${row.status} at the end, due ${dueIn(row, clock)}`);
        const isTold = firstAccepted.has(row.id);
        if (isTold !== (row.sent_at !== null)) {
          violate(
            `#${row.seq}: sent_at is ${row.sent_at}, but first_accepted was ${isTold ? '' : 'not '}told`,
          );
        }
      }
    },
    get rows() {
      return rows;
    },
    get violation() {
      return violation;
    },
  };
}

/** Bytes may leave from now on: a begun send, or a second submission of what is in doubt. */
function isBeginning(before: WatchedRow | undefined, row: WatchedRow): boolean {
  if (!before || (before.last_attempt_at === row.last_attempt_at && before.status === row.status))
    return false;
  if (row.status === 'sending') return before.status !== 'sending' || before.lease !== row.lease;
  return row.status === 'reconciling' && before.status === 'reconciling';
}

function changeOf(before: WatchedRow | undefined, row: WatchedRow): string {
  if (!before) return `is ${row.status}`;
  if (before.status !== row.status) return `${before.status} → ${row.status}`;
  if (isBeginning(before, row)) return 'may be submitted again';
  return before.lease !== row.lease ? 'is taken up' : '';
}

const namesOf = (entries: readonly Entry[]) =>
  entries.map(({ messageId, round, account }) => `${messageId} of round ${round} at ${account}`).join(', ');

const dueIn = ({ due_at }: WatchedRow, clock: Clock) =>
  due_at === null ? 'never' : `in ${(due_at - clock.now()) / 1000} s`;
