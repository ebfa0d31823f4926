import { sql } from 'kysely';
import type { Database, Tx } from '../db/database.ts';
import { rowsOf } from '../db/dialect.ts';
import type { SuppressionRow } from '../db/schema.ts';
import { type Address, addressKey } from '../domain/address.ts';
import { holdsFor } from '../domain/suppression.ts';
import type { FactListener } from '../outbox/facts.ts';
import type { Clock } from '../std/clock.ts';
import type { Ids } from '../std/ids.ts';
import type { Log } from '../std/log.ts';
import { createSuppressions, type Suppressions } from './suppressions.ts';
import type { OwnerListener } from './tell-source.ts';
import { createUnsubscribe, type Unsubscribe } from './unsubscribe.ts';

/**
 * Who may be mailed. It is asked in the transaction that begins a send, and it stops by itself what waits for somebody who
 * has just said no: so no send that begins after that goes to them. It never sends, and never waits for the network.
 */
export interface Consent {
  readonly suppressions: Suppressions;
  readonly unsubscribe: Unsubscribe;
  /** Which of these must not go out, by number. */
  against(batch: readonly Addressed[], tx: Tx): Promise<ReadonlyMap<number, Objection>>;
  learn: FactListener;
}

interface Addressed {
  seq: number;
  source: string;
  recipient: string;
  to: Address;
}

type Listed = Pick<SuppressionRow, 'address_key' | 'scope' | 'reason' | 'except_for'>;

type Objection = 'unsubscribed' | 'address_suppressed';

export interface ConsentParts {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  secrets: readonly string[];
  baseUrl: () => string;
  /** A recipient has used the link in a source's mail, or has taken that back: for the source's own books. */
  onLeft?: OwnerListener;
  onReturned?: OwnerListener;
}

export function createConsent(parts: ConsentParts): Consent {
  const { db } = parts;
  const suppressions = createSuppressions(parts);
  return {
    suppressions,
    unsubscribe: createUnsubscribe({ ...parts, suppressions }),
    learn: suppressions.learn,
    async against(batch, tx) {
      if (batch.length === 0) return new Map();
      // Shared locks, on the few rows that say no: who takes it back waits until what it stopped here is written, and finds it.
      const keys = batch.map(({ to }) => ({ address_key: addressKey(to) }));
      const { rows: listed } = await sql<Listed>`
        SELECT suppressions.address_key, suppressions.scope, suppressions.reason, suppressions.except_for FROM suppressions
        WHERE suppressions.lifted_at IS NULL
          AND suppressions.address_key IN (SELECT address_key FROM ${rowsOf(db.dialect, { address_key: 'text' }, keys)})
        ${db.dialect === 'postgres' ? sql`FOR SHARE OF suppressions` : sql``}
      `.execute(tx);
      const owners = batch.map(({ source, recipient }) => ({ source, recipient }));
      const { rows: left } = await sql<{ source: string; recipient: string }>`
        SELECT input.source, input.recipient
        FROM ${rowsOf(db.dialect, { source: 'text', recipient: 'text' }, owners)} JOIN unsubscribe_tokens
        ON unsubscribe_tokens.recipient = input.recipient AND unsubscribe_tokens.source = input.source
        WHERE unsubscribe_tokens.unsubscribed_at IS NOT NULL
        ${db.dialect === 'postgres' ? sql`FOR SHARE OF unsubscribe_tokens` : sql``}
      `.execute(tx);
      return new Map(
        batch.flatMap(({ seq, source, recipient, to }): [number, Objection][] => {
          const mine = listed.filter((line) => line.address_key === addressKey(to) && holdsFor(line, source));
          if (mine.some(({ reason }) => reason !== 'unsubscribed')) return [[seq, 'address_suppressed']];
          const hasLeft = left.some((one) => one.source === source && one.recipient === recipient);
          return hasLeft || mine.length > 0 ? [[seq, 'unsubscribed']] : [];
        }),
      );
    },
  };
}
