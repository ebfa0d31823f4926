import type { Database } from '../db/database.ts';
import { seqsInBlocks } from '../db/in-blocks.ts';
import type { Status } from '../domain/status.ts';
import { isUuid } from '../std/ids.ts';
import type { CapturedMail } from './inbox.ts';

/** Whose mail it is, and how that stands now. */
export interface MailsDelivery {
  seq: number;
  status: Status;
}

/** By message id: of each mail the delivery that its tags name. Mails of nobody's are left out. */
export async function deliveriesOf(
  { read, dialect }: Database,
  mails: readonly CapturedMail[],
): Promise<ReadonlyMap<string, MailsDelivery>> {
  const named = mails.flatMap(({ messageId, mail }) => {
    const id = mail.tags.delivery_id;
    return id !== undefined && isUuid(id) ? [{ messageId, id: id.toLowerCase() }] : [];
  });
  if (named.length === 0) return new Map();
  const seqs = await seqsInBlocks(
    read,
    dialect,
    'id',
    named.map(({ id }) => id),
  );
  // PostgreSQL knows no empty list.
  if (seqs.size === 0) return new Map();
  const rows = await read
    .selectFrom('deliveries')
    .select(['id', 'seq', 'status'])
    .where('seq', 'in', [...seqs.values()])
    .execute();
  const byId = new Map(rows.map(({ id, seq, status }) => [id, { seq, status }]));
  return new Map(
    named.flatMap(({ messageId, id }) => {
      const delivery = byId.get(id);
      return delivery ? [[messageId, delivery] as const] : [];
    }),
  );
}
