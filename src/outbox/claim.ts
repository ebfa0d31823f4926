import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import { type DialectName, rowsOf, seqsOf } from '../db/dialect.ts';
import type { DeliveryMailRow, DeliveryRow } from '../db/schema.ts';
import type { Lane } from '../domain/delivery.ts';
import { statusesBefore } from '../domain/lifecycle.ts';
import type { Mail } from '../domain/message.ts';
import { nextRound } from '../domain/transition.ts';
import { mailOf, wordsOf } from './mails.ts';
import { type LockedDelivery, lockedOf, statusList } from './rows.ts';
import type { Words } from './written.ts';

/** A delivery that this worker holds until `leaseEndsAt`, with all that is needed to send it. */
export interface Claimed {
  seq: number;
  id: string;
  source: string;
  occasion: string;
  recipient: string;
  lane: Lane;
  lease: number;
  leaseEndsAt: number;
  /** The round that `begin` will open, or reopen with the same key and the same bytes. */
  round: number;
  /** Ended attempts of that round: a new one counts anew. */
  attempts: number;
  lapses: number;
  toEmail: string | null;
  locale: string | null;
  templateName: string | null;
  templateVersion: string | null;
  traceId: string | null;
  dedupeKey: string | null;
  expiresAt: number | null;
  variables: Readonly<Record<string, unknown>>;
  /** The mail of this round, if it was frozen by an earlier attempt. */
  frozen: Mail | null;
  /** What a source has composed ahead, or the words of the last round: a source that composes once says the same again. */
  written: Words | null;
  /** The row as it is in this worker's hands. Only of what nobody has tried yet: of a round that is over facts may come at any time. */
  known?: LockedDelivery;
}

export interface ClaimOrder {
  source: string;
  worker: string;
  limit: number;
  leaseMs: number;
  /** Rows whose workers died twice are claimed one at a time, whatever their lane, and apart from the others. */
  from: Lane | 'suspects';
  /** Of these, what is due: a queue has named them. Without it, the oldest that are. */
  seqs?: readonly number[];
}

/** From here on a row was in hand when a worker died so often that it may be the reason. */
export const lapsesUntilSuspect = 2;

/**
 * Takes rows that are due, oldest first, in one statement: two workers never get the same one, and neither waits
 * for the other; the mails are read in the same transaction, so that a claim is whole or not at all.
 */
export async function claimDeliveries(
  tx: Tx,
  dialect: DialectName,
  order: ClaimOrder,
  now: number,
): Promise<Claimed[]> {
  const leaseEndsAt = now + order.leaseMs;
  const due = order.seqs ? namedDue(dialect, order, order.seqs, now) : oldestDue(order, order.limit, now);
  const besides = sql`status = 'claimed', claims = claims + 1,`;
  const rows = await takeInHand(tx, dialect, { due, besides, worker: order.worker, leaseEndsAt, now });
  if (rows.length === 0) return [];
  const mails = await mailsOf(
    tx,
    dialect,
    rows.map((row) => ({ seq: row.seq, round: row.evidence === 0 ? 0 : nextRound(row) })),
  );
  return rows
    .sort((a, b) => a.seq - b.seq)
    .map((row) => claimedOf(row, nextRound(row), leaseEndsAt, mails.get(row.seq) ?? []));
}

type Group = Pick<ClaimOrder, 'source' | 'from'>;

const waits = statusList(statusesBefore('claimed'));

/** Those of a lane, or the suspects of all lanes, that are due. */
export function isDueIn({ source, from }: Group, now: number): Sql {
  const group =
    from === 'suspects'
      ? sql`lapses >= ${sql.lit(lapsesUntilSuspect)}`
      : sql`lane = ${sql.lit(from)} AND lapses < ${sql.lit(lapsesUntilSuspect)}`;
  return sql`source = ${source} AND ${group} AND due_at <= ${now}`;
}

/** The index `deliveries_claimable` holds exactly the rows that can match, in this order. */
export function oldestDue(group: Group, limit: number, now: number, columns = sql`seq`): Sql {
  return sql`
    SELECT ${columns} FROM deliveries WHERE status IN (${waits}) AND ${isDueIn(group, now)}
    ORDER BY due_at, seq LIMIT ${limit}`;
}

/** By primary key: with the status in sight PostgreSQL would look for these few among all that wait. */
function namedDue(dialect: DialectName, order: ClaimOrder, seqs: readonly number[], now: number): Sql {
  const input = seqsOf(dialect, seqs);
  return sql`
    SELECT seq FROM deliveries WHERE seq IN (SELECT seq FROM ${input})
      AND status || '' IN (${waits}) AND ${isDueIn(order, now)}
    ORDER BY seq LIMIT ${order.limit}`;
}

/** The rows that `due` finds, under a new lease: nobody else gets them, and nobody waits for those that others are taking. */
export async function takeInHand(
  tx: Tx,
  dialect: DialectName,
  hold: { due: Sql; besides?: Sql; worker: string; leaseEndsAt: number; now: number },
): Promise<DeliveryRow[]> {
  const { due, besides = sql``, worker, leaseEndsAt, now } = hold;
  const { rows } = await sql<DeliveryRow>`
    UPDATE deliveries
    SET ${besides} lease = lease + 1, locked_by = ${worker}, locked_at = ${now}, due_at = ${leaseEndsAt}
    WHERE ${isAmong(dialect, due)}
    RETURNING *
  `.execute(tx);
  return rows;
}

/** Of what `due` finds, what nobody else is taking: on PostgreSQL an array, because a join would read the whole table. */
export function isAmong(dialect: DialectName, due: Sql): Sql {
  return dialect === 'postgres' ? sql`seq = ANY(ARRAY(${due} FOR UPDATE SKIP LOCKED))` : sql`seq IN (${due})`;
}

type Sql = RawBuilder<unknown>;

/** What each delivery's intent brought, and the mails of the round that is named and of the one before, by number. */
export async function mailsOf(
  tx: Tx,
  dialect: DialectName,
  rounds: readonly { seq: number; round: number }[],
): Promise<Map<number, DeliveryMailRow[]>> {
  // Pairs, not `round IN (0, …)`: with an OR in the join PostgreSQL reads the whole table of mails.
  const wanted = rounds.flatMap(({ seq, round }) =>
    [...new Set([0, Math.max(0, round - 1), round])].map((each) => ({ seq, round: each })),
  );
  const input = rowsOf(dialect, { seq: 'number', round: 'number' }, wanted);
  const { rows: mails } = await sql<DeliveryMailRow>`
    SELECT delivery_mails.* FROM ${input} JOIN delivery_mails
    ON delivery_mails.delivery_seq = input.seq AND delivery_mails.round = input.round
  `.execute(tx);
  const bySeq = new Map<number, DeliveryMailRow[]>();
  for (const mail of mails) bySeq.set(mail.delivery_seq, [...(bySeq.get(mail.delivery_seq) ?? []), mail]);
  return bySeq;
}

export function claimedOf(
  row: DeliveryRow,
  round: number,
  leaseEndsAt: number,
  mails: readonly DeliveryMailRow[],
): Claimed {
  const brought = mails.find((mail) => mail.round === 0);
  const frozen = mails.find((mail) => mail.round === round && round > 0);
  // What was composed ahead is never older than what an earlier round sent; without it, the words of that round.
  const earlier = mails.filter((mail) => mail.round < round && mail.html !== null);
  const written = earlier.find((mail) => mail.round === 0) ?? earlier[0];
  return {
    seq: row.seq,
    id: row.id,
    source: row.source,
    occasion: row.occasion,
    recipient: row.recipient,
    lane: row.lane,
    lease: row.lease,
    leaseEndsAt,
    round,
    attempts: round > row.round ? 0 : row.attempts,
    lapses: row.lapses,
    toEmail: row.to_email,
    locale: row.locale,
    templateName: row.template_name,
    templateVersion: row.template_version,
    traceId: row.trace_id,
    dedupeKey: row.dedupe_key,
    expiresAt: row.expires_at,
    variables: brought?.variables ? (JSON.parse(brought.variables) as Record<string, unknown>) : {},
    frozen: frozen ? mailOf(frozen) : null,
    written: written ? wordsOf(written) : null,
    ...(row.evidence === 0 && row.round === 0 && { known: lockedOf(row) }),
  };
}
