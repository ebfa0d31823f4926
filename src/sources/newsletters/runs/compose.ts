import { sql } from 'kysely';
import type { Unsubscribe } from '../../../consent/unsubscribe.ts';
import type { Database, Tx } from '../../../db/database.ts';
import { seqsOf } from '../../../db/dialect.ts';
import type { RunRow } from '../../../db/newsletters-schema.ts';
import { heldFrom } from '../../../domain/delivery.ts';
import type { DeliveryError } from '../../../domain/transition.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Report } from '../../../outbox/record.ts';
import { lockDeliveries } from '../../../outbox/rows.ts';
import type { Writing } from '../../../outbox/written.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Log } from '../../../std/log.ts';
import { type Content, type ContentParts, contentOf } from '../mail/content.ts';
import { newsletterSource } from '../notification-type.ts';
import { recipientOf } from '../recipient.ts';
import { type Item, type ItemChange, lockRun, readItems, writeItems } from './run-rows.ts';

/**
 * From deliveries that are held back to mails that may leave: page by page the figures are fetched, the links made and the mails
 * rendered, and then one transaction keeps the words, lets the deliveries go, and writes down what became of each. Nothing is
 * locked while anybody is asked; who composes a page that another has finished changes nothing.
 */
export interface ComposeParts extends ContentParts {
  db: Database;
  outbox: Pick<Outbox, 'write' | 'record'>;
  unsubscribe: Pick<Unsubscribe, 'linksFor'>;
  render: Render;
  clock: Clock;
  log: Log;
  pageMax?: number;
  /** After so long no more of a page is begun: figures may be slow to come, and other runs wait. */
  longestMs?: number;
}

/** From a template and its props to words: a source does not know how mails are made. */
export type Render = (order: {
  template: string;
  locale: string | null;
  props: Readonly<Record<string, unknown>>;
  unsubscribeUrl?: string;
}) => Promise<
  | { ok: true; subject: string; html: string; text: string; templateName: string; templateVersion: string }
  | { ok: false; code: string; sentence: string }
>;

/** With bodies: more would hold SQLite's write lock longer than other writers should wait. */
const pageMost = 200;
/** As many are asked about at a time; what was answered is kept when time is up. */
const portionMost = 20;
export const composeLongestMs = 60_000;
const againMs = 5_000;
const againMaxMs = 600_000;
/** How often figures are asked for that will never come, as it is said: half an hour, for somebody to mend a setting. */
const hopelessTriesMax = 10;

/** Of a run's list. */
export interface Places {
  first: number;
  end: number;
}

/** Pages of the list on which somebody waits for words, for processes that compose side by side: each page is one's. */
export async function pagesToCompose(run: RunRow, parts: ComposeParts, limit: number): Promise<Places[]> {
  const { db, clock, pageMax = pageMost } = parts;
  const { rows } = await sql<{ page: number | string }>`
    SELECT DISTINCT place / ${sql.lit(pageMax)} AS page FROM (
      SELECT place FROM notification_run_items AS items
      WHERE run_id = ${run.run_id} AND state = 'collected' AND items.due_at <= ${clock.now()}
      ORDER BY items.due_at, items.place LIMIT ${limit * pageMax}
    ) AS waiting ORDER BY page LIMIT ${limit}
  `.execute(db.read);
  return rows.map(({ page }) => ({ first: Number(page) * pageMax, end: (Number(page) + 1) * pageMax }));
}

/** One page. Answers how many it has taken further, and how many have to wait for their figures. */
export async function composePage(
  run: RunRow,
  parts: ComposeParts,
  places?: Places,
): Promise<{ composed: number; waiting: number }> {
  const { db, clock, pageMax = pageMost } = parts;
  const among = places ? sql`AND items.place >= ${places.first} AND items.place < ${places.end}` : sql``;
  const which = sql`state = 'collected' AND items.due_at <= ${clock.now()} ${among}`;
  const items = await readItems(db.read, run.run_id, which, pageMax);
  if (items.length === 0) return { composed: 0, waiting: 0 };
  const held = items.filter(isHeld);
  const made = await makeMails(held, parts);
  const waiting = [...made.values()].filter(isWaiting).length;
  const isDone = await keep(run, items, made, parts);
  const unmade = held.length - made.size;
  return { composed: isDone ? items.length - unmade - waiting : 0, waiting };
}

type Made = { kind: 'mail'; writing: Writing } | Exclude<Content, { kind: 'content' }>;

const isHeld = ({ delivery_status: status, due_at: dueAt }: Item) =>
  (status === 'pending' || status === 'failed_transient') && dueAt !== null && dueAt >= heldFrom;

const isWaiting = ({ kind }: Made) => kind === 'later';

async function makeMails(items: readonly Item[], parts: ComposeParts): Promise<ReadonlyMap<number, Made>> {
  const { clock, longestMs = composeLongestMs } = parts;
  const until = clock.monotonic() + longestMs;
  const made = new Map<number, Made>();
  for (let at = 0; at < items.length; at += portionMost) {
    const portion = await makePortion(items.slice(at, at + portionMost), parts);
    for (const [seq, one] of portion) made.set(seq, one);
    // Where none of them could be had, the next ones would not be either.
    if (clock.monotonic() >= until || [...portion.values()].every(isWaiting)) break;
  }
  return made;
}

async function makePortion(items: readonly Item[], parts: ComposeParts): Promise<ReadonlyMap<number, Made>> {
  const wanted = items.map((item) => ({
    ...{ seq: item.delivery_seq ?? 0, source: newsletterSource, occasion: item.period_key, locale: null },
    recipient: recipientOf({ userId: item.user_id, notificationId: item.notification_id }),
  }));
  const contents = await contentOf(wanted, parts);
  const links = await parts.unsubscribe.linksFor(wanted);
  const made = new Map<number, Made>();
  for (const { delivery_seq: seq, delivery_id: id, tries } of items) {
    const content = seq === null ? undefined : contents.get(seq);
    if (seq === null || id === null || !content) continue;
    if (content.kind === 'content') made.set(seq, await mailOf(seq, id, content, links.get(seq), parts));
    else made.set(seq, isGivenUp(content, tries) ? { kind: 'ineligible', error: content.error } : content);
  }
  return made;
}

const isGivenUp = (content: Exclude<Content, { kind: 'content' }>, tries: number) =>
  content.kind === 'later' && content.isHopeless === true && tries + 1 >= hopelessTriesMax;

async function mailOf(
  seq: number,
  id: string,
  { template, locale, props }: Extract<Content, { kind: 'content' }>,
  unsubscribeUrl: string | undefined,
  { render, clock }: ComposeParts,
): Promise<Made> {
  const rendered = await render({ template, locale, props, ...(unsubscribeUrl && { unsubscribeUrl }) });
  if (!rendered.ok) return { kind: 'ineligible', error: { code: rendered.code, message: rendered.sentence } };
  const { subject, html, text, templateName: name, templateVersion: version } = rendered;
  return {
    kind: 'mail',
    writing: { seq, id, subject, html, text, template: { name, version }, dueAt: clock.now() },
  };
}

/** False where the run is no longer running: then nothing of the page is kept. */
async function keep(
  { run_id: runId }: RunRow,
  items: readonly Item[],
  made: ReadonlyMap<number, Made>,
  { db, outbox, clock, log }: ComposeParts,
): Promise<boolean> {
  const actor = `run ${runId}`;
  const all = [...made.entries()];
  const writings = all.flatMap(([, one]) => (one.kind === 'mail' ? [one.writing] : []));
  const endings = all.flatMap(([seq, one]): Report[] =>
    one.kind === 'ineligible' ? [{ seq, event: 'ineligible', actor, error: one.error }] : [],
  );
  const isDone = await db.transaction(async (tx) => {
    if (!(await lockRun(tx, db.dialect, runId, ['running']))) return false;
    // As they are now: somebody may have left, or come back, while their mail was being made, or another process has made it.
    const open = await readAgain(tx, db, runId, items);
    const held = new Set(open.filter(isHeld).map(({ delivery_seq }) => delivery_seq));
    await outbox.write(
      writings.filter(({ seq }) => held.has(seq)),
      actor,
      tx,
    );
    await outbox.record(
      endings.filter(({ seq }) => held.has(seq)),
      tx,
    );
    const changes = open.flatMap((item) => changeOf(item, made.get(item.delivery_seq ?? 0), clock.now()));
    await writeItems(tx, db.dialect, runId, changes);
    return true;
  });
  const failures = all.flatMap(([, one]) => (one.kind === 'later' ? [one.error] : []));
  if (failures.length > 0)
    log.warn('newsletters.data_missing', { runId, deliveries: failures.length, ...codesOf(failures) });
  return isDone;
}

const codesOf = (errors: readonly DeliveryError[]) => ({
  errors: [...new Set(errors.map(({ code }) => code))],
});

/** Those of the page that nobody has taken further, with their deliveries under a lock. */
async function readAgain(
  tx: Tx,
  { dialect }: Database,
  runId: string,
  items: readonly Item[],
): Promise<Item[]> {
  const seqs = items.flatMap(({ delivery_seq }) => delivery_seq ?? []);
  await lockDeliveries(tx, dialect, seqs);
  const input = seqsOf(dialect, seqs);
  const which = sql`state = 'collected' AND items.delivery_seq IN (SELECT seq FROM ${input})`;
  return readItems(tx, runId, which, seqs.length);
}

function changeOf(item: Item, made: Made | undefined, now: number): ItemChange[] {
  const { notification_id, tries } = item;
  // They have said no while it was made. If they come back, it is this run's as before: it may be paused, or have ended.
  if (item.delivery_status === 'skipped_unsubscribed') return [{ notification_id, state: 'composed' }];
  // Somebody else has seen to it: an operator has put it back, for one.
  if (!isHeld(item)) return [{ notification_id, state: 'left_out', reason: item.delivery_status ?? 'gone' }];
  // They have come back in this moment: the next page is theirs.
  if (!made) return [];
  if (made.kind === 'mail') return [{ notification_id, state: 'composed' }];
  if (made.kind === 'ineligible') return [{ notification_id, state: 'left_out', reason: made.error.code }];
  const waitMs = Math.max(made.waitMs ?? 0, Math.min(againMaxMs, againMs * 2 ** Math.min(tries, 20)));
  const reason = made.error.message ?? 'no answer';
  return [{ notification_id, state: 'collected', reason, tries: tries + 1, due_at: now + waitMs }];
}
