import { type Consent, createConsent } from '../../src/consent/consent.ts';
import { createTokens } from '../../src/consent/token.ts';
import type { DialectName } from '../../src/db/dialect.ts';
import type { Status } from '../../src/domain/status.ts';
import { readNamespace } from '../../src/outbox/outbox.ts';
import { createCatalog } from '../../src/sources/course-seats/catalog/catalog.ts';
import type { Limits } from '../../src/sources/course-seats/subscriptions/limits.ts';
import {
  type Changed,
  type Created,
  type CreateOrder,
  type CreateRefusal,
  createSubscriptions,
  type Subscriptions,
} from '../../src/sources/course-seats/subscriptions/subscriptions.ts';
import { systemIds } from '../../src/std/ids.ts';
import { silentLog } from '../../src/std/log.ts';
import { baseUrl, tokenSecret } from '../support/consent.ts';
import { createSeatsWorld, index, type SeatsWorld, termId } from './seats-world.ts';

/** The small campus with the real watches, and consent that tells them who left. */
export interface WatchWorld extends SeatsWorld {
  subscriptions: Subscriptions;
  consent: Consent;
  /** Other limits, or nobody is asked whether an address is theirs. */
  subscriptionsWith(more: { limits?: Partial<Limits>; verifiesAddresses?: boolean }): Subscriptions;
  order(more?: Partial<CreateOrder>): CreateOrder;
  /** A watch that was made, and not refused. */
  watch(more?: Partial<CreateOrder>, by?: Subscriptions): Promise<Exclude<Created, CreateRefusal>>;
  /** One that is confirmed, too. */
  confirmed(more?: Partial<CreateOrder>): Promise<Exclude<Created, CreateRefusal>>;
  /** `course-seats-verification 1-1 pending`, in the order of their numbers. */
  mails(): Promise<string[]>;
  statusOf(seq: number): Promise<Status | undefined>;
  setCells(subscriptionId: number, cells: object): Promise<unknown>;
  /** What the link in a mail of this watch carries. */
  linkIn(subscriptionId: number, source?: string): Promise<string>;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** In one word: what came of a step, or why nothing did. */
export const told = (changed: Changed) => (changed.kind === 'refused' ? changed.code : changed.kind);

export async function createWatchWorld(dialect: DialectName): Promise<WatchWorld> {
  const world = await createSeatsWorld(dialect);
  const { db, clock, outbox } = world;
  const names = ['course-seats', 'course-seats-verification'];
  const consent: Consent = createConsent({
    ...{ db, clock, ids: systemIds, log: silentLog, secrets: [tokenSecret], baseUrl: () => baseUrl },
    onLeft: async ({ source, recipient }, tx) => {
      if (names.includes(source)) await subscriptions.left(Number(recipient), tx);
    },
    onReturned: async ({ source, recipient }, tx) => {
      if (names.includes(source)) await subscriptions.returned(Number(recipient), tx);
    },
  });
  const namespace = await readNamespace(db);
  const feed = {
    courses: async () => ({ kind: 'failed', status: 503, code: 'http_503', message: 'no' }) as const,
  };
  const subscriptionsWith: WatchWorld['subscriptionsWith'] = (more) =>
    createSubscriptions({
      ...{ db, outbox, clock, namespace, ids: systemIds, log: silentLog, verifiesAddresses: true },
      timeZone: 'America/New_York',
      catalog: createCatalog({ db, feed, clock, log: silentLog }),
      ...{ unsubscribe: consent.unsubscribe, tokens: createTokens([tokenSecret], 'seats') },
      ...more,
    });
  const subscriptions = subscriptionsWith({});
  const order: WatchWorld['order'] = (more = {}) => ({
    ...{ termId, campusCode: 'NB', indexNumber: index, email: 'ana@example.org', caller: null },
    ...more,
  });
  const watch: WatchWorld['watch'] = async (more, by = subscriptions) => {
    const made = await by.create(order(more));
    if (!('token' in made)) throw new Error(made.message);
    return made;
  };
  return {
    ...{ ...world, subscriptions, consent, subscriptionsWith, order, watch },
    async confirmed(more) {
      const made = await watch(more);
      await subscriptions.confirm(made.token);
      return made;
    },
    async mails() {
      const rows = await db.read.selectFrom('deliveries').selectAll().orderBy('seq').execute();
      return rows.map(({ source, occasion, status }) => `${source} ${occasion} ${status}`);
    },
    statusOf: async (seq) => (await world.queries.find(String(seq)))?.status,
    setCells: (subscriptionId, cells) =>
      db.write
        .updateTable('subscriptions')
        .set(cells)
        .where('subscription_id', '=', subscriptionId)
        .execute(),
    async linkIn(subscriptionId, source = 'course-seats') {
      const owner = { seq: 1, source, recipient: String(subscriptionId) };
      const [link = ''] = (await consent.unsubscribe.linksFor([owner])).values();
      return link.slice(link.lastIndexOf('/') + 1);
    },
  };
}
