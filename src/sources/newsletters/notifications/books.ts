import { sql } from 'kysely';
import type { Tx } from '../../../db/database.ts';
import { type DialectName, rowsOf } from '../../../db/dialect.ts';
import type { Fact } from '../../../outbox/facts.ts';
import { wisherOf } from '../recipient.ts';

/**
 * What a mail's end says of the wish that it came of, in the transaction that makes it true: a permanent bounce (002-P7-13), a
 * complaint or the provider's own list (002-P7-17) end it. Of the two the complaint weighs more, whichever came first. What its user
 * has ended by themselves stays ended by them.
 */
export async function keepBooks(
  tx: Tx,
  dialect: DialectName,
  facts: readonly Fact[],
  now: number,
): Promise<void> {
  const suppressed = facts.filter(({ kind }) => kind === 'suppressed');
  const idsOf = (isBounce: boolean) => [
    ...new Set(
      suppressed
        .filter(({ event }) => bounces.has(event) === isBounce)
        .map(({ delivery }) => wisherOf(delivery.recipient).notificationId),
    ),
  ];
  await end(tx, dialect, idsOf(false), 'complained', now);
  await end(tx, dialect, idsOf(true), 'bounced', now);
}

const bounces: ReadonlySet<string> = new Set(['bounced_for_good', 'mailbox_unknown']);

async function end(
  tx: Tx,
  dialect: DialectName,
  ids: readonly string[],
  because: 'bounced' | 'complained',
  now: number,
): Promise<void> {
  if (ids.length === 0) return;
  const input = rowsOf(
    dialect,
    { id: 'text' },
    ids.toSorted().map((id) => ({ id })),
  );
  const isLighter = because === 'complained' ? sql`OR inactive_because = 'bounced'` : sql``;
  await sql`
    UPDATE notifications SET is_active = 0, inactive_because = ${because}, inactive_at = coalesce(inactive_at, ${now}),
      updated_at = ${now}
    WHERE id IN (SELECT id FROM ${input}) AND (is_active = 1 ${isLighter})
  `.execute(tx);
}
