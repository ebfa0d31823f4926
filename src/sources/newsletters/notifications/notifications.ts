import type { Extent } from '../../../consent/tell-source.ts';
import type { Unsubscribe } from '../../../consent/unsubscribe.ts';
import type { Database, Tx } from '../../../db/database.ts';
import type { InactiveBecause } from '../../../db/newsletters-schema.ts';
import type { FactListener } from '../../../outbox/facts.ts';
import type { Clock } from '../../../std/clock.ts';
import type { Ids } from '../../../std/ids.ts';
import type { Log } from '../../../std/log.ts';
import type { NotificationType } from '../notification-type.ts';
import { createAdding } from './adding.ts';
import type { FilterProblem } from './alert-config.ts';
import { keepBooks } from './books.ts';
import { createChanging } from './changing.ts';
import { createLeaving } from './leaving.ts';
import type { Notification } from './notification.ts';
import { createOptingOut } from './opting-out.ts';
import { createReading } from './reading.ts';
import { recheckRows } from './recheck.ts';
import { createSubscribing } from './subscribing.ts';

/**
 * Who asked for what. A wish is one row for ever: whoever takes it back and comes again gets the same one, so that nobody is told of
 * a period twice. What waits for somebody who has had enough is stopped in the transaction that says so; an address or a mail is
 * never in here. Mistakes are refused; what belongs to somebody else is not found.
 */
export interface Notifications {
  /** New, there already, or there and active again. */
  subscribe(order: SubscribeOrder): Promise<Subscribed>;
  /** By an operator's list, in one transaction: who has left is not brought back, and what is there stays as it is. */
  add(orders: readonly SubscribeOrder[]): Promise<Added[]>;
  /** Everybody's, in the order of their ids, without those that were deleted: for an operator. */
  all(order: AllOrder): Promise<Page<Notification>>;
  /** Newest first, without those that were deleted. */
  list(userId: string, page: PageOrder): Promise<Page<Notification>>;
  ofEntity(userId: string, cui: string): Promise<Notification[]>;
  find(userId: string, id: string): Promise<Notification>;
  update(userId: string, id: string, change: Change): Promise<Changed>;
  /** It ends; its row stays, and asking for the same again brings it back. */
  remove(userId: string, id: string): Promise<void>;
  /** What became of each period, newest first, in the words of spec 002. */
  deliveries(userId: string, page: PageOrder): Promise<Page<OwnDelivery>>;
  /** Null where they have not left everything. */
  optOutOf(userId: string): Promise<OptOut | null>;
  /** Everything ends at once, until they ask for something by themselves. */
  optOut(userId: string): Promise<OptOut & { deactivated: number; stopped: number }>;
  /** They may be told again; of what they activate one by one. Answers whether they had left everything. */
  optIn(userId: string): Promise<boolean>;
  /** All that these users have asked for, as the outbox knows it, newest first: an operator asks by a person. */
  recipientsOf(userIds: readonly string[], limit: number): Promise<string[]>;
  /** Consent's word, in its own transaction: the link in a mail was used, or taken back. */
  left(recipients: readonly string[], tx: Tx, extent?: Extent): Promise<void>;
  returned(recipients: readonly string[], tx: Tx): Promise<void>;
  /** What came back through a mail ends the wish that it came of (002-P7-13, 002-P7-17). */
  changed: FactListener;
  /** The last look before bytes leave: how it stands with each, by recipient. One that nobody knows is not in it. */
  recheckRows(tx: Tx, recipients: readonly string[]): Promise<ReadonlyMap<string, Standing>>;
}

export interface SubscribeOrder {
  userId: string;
  type: string;
  /** Of a newsletter. */
  entityCui?: string | undefined;
  /** Of an alert: `alert-config.ts` says what may be in it. */
  config?: unknown;
  locale?: string | undefined;
}

export interface Subscribed {
  kind: 'created' | 'reactivated' | 'existing';
  notification: Notification;
}

export type Added = { kind: 'created' | 'existing' | 'left' } | { kind: 'refused'; problem: string };

interface AllOrder extends PageOrder {
  userId?: string | undefined;
  entityCui?: string | undefined;
  type?: NotificationType | undefined;
}

/** What is left out stays as it is. */
export interface Change {
  isActive?: boolean | undefined;
  /** Null for the deployment's own. */
  locale?: string | null | undefined;
  /** Of an alert, as a whole. */
  config?: unknown;
}

interface Changed {
  kind: 'changed' | 'unchanged';
  notification: Notification;
}

interface PageOrder {
  limit: number;
  /** The id of the last one of the page before. */
  after?: string | undefined;
}

export interface Page<Row> {
  rows: Row[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

export interface OwnDelivery {
  id: string;
  notificationId: string;
  periodKey: string;
  deliveryKey: string;
  /** One of spec 002's nine words. */
  status: string;
  toEmail: string | null;
  attemptCount: number;
  lastAttemptAt: string | null;
  sentAt: string | null;
  createdAt: string;
}

export interface OptOut {
  at: number;
  /** In their account, or by stopping everything through the link in a mail. */
  via: 'account' | 'link';
}

export interface Standing {
  isActive: boolean;
  isDeleted: boolean;
  inactiveBecause: InactiveBecause | null;
  /** Their user has left everything. */
  isOptedOut: boolean;
}

export interface NotificationLimits {
  /** That one user has active at a time. */
  activeMax: number;
  /** That one user ever had: rows are for ever, and deleting makes no room. */
  everMax: number;
}

const defaultLimits: NotificationLimits = { activeMax: 200, everMax: 2_000 };

export interface NotificationsParts {
  db: Database;
  clock: Clock;
  ids: Ids;
  log: Log;
  unsubscribe: Pick<Unsubscribe, 'comeBack'>;
  /** Of the data that alerts are judged by; without it any filter may be watched. */
  filterProblem?: FilterProblem;
  limits?: Partial<NotificationLimits>;
}

export function createNotifications({ limits, ...given }: NotificationsParts): Notifications {
  const parts = { ...given, limits: { ...defaultLimits, ...limits } };
  const { db, clock } = given;
  return {
    ...createSubscribing(parts),
    ...createAdding(parts),
    ...createChanging(parts),
    ...createOptingOut(parts),
    ...createLeaving(parts),
    ...createReading(db),
    changed: (facts, tx) => keepBooks(tx, db.dialect, facts, clock.now()),
    recheckRows: (tx, recipients) => recheckRows(tx, db.dialect, recipients),
  };
}
