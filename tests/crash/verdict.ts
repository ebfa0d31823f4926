import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { plainPolicy } from '../../src/domain/policy.ts';
import { statuses } from '../../src/domain/status.ts';
import type { Guarantees } from '../../src/providers/provider.ts';
import type { Counterpart } from './counterparts.ts';
import type { Scenario } from './scenario.ts';

/** What is wrong at the end of a scenario, however many died on the way: the ledger of the provider against the outbox. */
export interface Witness {
  /** The addresses of all mails that were accepted, one entry a mail. */
  accepted: readonly string[];
  deaths: number;
  name: Counterpart['name'];
  /** Mails in flight at once. */
  connections: number;
}

/** Where the scenario's source keeps its books. */
export const booksTable = 'CREATE TABLE crash_books (delivery_seq BIGINT NOT NULL, kind TEXT NOT NULL)';

export async function problemsOf(
  db: Database,
  { expected, prefix }: Scenario,
  { accepted, deaths, name, connections }: Witness,
): Promise<string[]> {
  const rows = await db.read.selectFrom('deliveries').selectAll().where('occasion', '=', prefix).execute();
  const books = await sql<{ seq: number; kind: string }>`SELECT delivery_seq AS seq, kind FROM crash_books`
    .execute(db.read)
    .then((result) => result.rows);
  const problems: string[] = [];
  for (const row of rows) {
    const times = accepted.filter((address) => address === row.recipient).length;
    const asked = expected.get(row.recipient) ?? 0;
    const inDoubt = row.status === 'needs_review';
    if (!statuses[row.status].isFinal && !inDoubt)
      problems.push(`${row.recipient} is stuck in ${row.status}`);
    if (times > asked) problems.push(`${row.recipient} was accepted ${times} times instead of ${asked}`);
    if (times < asked && !inDoubt)
      problems.push(`${row.recipient} is ${row.status}, accepted ${times} times instead of ${asked}`);
    if (times > 0 && !inDoubt && row.provider_message_id === null)
      problems.push(`${row.recipient} has no evidence`);
    const booked = books.filter(({ seq, kind }) => seq === row.seq && kind === 'first_accepted').length;
    // What somebody only says to be sent was told to nobody; and where a second mail is in doubt, the first was told.
    const isKnown = inDoubt ? asked > 1 && row.round > 1 : row.sent_at !== null;
    if (booked !== (isKnown ? 1 : 0)) problems.push(`${row.recipient} was booked ${booked} times`);
  }
  if (rows.length !== expected.size + 2)
    problems.push(`${rows.length} deliveries instead of ${expected.size + 2}`);
  const doubts = rows.filter(({ status }) => status === 'needs_review').length;
  // Without keys: the three that were left behind in any case, and what was on the wire at each death.
  const doubtsMax = name === 'smtp' || name === 'postmark' ? 3 + deaths * connections : 0;
  if (doubts > doubtsMax) problems.push(`${doubts} deliveries need a person, more than ${doubtsMax}`);
  return problems;
}

const sweepMs = 2_000;
/** Doubt is looked into after 5 s, a provider that was down is asked after 1 s, and the bounce of the scenario waits 1 s. */
const backOffMs = 15_000;

/** Whether those who came after a death were done in time. */
export function lateness(tookMs: number, guarantees: Guarantees): string[] {
  const { longestCallMs, idempotencyWindowMs, indexingDelayMs } = guarantees;
  // The longer of the two leases under which a delivery can be held when its holder dies.
  const longestHoldMs = Math.max(plainPolicy.leaseMs, longestCallMs + 30_000);
  // Without keys there is nothing to do but to ask, and who is asked may know it late. What somebody only says to be sent is asked
  // for ten times over an hour and a half where an answer decides nothing.
  const isAskedOnly = idempotencyWindowMs === null && indexingDelayMs > 0;
  const askedForMs = isAskedOnly ? indexingDelayMs + 90 * 60_000 : 0;
  const boundMs = longestHoldMs + askedForMs + backOffMs + 2 * sweepMs;
  return tookMs > boundMs ? [`it took ${tookMs} ms to settle, more than ${boundMs}`] : [];
}
