import type { DeliveryMailRow, DeliveryRow } from '../db/schema.ts';
import { isInbox } from '../domain/answers.ts';
import { meanings } from '../domain/meanings.ts';
import { idempotencyKey } from '../domain/message.ts';
import { statuses } from '../domain/status.ts';
import { tellNow } from '../domain/tell-now.ts';
import { frozen, nextOf, type Story, told } from '../outbox/delivery-json.ts';
import { stateOf } from '../outbox/rows.ts';
import { ago, duration } from '../std/duration.ts';
import { printable } from './printable.ts';
import type { Paint, Terminal } from './terminal.ts';
import { proseWidth, wrap } from './wrap.ts';

/** Shorter waits are the ordinary course of things. */
const gapShownMs = 1_000;
const indent = ' '.repeat(22);

/** `wait` is what keeps it waiting besides its time. */
export function tellDelivery(
  { row, events, mails, now }: Story,
  { paint, columns }: Pick<Terminal, 'paint' | 'columns'>,
  wait: string | undefined,
): string[] {
  const width = proseWidth(columns);
  /** `title` is as wide as the indent, colours aside. */
  const titled = (title: string, hanging: string, sentence: string) => {
    const [first = '', ...rest] = wrap(`${hanging}${sentence}`, width, hanging);
    return [`${title}${first.slice(hanging.length)}`, ...rest];
  };
  // What a status means is said of mails that leave.
  const isThere = row.status === 'delivered' && isInbox(row.account);
  const meaning = isThere ? 'in the built-in inbox' : statuses[row.status].meaning;
  const status = paint.meaning(meanings[row.status], row.status);
  const standing = tellNow(stateOf(row), now);
  const isForgotten = meanings[row.status] !== 'good' && events.some(({ event }) => event === 'forgotten');
  const next = isForgotten ? 'Nothing: its content was deleted, so it cannot be put back.' : nextOf(row, now);
  return [
    `${paint.bold(`Delivery ${row.seq}`)} to ${printable(row.to_email ?? row.recipient)}: ${status} (${meaning})`,
    `${paint.dim('occasion')}  ${printable(`${row.source}: ${row.occasion}`)}`,
    `${paint.dim('id')}        ${row.id}`,
    '',
    ...told(row, events).flatMap(({ at, waitedMs, sentence, isDoubt }) => [
      ...(waitedMs >= gapShownMs ? [paint.dim(`${indent}waited ${duration(waitedMs)}`)] : []),
      ...titled(`${stamp(at)}  `, indent, `${isDoubt ? '? ' : ''}${printable(sentence)}`),
    ]),
    '',
    ...titled(
      `${paint.bold('Now')}  `,
      '     ',
      `${standing.isDoubt ? '? ' : ''}${printable(standing.sentence)}`,
    ),
    ...titled(`${paint.dim('Next')} `, '     ', wait ?? printable(next)),
    ...remedy(row),
    `${paint.dim('Why')}  npx tidings deliveries explain ${row.seq}`,
    ...frozen(mails).flatMap((mail) => ['', ...mailLines(row, mail, now, paint)]),
  ];
}

export function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function remedy({ seq, status }: DeliveryRow): string[] {
  if (status !== 'needs_review') return [];
  return [`Decide with: npx tidings deliveries resolve ${seq} --as sent | not-sent | closed --because "…"`];
}

function mailLines(row: DeliveryRow, mail: DeliveryMailRow, now: number, paint: Paint): string[] {
  const octets = Buffer.byteLength(mail.html ?? '') + Buffer.byteLength(mail.text ?? '');
  const frozenAt = mail.frozen_at === null ? '' : `, written ${ago(now - mail.frozen_at)}`;
  return [
    `${paint.bold(mail.round === 1 ? 'Mail' : `Mail of round ${mail.round}`)}${frozenAt}, ${octets} bytes`,
    `  from     ${printable(mail.sender ?? '')}`,
    `  to       ${printable(mail.to_email ?? '')}`,
    `  subject  ${printable(mail.subject ?? '')}`,
    `  key      ${idempotencyKey(row.id, mail.round)}`,
  ];
}
