import type { DeliveryRow } from '../db/schema.ts';
import { meanings } from '../domain/meanings.ts';
import { tellNow } from '../domain/tell-now.ts';
import { stateOf } from '../outbox/rows.ts';
import { ago, duration } from '../std/duration.ts';
import { isSettled } from './follow.ts';
import { printable } from './printable.ts';
import type { Paint } from './terminal.ts';

/** What `send` says to people. */

export function tellQueued(seq: number, recipient = ''): string {
  return `Queued: delivery ${seq}, for ${printable(recipient)}.`;
}

export function tellSettled(row: DeliveryRow, now: number, paint: Paint): string[] {
  const status = paint.meaning(meanings[row.status], row.status);
  if (row.sent_at !== null && meanings[row.status] === 'good') {
    const afterMs = row.sent_at - row.created_at;
    const id = row.provider_message_id === null ? '' : ` as ${printable(row.provider_message_id)}`;
    return [
      `${paint.meaning('good', 'Sent')}: delivery ${row.seq}, accepted by ${row.account ?? 'the provider'}${id}, ${duration(afterMs)} after it was queued.`,
    ];
  }
  return [
    `Delivery ${row.seq} is ${status}. ${printable(tellNow(stateOf(row), now).sentence)}`,
    ...remedy(row),
  ];
}

export function tellRepeated(row: DeliveryRow, now: number, paint: Paint, wait?: string): string[] {
  const told = row.sent_at === null ? undefined : `sent ${ago(now - row.sent_at)}`;
  if (told)
    return [`Already told: delivery ${row.seq}, for ${recipientOf(row)}, ${told}. Nothing was sent again.`];
  const status = paint.meaning(meanings[row.status], row.status);
  return [
    `Already asked for: delivery ${row.seq}, for ${recipientOf(row)}, is ${status}. ${printable(tellNow(stateOf(row), now).sentence)}`,
    ...(wait === undefined ? [] : [wait]),
    ...remedy(row),
  ];
}

/** For whoever has corrected a mail under its old occasion, and believes that it went out. */
export function tellOtherWords({ seq }: DeliveryRow): string {
  return `Your subject or text is not that of delivery ${seq}, and does not go out. To tell it too, give it another --occasion.`;
}

/** The wait is over, the delivery is not: that is no failure, but somebody may have to start a worker. */
export function tellUnsettled(
  rows: readonly DeliveryRow[],
  waitedMs: number,
  now: number,
  waits: ReadonlyMap<number, string> = new Map(),
): string[] {
  const open = rows.filter((row) => !isSettled(row));
  const held = new Set(open.flatMap(({ seq }) => waits.get(seq) ?? []));
  const others = open.filter(({ seq }) => !waits.has(seq));
  const told = [...held].map((wait) => `Queued, and kept waiting. ${wait}`);
  if (others.length > 0 && others.every((row) => row.claims === 0)) {
    const sentence = `Queued; no worker has taken it in ${duration(waitedMs)}.`;
    return [
      ...told,
      `${sentence} If a server runs, give this command its DATABASE_URL and PORT; otherwise start one with: npm start`,
    ];
  }
  return [
    ...told,
    ...others.map(
      (row) =>
        `Not settled in ${duration(waitedMs)}: delivery ${row.seq} is ${row.status}. ${printable(tellNow(stateOf(row), now).sentence)} Look again with: npx tidings deliveries show ${row.seq}`,
    ),
  ];
}

function remedy({ seq, status, first_possible_accept_at: inDoubtSince }: DeliveryRow): string[] {
  if (status === 'needs_review') return [`Decide with: npx tidings deliveries resolve ${seq} --help`];
  if (status !== 'failed_permanent' || inDoubtSince !== null) return [];
  return [`When the cause is gone: npx tidings deliveries requeue ${seq} --reason "…"`];
}

function recipientOf(row: DeliveryRow): string {
  return printable(row.to_email ?? row.recipient);
}
