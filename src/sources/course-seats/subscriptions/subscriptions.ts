import type { Tx } from '../../../db/database.ts';
import type { SectionStatus, SubscriptionStatus } from '../../../db/seats-schema.ts';
import type { SectionDetails } from '../catalog/catalog.ts';

/**
 * Who watches which section. An address is believed when its owner has followed a mailed link; whoever has that link manages
 * the watch with it. Every change is a line of `subscription_events`. Answers about a link that nobody gave out are `unknown`.
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
  /** Takes back a cancel or an unsubscribe, for a day. */
  undoCancel(token: string): Promise<Changed>;
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

export type CreatedForCourse =
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
  | { kind: 'refused'; code: string; message: string };
