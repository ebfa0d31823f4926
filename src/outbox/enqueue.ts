import { sql } from 'kysely';
import type { Tx } from '../db/database.ts';
import type { DialectName } from '../db/dialect.ts';
import { insertNew, insertRows, portions, rowsOf } from '../db/dialect.ts';
import { requireAddress } from '../domain/address.ts';
import { deliveryId, deliveryKey, type Intent, requireIntent } from '../domain/delivery.ts';
import type { Status } from '../domain/status.ts';
import { Refusal } from '../std/refusal.ts';
import { countMoves } from './counts.ts';

/** The answer to one intent: its delivery, and whether this call made it or found it. */
export interface Enqueued {
  seq: number;
  id: string;
  isNew: boolean;
  status: Status;
}

const columns = {
  id: 'uuid',
  source: 'text',
  occasion: 'text',
  recipient: 'text',
  lane: 'text',
  due_at: 'number',
  to_email: 'text',
  locale: 'text',
  template_name: 'text',
  template_version: 'text',
  trace_id: 'text',
  dedupe_key: 'text',
  created_at: 'number',
  expires_at: 'number',
  status: 'text',
} as const;

/** An intent that has been looked at: what may become a row. */
export interface Asked extends Intent {
  readonly id: string;
  readonly json: string | undefined;
}

/** Outside of any transaction: what is wrong with an intent needs no database to be said. */
export function askedOf(namespace: string, intents: readonly Intent[]): Asked[] {
  return intents.map((intent) => {
    requireIntent(intent);
    const known = { id: deliveryId(namespace, intent), json: jsonOf(intent.variables) };
    if (intent.toEmail === undefined) return { ...intent, ...known };
    return { ...intent, ...known, toEmail: requireAddress(intent.toEmail) };
  });
}

/** Rows of one statement: a page of a fan-out, or of an import. Variables, which may be large, are portioned by their size. */
const chunkMax = 1_000;

/** Answers in the order of the intents. An identity becomes a row once, whoever else asks at the same time; a repeat changes nothing of it. */
export async function enqueueAsked(
  tx: Tx,
  dialect: DialectName,
  asked: readonly Asked[],
  now: number,
): Promise<Enqueued[]> {
  const all: Enqueued[] = [];
  // One order over all chunks: two callers with the same new intents wait for each other, and never in a circle.
  const ordered = asked
    .map((intent, index) => ({ intent, index, key: deliveryKey(intent) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  for (let start = 0; start < ordered.length; start += chunkMax) {
    const chunk = ordered.slice(start, start + chunkMax);
    const made = await enqueueChunk(
      tx,
      dialect,
      chunk.map(({ intent }) => intent),
      now,
    );
    chunk.forEach(({ index }, place) => {
      all[index] = made[place] as Enqueued;
    });
  }
  return all;
}

const order = {
  head: 'INSERT INTO deliveries',
  columns,
  number: 'seq',
  by: 'id',
} as const;

async function enqueueChunk(
  tx: Tx,
  dialect: DialectName,
  asked: readonly Asked[],
  now: number,
): Promise<Enqueued[]> {
  const distinct = new Map<string, Asked>();
  for (const intent of asked) if (!distinct.has(intent.id)) distinct.set(intent.id, intent);
  const seqs = await insertNew(
    tx,
    dialect,
    order,
    [...distinct.values()].map((intent) => cellsOf(intent, now)),
  );
  const made = [...distinct.values()].flatMap((intent) => {
    const seq = seqs.get(intent.id);
    return seq === undefined ? [] : [{ seq, intent }];
  });
  await insertVariables(tx, dialect, made);
  await countMoves(
    tx,
    dialect,
    made.map(({ intent: { source } }) => ({ source, before: null, after: 'pending' })),
  );
  return answers(tx, dialect, asked, made);
}

/** As much as the largest mail: what is more cannot be meant for one. */
const variablesOctetsMax = 1_048_576;

function jsonOf(variables: Intent['variables']): string | undefined {
  if (variables === undefined) return undefined;
  const tooBig = () =>
    new Refusal(
      'variables_too_big',
      'The variables are larger than 1 MiB as JSON; shorten them or link to the details.',
    );
  try {
    const json = JSON.stringify(variables);
    // A character is three octets at most.
    const mayBeTooBig = json.length * 3 > variablesOctetsMax;
    if (mayBeTooBig && Buffer.byteLength(json, 'utf8') > variablesOctetsMax) throw tooBig();
    return json;
  } catch (error) {
    if (error instanceof RangeError) throw tooBig();
    if (!(error instanceof TypeError)) throw error;
    throw new Refusal('invalid_intent', 'The variables cannot be written as JSON; pass plain values.', {
      part: 'variables',
    });
  }
}

function cellsOf(intent: Asked, now: number) {
  return {
    id: intent.id,
    source: intent.source,
    occasion: intent.occasion,
    recipient: intent.recipient,
    lane: intent.lane,
    due_at: intent.dueAt ?? now,
    to_email: intent.toEmail ?? null,
    locale: intent.locale ?? null,
    template_name: intent.templateName ?? null,
    template_version: intent.templateVersion ?? null,
    trace_id: intent.traceId ?? null,
    dedupe_key: intent.dedupeKey ?? null,
    created_at: now,
    expires_at: intent.expiresAt ?? null,
    status: 'pending' as const,
  };
}

interface Made {
  seq: number;
  intent: Asked;
}

const broughtColumns = { delivery_seq: 'number', round: 'number', variables: 'text' } as const;

async function insertVariables(tx: Tx, dialect: DialectName, made: readonly Made[]): Promise<void> {
  // With an address alone, too: retention finds here what has something to be forgotten.
  const rows = made.flatMap(({ seq, intent: { json: variables = null, toEmail } }) =>
    variables === null && toEmail === undefined ? [] : [{ delivery_seq: seq, round: 0, variables }],
  );
  for (const portion of portions(rows, ({ variables }) => variables?.length ?? 0))
    await insertRows(tx, dialect, { head: 'INSERT INTO delivery_mails', columns: broughtColumns }, portion);
}

/** In the order of the question; the first mention of a new delivery made it, any other is a repeat. */
async function answers(
  tx: Tx,
  dialect: DialectName,
  asked: readonly Asked[],
  made: readonly Made[],
): Promise<Enqueued[]> {
  const fresh = made.map(
    ({ seq, intent: { id } }): Enqueued => ({ seq, id, isNew: true, status: 'pending' }),
  );
  // Nearly always: each is new, and none is mentioned twice.
  if (fresh.length === asked.length) return fresh;
  const known = new Map(fresh.map((answer) => [answer.id, answer] as const));
  const repeated = asked.filter(({ id }) => !known.has(id));
  if (repeated.length > 0) {
    // By identity, not by id: rows from before a change of the namespace keep theirs.
    const columns = { asked: 'uuid', source: 'text', occasion: 'text', recipient: 'text' } as const;
    const rows = repeated.map(({ id, source, occasion, recipient }) => ({
      asked: id,
      source,
      occasion,
      recipient,
    }));
    const found = await sql<Omit<Enqueued, 'isNew'> & { asked: string }>`
      SELECT input.asked, deliveries.seq, deliveries.id, deliveries.status
      FROM ${rowsOf(dialect, columns, rows)} JOIN deliveries ON deliveries.source = input.source
        AND deliveries.occasion = input.occasion AND deliveries.recipient = input.recipient
    `.execute(tx);
    for (const { asked, ...row } of found.rows) known.set(asked, { ...row, isNew: false });
  }
  return asked.map(({ id }) => {
    const answer = known.get(id);
    if (!answer) throw new Error(`outbox: delivery ${id} is neither new nor known`);
    known.set(id, { ...answer, isNew: false });
    return answer;
  });
}
