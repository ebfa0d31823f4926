import type { SuppressionRow } from '../db/schema.ts';
import { exceptions } from '../domain/suppression.ts';
import { iso } from '../outbox/delivery-json.ts';
import { csvLine } from '../std/csv.ts';
import type { Suppressions } from './suppressions.ts';

/** The list as it leaves: for programs, and as a file that an import reads back to the same lines. */
const columns = ['address', 'scope', 'reason', 'note', 'by', 'at'] as const;
const liftedColumns = ['liftedAt', 'liftedBy', 'liftedBecause'] as const;

export function csvHeader(withLifted: boolean): string {
  return csvLine([...columns, ...(withLifted ? liftedColumns : [])]);
}

export function csvOf(row: SuppressionRow, withLifted: boolean): string {
  const json = suppressionJson(row);
  return csvLine([...columns, ...(withLifted ? liftedColumns : [])].map((name) => json[name]));
}

export function suppressionJson(row: SuppressionRow) {
  return {
    seq: row.suppression_seq,
    address: row.address_key,
    scope: row.scope,
    reason: row.reason,
    note: row.note,
    deliverySeq: row.delivery_seq,
    by: row.created_by,
    at: iso(row.created_at),
    liftedAt: iso(row.lifted_at),
    liftedBy: row.lifted_by,
    liftedBecause: row.lifted_because,
    exceptFor: exceptions(row.except_for),
  };
}

const pageSize = 500;

/** The whole list, a page at a time: nobody waits for whoever reads slowly. */
export async function* readPages(
  { list }: Pick<Suppressions, 'list'>,
  withLifted: boolean,
): AsyncGenerator<SuppressionRow[]> {
  let below: number | undefined;
  for (;;) {
    const rows = await list({ withLifted, limit: pageSize, ...(below !== undefined && { below }) });
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    below = rows.at(-1)?.suppression_seq;
  }
}
