import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import type { Address } from '../../src/domain/address.ts';
import { deliveryId, type Identity } from '../../src/domain/delivery.ts';
import { bodyHash, type Mail, type Sender } from '../../src/domain/message.ts';
import type { Status } from '../../src/domain/status.ts';

/** Rows as a program of an older version has left them, written by SQL that fits the tables of that version and no others. */
export interface OldDelivery extends Identity {
  status: Status;
  /** What the built-in inbox has of it already. */
  isCaptured?: boolean;
  cells?: Readonly<Record<string, unknown>>;
}

/** What the first migration would have made up: ids, keys and hashes of this database follow from it for ever. */
export const namespace = '6f9619ff-8b86-4d11-b42d-00c04fc964ff';

const hourMs = 3_600_000;

type Row = Readonly<Record<string, unknown>>;

export async function insert(db: Database, table: string, ...rows: Row[]): Promise<void> {
  for (const row of rows) {
    const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
    const values = sql.join(Object.values(row));
    await db.transaction((tx) =>
      sql`INSERT INTO ${sql.table(table)} (${names}) VALUES (${values})`.execute(tx),
    );
  }
}

/** A delivery with its mails, its line in the counts where that version keeps them, and its mail in the inbox. */
export async function insertDelivery(db: Database, one: OldDelivery, version: number): Promise<number> {
  const { source, occasion, recipient, status, isCaptured, cells = {} } = one;
  const id = deliveryId(namespace, one);
  const then = Date.now() - hourMs;
  const round = [...frozenIn].includes(status) ? 1 : 0;
  const toEmail = recipient.includes('@')
    ? recipient
    : `${source}-${recipient.replace(':', '-')}@example.org`;
  const mail = mailOf(id, toEmail);
  await insert(db, 'deliveries', {
    ...{ id, source, occasion, recipient, status, lane: 'normal', created_at: then, round },
    ...{ to_email: recipient.includes('@') ? recipient : null, attempts: round, claims: round },
    // A round that has begun is below everything that may be said of it.
    ...(round > 0 && { evidence: 4 * round, lease: 1 }),
    ...(round > 0 && { account: 'capture', to_email: toEmail, content_hash: bodyHash(mail) }),
    ...(round > 0 && { template_name: 'plain', template_version: 'v1', last_attempt_at: then }),
    ...cellsOf[status]?.(then),
    ...(isCaptured &&
      status !== 'sending' &&
      status !== 'reconciling' && { provider_message_id: messageIdOf(id) }),
    ...cells,
  });
  const seq = await seqOf(db, id);
  const variables = JSON.stringify({ subject: mail.subject, text: mail.text });
  if (source === 'plain') await insert(db, 'delivery_mails', { delivery_seq: seq, round: 0, variables });
  if (round > 0) {
    await insert(db, 'delivery_mails', {
      ...{ delivery_seq: seq, round, sender: mail.from, to_email: mail.to, subject: mail.subject },
      ...{ html: mail.html, text: mail.text, headers: JSON.stringify(mail.headers) },
      ...{ tags: JSON.stringify(mail.tags), body_hash: bodyHash(mail), frozen_at: then },
    });
  }
  const event = { delivery_seq: seq, at: then, event: 'accepted', status, round, actor: 'gone:1' };
  if (isCaptured) {
    await insert(db, 'delivery_events', event);
    await insert(db, 'captured_mails', {
      ...{ message_id: messageIdOf(id), idempotency_key: id, body_hash: bodyHash(mail) },
      ...{ mail: JSON.stringify(mail), received_at: then },
    });
  }
  if (version >= 4) await insert(db, 'delivery_counts', { source, heading: headingOf(status), delta: 1 });
  return seq;
}

async function seqOf(db: Database, id: string): Promise<number> {
  const { seq } = await db.read
    .selectFrom('deliveries')
    .select('seq')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return seq;
}

const frozenIn = new Set<Status>([
  ...(['sending', 'sent', 'delivered', 'failed_transient', 'reconciling', 'needs_review'] as const),
  ...(['failed_permanent', 'suppressed'] as const),
]);
const open = ['pending', 'claimed', 'sending', 'failed_transient', 'reconciling', 'needs_review'];
export const headingOf = (status: string) => (open.includes(status) ? 'open' : status);
const messageIdOf = (id: string) => id.replace(/^.{8}/, '00000000');

const error = (code: string) => JSON.stringify({ code, message: 'as it was said then' });
const doubt = (then: number) => ({ first_possible_accept_at: then, resubmit_until: then + 12 * hourMs });
const held = (then: number) => ({ lease: 1, claims: 1, locked_by: 'gone:1', locked_at: then, due_at: then });

/** What the table's checks ask of each status, and what a worker wrote with it. */
const cellsOf: Partial<Record<Status, (then: number) => Row>> = {
  pending: (then) => ({ due_at: then }),
  claimed: held,
  sending: (then) => ({ ...held(then), ...doubt(then), attempts: 0 }),
  sent: (then) => ({ sent_at: then, evidence: 5 }),
  delivered: (then) => ({ sent_at: then, delivered_at: then + 1, evidence: 1_000_000 }),
  failed_transient: (then) => ({ due_at: then, last_error: error('http_500') }),
  reconciling: (then) => ({ ...doubt(then), due_at: then, last_error: error('timed_out') }),
  needs_review: (then) => ({ ...doubt(then), last_error: error('undecidable') }),
  failed_permanent: () => ({ attempts: 3, last_error: error('validation_error') }),
  suppressed: (then) => ({ sent_at: then, evidence: 1_000_001, last_error: error('bounced') }),
};

function mailOf(id: string, to: string): Mail {
  return {
    ...{ from: 'Tidings <noreply@transparenta.eu>' as Sender, to: to as Address, subject: 'As it was then' },
    ...{ html: '<p>As it was then.</p>', text: 'As it was then.' },
    ...{ headers: {}, tags: { delivery_id: id, round: '1', env: 'development' } },
  };
}
