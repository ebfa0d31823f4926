import type { Tokens } from '../../../consent/token.ts';
import type { Unsubscribe } from '../../../consent/unsubscribe.ts';
import type { Database, Tx } from '../../../db/database.ts';
import type { SectionStatus, SubscriptionStatus } from '../../../db/seats-schema.ts';
import type { Address } from '../../../domain/address.ts';
import type { Outbox } from '../../../outbox/outbox.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Ids } from '../../../std/ids.ts';
import type { Log } from '../../../std/log.ts';
import { createRateLimit } from '../../../std/rate-limit.ts';
import type { RefusalCode } from '../../../std/refusals.ts';
import type { Catalog, SectionDetails } from '../catalog/catalog.ts';
import { createChanging } from './changing.ts';
import { createContactHash } from './contact.ts';
import { createWatches, liveWatches, type Made } from './creating.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createLeaving } from './leaving.ts';
import { defaultLimits, type Limits } from './limits.ts';
import { createMailAgain } from './mail-again.ts';
import { showWatches } from './watch.ts';
import { findByToken } from './watch-link.ts';
import { createWatchList, type ListedWatch, type WatchesOf } from './watch-list.ts';
import { readOrder, type WatchOrder } from './watch-order.ts';
import { type FoundTargets, findCourse, findSection } from './watch-target.ts';

/**
 * Who watches which section. An address is believed when its owner has followed a mailed link; whoever has that link manages
 * the watch with it. Every change is a line of `subscription_events`, but for what the catalog learns of a section. Answers about
 * a link that nobody gave out are `unknown`.
 */
export interface Subscriptions {
  create(order: CreateOrder): Promise<Created>;
  /** All sections of a course, as many as the limits allow. */
  createForCourse(order: Omit<CreateOrder, 'indexNumber'> & { courseId: number }): Promise<CreatedForCourse>;
  find(token: string): Promise<Watch | undefined>;
  /** All that the owner of this link watches, itself included. */
  siblings(token: string): Promise<Watch[]>;
  confirm(token: string): Promise<Changed>;
  pause(token: string): Promise<Changed>;
  resume(token: string): Promise<Changed>;
  snooze(token: string, until: number | null): Promise<Changed>;
  /** Minutes of the campus's day in which mail is welcome; null for always. */
  setWindow(token: string, window: DeliveryWindow | null): Promise<Changed>;
  setMaxNotifications(token: string, max: number | null): Promise<Changed>;
  cancel(token: string): Promise<Changed>;
  /** The same for an operator, at their wish: `by` and `because` stand in its line. They may take it back as if it were their own. */
  stop(
    subscriptionId: number,
    why: { by: string; because: string },
  ): Promise<'changed' | 'unchanged' | 'unknown'>;
  /** Takes back a cancel or an unsubscribe, for a day. */
  undoCancel(token: string): Promise<Changed>;
  /** Whether the owner of this link has stopped all mails to their address, from whatever source. */
  hasStoppedEverything(token: string): Promise<boolean>;
  /** Takes that back, at any time; who waits for a confirmation is asked again. */
  mailAgain(token: string): Promise<Changed>;
  /** For an operator: what a person watches or has watched, or who watches a section. Newest first. */
  list(whose: WatchesOf, limit: number): Promise<ListedWatch[]>;
  /** The numbers of all watches of this address, newest first: what the outbox knows their owner by. */
  recipientsAt(address: Address, limit: number): Promise<string[]>;
  /** Consent's word, in its own transaction: the link in a mail was used, or taken back. */
  left(subscriptionId: number, tx: Tx): Promise<void>;
  returned(subscriptionId: number, tx: Tx): Promise<void>;
  /** Watches of terms that are over end; addresses of who left lose their values when the time to undo is over. */
  housekeep(limit: number): Promise<number>;
}

export interface CreateOrder {
  termId: string;
  campusCode: string;
  indexNumber: string;
  email: string;
  locale?: string;
  preferences?: Preferences;
  /** Who asks, for the limits: a network address, hashed by whoever calls. Null for a trusted service. */
  caller: string | null;
}

export interface Preferences {
  notifyOn?: readonly string[];
  maxNotifications?: number | null;
  deliveryWindow?: DeliveryWindow | null;
  snoozeUntil?: number | null;
}

export interface DeliveryWindow {
  startMinutes: number;
  endMinutes: number;
}

export type Created =
  | {
      kind: 'created' | 'existing';
      subscriptionId: number;
      status: SubscriptionStatus;
      /** False where the catalog does not know the index (yet). */
      sectionResolved: boolean;
      /** What is believed of the section now: who starts to watch an open one is told at once (8.12). */
      sectionStatus: SectionStatus;
      /** Only where the caller is trusted with it: it opens the watch. */
      token: string;
    }
  | CreateRefusal;

export type CreateRefusal =
  | { kind: 'section_not_found' | 'invalid_contact' | 'invalid_preferences'; message: string }
  | { kind: 'section_conflict'; message: string; campusCode: string }
  | {
      kind: 'rate_limited';
      message: string;
      limit: 'contact' | 'section' | 'caller';
      retryAfterMs: number | null;
    };

type CreatedForCourse =
  | { kind: 'created'; watches: Exclude<Created, CreateRefusal>[]; leftOut: number }
  | CreateRefusal;

export interface Watch {
  subscriptionId: number;
  token: string;
  termId: string;
  campusCode: string;
  indexNumber: string;
  section: SectionDetails | undefined;
  status: SubscriptionStatus;
  sectionStatus: SectionStatus;
  locale: string | null;
  preferences: Required<Preferences>;
  notificationsSent: number;
  /** Until when leaving can be taken back. */
  undoUntil: number | null;
  createdAt: number;
}

export type Changed =
  | { kind: 'changed' | 'unchanged'; watch: Watch }
  | { kind: 'unknown' }
  | { kind: 'refused'; code: RefusalCode; message: string };

export interface SubscriptionsParts {
  db: Database;
  outbox: Pick<Outbox, 'enqueue' | 'record'>;
  catalog: Pick<Catalog, 'section'>;
  unsubscribe: Pick<Unsubscribe, 'undoFor' | 'startAgain'>;
  /** Of the links to watches. */
  tokens: Tokens;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** This instance's own, from its database. */
  namespace: string;
  /** Of the campuses: quiet hours are in it. */
  timeZone: string;
  verifiesAddresses: boolean;
  limits?: Partial<Limits>;
}

const hourMs = 3_600_000;

export function createSubscriptions(given: SubscriptionsParts): Subscriptions {
  const { db, clock, log, tokens } = given;
  const contactHash = createContactHash(given.namespace);
  const limits = { ...defaultLimits, ...given.limits };
  const parts = { ...given, contactHash, limits };
  const callers = createRateLimit(limits.callerOrdersPerHour, hourMs, clock);

  async function make(
    order: Omit<CreateOrder, 'indexNumber'>,
    findTargets: (order: WatchOrder) => Promise<FoundTargets>,
  ): Promise<CreatedForCourse> {
    const read = readOrder(order, clock.now());
    if (read.kind !== 'order') return read;
    const retryAfterMs = read.caller === null ? 0 : callers.take(read.caller);
    if (retryAfterMs > 0) return { kind: 'rate_limited', limit: 'caller', message: tooFast, retryAfterMs };
    const found = await findTargets(read);
    if (found.kind !== 'found') return found;
    const creation = await createWatches(parts, read, found.targets);
    if (creation.kind !== 'made') return creation;
    // After the commit: a transaction may be tried again, or come to nothing.
    for (const { row, isNew } of creation.watches) {
      if (!isNew) continue;
      const { subscription_id: subscriptionId, term_id: termId, index_number: indexNumber } = row;
      log.info('seats.watch_created', { subscriptionId, termId, indexNumber });
    }
    return { kind: 'created', watches: creation.watches.map(createdOf), leftOut: creation.leftOut };
  }

  const createdOf = ({ row, isNew, sectionStatus }: Made): Exclude<Created, CreateRefusal> => ({
    ...{ kind: isNew ? 'created' : 'existing', subscriptionId: row.subscription_id, status: row.status },
    ...{ sectionResolved: row.section_id !== null, sectionStatus, token: tokens.of(row.token_id) },
  });

  return {
    async create({ indexNumber, ...order }) {
      const made = await make(order, (read) => findSection(parts, read, indexNumber));
      if (made.kind !== 'created') return made;
      const [watch] = made.watches;
      if (!watch) throw new Error('subscriptions: a watch was neither made nor refused');
      return watch;
    },
    createForCourse: ({ courseId, ...order }) => make(order, (read) => findCourse(db, read, courseId)),
    async find(token) {
      const row = await findByToken(parts, token);
      return row && (await showWatches(db, tokens, [row], clock.now()))[0];
    },
    async siblings(token) {
      const row = await findByToken(parts, token);
      if (!row) return [];
      const live = await liveWatches(db.read, row.contact_hash);
      const isLive = live.some(({ subscription_id }) => subscription_id === row.subscription_id);
      return showWatches(db, tokens, isLive ? live : [row, ...live], clock.now());
    },
    ...createChanging(parts),
    ...createLeaving(parts),
    ...createMailAgain(parts),
    ...createWatchList(parts),
    housekeep: createHousekeeping(parts),
  };
}

const tooFast = 'Too many sections were asked for from here; wait a little.';
