import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import type { Database } from '../../src/db/database.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { Status } from '../../src/domain/status.ts';
import type { DeliveryState } from '../../src/domain/transition.ts';
import { createOutbox, type Outbox, readNamespace } from '../../src/outbox/outbox.ts';
import type { WebhookAnswer, WebhookParts, Webhooks } from '../../src/webhooks/webhook.ts';
import { consentOf } from '../support/consent.ts';
import { createRecordingLog, type RecordingLog } from '../support/recording-log.ts';
import { rowIn } from '../support/rows.ts';
import { webhooksOf } from '../support/webhooks.ts';
import { createWorld, type World } from '../support/world.ts';
import type { EventWords } from './signed.ts';
import { type Tongue, tongues } from './tongues.ts';

/** A world in which evidence is heard by consent, and by a source that keeps its books in the database, as real ones do. */
export interface WebhookWorld extends World {
  consent: Consent;
  webhooks: Webhooks;
  log: RecordingLog;
  /** The same on a database that may fail. */
  webhooksOn(db: Database, more?: Partial<WebhookParts>): Webhooks;
  /** A delivery in a status, whose mails are frozen and of which no message id is known unless it is said. */
  delivery(status: Status, number: number, more?: Partial<DeliveryState>): Promise<Known>;
  tell(id: string, words: EventWords, webhooks?: Webhooks): Promise<WebhookAnswer>;
  events(): Promise<EventRow[]>;
  /** What the source has booked and committed. */
  booked(): Promise<string[]>;
  story(seq: number): Promise<{ event: string; actor: string; detail: Record<string, unknown> }[]>;
}

export interface Known {
  seq: number;
  id: string;
  /** As our mails carry them. */
  tags(round?: number): Record<string, string>;
}

type EventRow = Awaited<ReturnType<typeof readEvents>>[number];

const readEvents = (db: Database) =>
  db.read.selectFrom('webhook_events').selectAll().orderBy('event_seq').execute();

export const createWebhookWorld = async (dialect: DialectName, tongue?: Tongue) =>
  webhookWorldOn(await createWorld(dialect), tongue);

/** What must be in no line of any log. */
const secrets = ['@example.org', 's3cret', 'whsec_', 'Subject'];

export async function webhookWorldOn<Base extends World>(
  world: Base,
  tongue: Tongue = tongues[0] as Tongue,
): Promise<Base & WebhookWorld> {
  const { db, clock } = world;
  const log = createRecordingLog();
  const consent = consentOf({ db, clock });
  const namespace = await readNamespace(db);
  await sql`CREATE TABLE books (fact TEXT NOT NULL)`.execute(db.write);
  const outboxOn = (base: Database): Outbox =>
    createOutbox({
      ...{ db: base, clock, log, namespace },
      listeners: {
        consent: consent.learn,
        source: () => async (facts, tx) => {
          for (const { kind, delivery } of facts) {
            await sql`INSERT INTO books (fact) VALUES (${`${kind} ${delivery.seq}`})`.execute(tx);
          }
        },
      },
    });
  const outbox = outboxOn(db);
  const webhooksOn: WebhookWorld['webhooksOn'] = (base, more) =>
    webhooksOf({ db: base, clock, log, outbox: outboxOn(base) }, { secrets: tongue.secrets, ...more });
  const webhooks = webhooksOn(db);

  return {
    ...world,
    ...{ outbox, consent, webhooks, webhooksOn, log },
    async delivery(status, number, more = {}) {
      const seq = await rowIn({ ...world, outbox }, status, number, more);
      const { id, round } = (await world.queries.find(String(seq))) ?? { id: '', round: 0 };
      for (let one = 1; one <= round; one++) {
        const mail = { delivery_seq: seq, round: one, subject: 'Subject', frozen_at: clock.now() };
        await db.write
          .insertInto('delivery_mails')
          .values(mail)
          .onConflict((it) => it.doNothing())
          .execute();
      }
      return { seq, id, tags: (of = 1) => ({ delivery_id: id, round: String(of), env: 'test' }) };
    },
    tell: (id, words, to = webhooks) =>
      to.receive(tongue.request(id, { at: clock.now(), ...words }, clock.now())),
    events: () => readEvents(db),
    async close() {
      await world.close();
      const told = log.lines.map((line) => JSON.stringify(line));
      expect(told.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
    },
    async booked() {
      const { rows } = await sql<{ fact: string }>`SELECT fact FROM books ORDER BY fact`.execute(db.read);
      return rows.map(({ fact }) => fact);
    },
    async story(seq) {
      const rows = await db.read
        .selectFrom('delivery_events')
        .selectAll()
        .where('delivery_seq', '=', seq)
        .orderBy('event_seq')
        .execute();
      return rows.map(({ event, actor, detail }) => ({ event, actor, detail: JSON.parse(detail ?? '{}') }));
    },
  };
}
