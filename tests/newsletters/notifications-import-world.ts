import type { DialectName } from '../../src/db/dialect.ts';
import { openForeign } from '../../src/db/foreign.ts';
import type { DeliveryRow } from '../../src/db/schema.ts';
import {
  type Imported,
  type ImportParts,
  importOld,
} from '../../src/sources/newsletters/notifications/import/import-old.ts';
import { createOldSystem, type OldShape, type OldSystem } from './notifications-old-system.ts';
import { createNotificationsWorld, type NotificationsWorld, sourceName } from './notifications-world.ts';

/** Notifications beside an older system, from which they are taken over. */
export interface ImportWorld extends NotificationsWorld {
  /** What `have` has made, unless a test puts something else in its place. */
  old: OldSystem;
  have(shape: OldShape, idType?: string, of?: DialectName): Promise<void>;
  take(more?: Partial<ImportParts>): Promise<Imported>;
  deliveries(): Promise<DeliveryRow[]>;
  /** All that an import may write, for comparing before and after. */
  tables(): Promise<Record<string, unknown>>;
  /** What a run does for a period: it asks for a delivery of everybody, and sends what is due. */
  trigger(period: string): Promise<{ fresh: number; sent: number }>;
}

/** When the older system sent its mails. */
export const sentAt = Date.UTC(2025, 10, 3, 8);

const nowhere: OldSystem = { url: '', run: async () => {}, drop: async () => {} };

export async function createImportWorld(dialect: DialectName): Promise<ImportWorld> {
  const world = await createNotificationsWorld(dialect);
  const { db, clock, outbox, provider } = world;
  const deliveries = () =>
    db.read.selectFrom('deliveries').selectAll().orderBy('recipient').orderBy('occasion').execute();
  const own: ImportWorld = {
    ...world,
    ...{ old: nowhere, deliveries },
    async have(shape, idType = 'BIGINT', of = dialect) {
      own.old = await createOldSystem(of, shape, idType);
    },
    async take(more = {}) {
      const from = await openForeign(own.old.url);
      const { suppressions } = world.consent;
      return importOld(from, { db, outbox, suppressions, clock, by: 'a test', ...more }).finally(from.close);
    },
    tables: async () => ({
      deliveries: await deliveries(),
      notifications: await db.read.selectFrom('notifications').selectAll().orderBy('id').execute(),
      events: await db.read.selectFrom('delivery_events').selectAll().orderBy('event_seq').execute(),
      links: await db.read
        .selectFrom('unsubscribe_links_taken_over')
        .selectAll()
        .orderBy('token_hash')
        .execute(),
      suppressions: await db.read.selectFrom('suppressions').selectAll().execute(),
      counts: await world.queries.counts(),
    }),
    async trigger(period) {
      const rows = await db.read.selectFrom('notifications').selectAll().where('is_active', '=', 1).execute();
      const made = await outbox.enqueue(
        rows.map((row) => ({
          ...{
            source: sourceName,
            occasion: period,
            recipient: `${row.user_id}:${row.id}`,
            lane: 'bulk' as const,
          },
        })),
      );
      const before = provider.ledger.length;
      await world.send();
      return { fresh: made.filter(({ isNew }) => isNew).length, sent: provider.ledger.length - before };
    },
    async close() {
      await world.close();
      await own.old.drop();
    },
  };
  return own;
}
