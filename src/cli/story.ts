import type { DeliveryEventRow, DeliveryMailRow, DeliveryRow } from '../db/schema.ts';
import { idempotencyKey } from '../domain/message.ts';
import { tellStory } from '../domain/sentences.ts';
import { statuses } from '../domain/status.ts';
import { meanings, tellNow } from '../domain/tell-now.ts';
import { stateOf } from '../outbox/rows.ts';
import { ago, duration } from '../std/duration.ts';
import { deliveryJson, iso } from './delivery-json.ts';
import { printable } from './printable.ts';
import type { Paint } from './terminal.ts';

/** A delivery's story on a screen, and the same for programs. */
export interface Story {
  row: DeliveryRow;
  events: readonly DeliveryEventRow[];
  mails: readonly DeliveryMailRow[];
  now: number;
}

/** Shorter waits are the ordinary course of things. */
const gapShownMs = 1_000;
const indent = ' '.repeat(22);

export function tellDelivery({ row, events, mails, now }: Story, paint: Paint): string[] {
  const status = paint.meaning(meanings[row.status], row.status);
  const standing = tellNow(stateOf(row), now);
  return [
    `${paint.bold(`Delivery ${row.seq}`)} to ${printable(row.to_email ?? row.recipient)}: ${status} (${statuses[row.status].meaning})`,
    `${paint.dim('occasion')}  ${printable(`${row.source}: ${row.occasion}`)}`,
    `${paint.dim('id')}        ${row.id}`,
    '',
    ...told(row, events).flatMap(({ at, waitedMs, sentence, isDoubt }) => [
      ...(waitedMs >= gapShownMs ? [paint.dim(`${indent}waited ${duration(waitedMs)}`)] : []),
      `${stamp(at)}  ${isDoubt ? '? ' : ''}${printable(sentence)}`,
    ]),
    '',
    `${paint.bold('Now')}  ${standing.isDoubt ? '? ' : ''}${printable(standing.sentence)}`,
    `${paint.dim('Moved next by')}  ${statuses[row.status].movedOutBy}`,
    ...remedy(row),
    ...frozen(mails).flatMap((mail) => ['', ...mailLines(row, mail, now, paint)]),
  ];
}

const told = (row: DeliveryRow, events: readonly DeliveryEventRow[]) =>
  tellStory({ source: row.source, lane: row.lane, createdAt: row.created_at }, events);

const frozen = (mails: readonly DeliveryMailRow[]) => mails.filter(({ round }) => round > 0);

function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function remedy({ seq, status }: DeliveryRow): string[] {
  if (status !== 'needs_review') return [];
  return [
    `Decide with: npx tidings deliveries resolve ${seq} --sent | --not-sent | --close, and --reason "…"`,
  ];
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

export function storyJson({ row, events, mails, now }: Story) {
  const standing = tellNow(stateOf(row), now);
  const [created, ...sentences] = told(row, events);
  return {
    delivery: deliveryJson(row),
    now: { ...standing, movedOutBy: statuses[row.status].movedOutBy },
    story: [
      { at: iso(row.created_at), event: 'created', sentence: created?.sentence },
      ...events.map((event, index) => ({
        at: iso(event.at),
        event: event.event,
        status: event.status,
        round: event.round,
        actor: event.actor,
        detail: JSON.parse(event.detail ?? '{}') as unknown,
        sentence: sentences[index]?.sentence,
      })),
    ],
    variables: mails
      .filter(({ round, variables }) => round === 0 && variables !== null)
      .map(({ variables }) => JSON.parse(variables ?? '{}') as unknown)[0],
    mails: frozen(mails).map((mail) => ({
      round: mail.round,
      key: idempotencyKey(row.id, mail.round),
      from: mail.sender,
      to: mail.to_email,
      replyTo: mail.reply_to,
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      headers: JSON.parse(mail.headers ?? '{}') as unknown,
      tags: JSON.parse(mail.tags ?? '{}') as unknown,
      bodyHash: mail.body_hash,
      providerMessageId: mail.provider_message_id,
      frozenAt: iso(mail.frozen_at),
    })),
  };
}
