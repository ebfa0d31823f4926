/** Deliveries as they are answered. */
export type Lane = 'urgent' | 'normal' | 'bulk';

export type DeliveryStatus =
  | 'pending'
  | 'claimed'
  | 'sending'
  | 'sent'
  | 'delivered'
  | 'failed_transient'
  | 'reconciling'
  | 'needs_review'
  | 'failed_permanent'
  | 'suppressed'
  | 'skipped_unsubscribed'
  | 'skipped_no_email'
  | 'skipped_ineligible'
  | 'expired';

export interface Delivery {
  seq: number;
  id: string;
  source: string;
  occasion: string;
  recipient: string;
  to: string | null;
  lane: Lane;
  status: DeliveryStatus;
  round: number;
  attempts: number;
  claims: number;
  lapses: number;
  account: string | null;
  providerMessageId: string | null;
  lastError: Record<string, unknown> | null;
  lockedBy: string | null;
  lockedAt: string | null;
  traceId: string | null;
  createdAt: string | null;
  dueAt: string | null;
  lastAttemptAt: string | null;
  inDoubtSince: string | null;
  sentAt: string | null;
  deliveredAt: string | null;
  expiresAt: string | null;
}

export interface DeliveryStory {
  delivery: Delivery;
  /** How it stands, as a person reads it. */
  now: { sentence: string; meaning: string; isDoubt: boolean; next: string; movedOutBy: string };
  story: Happening[];
  variables?: Record<string, unknown>;
  mails: FrozenMail[];
}

export interface Happening {
  at: string;
  event: string;
  status?: DeliveryStatus;
  round?: number;
  actor?: string;
  detail?: Record<string, unknown>;
  sentence: string;
}

export interface FrozenMail {
  round: number;
  key: string;
  from: string | null;
  to: string | null;
  replyTo: string | null;
  subject: string | null;
  text: string | null;
  headers: Record<string, unknown>;
  tags: Record<string, unknown>;
  bodyHash: string | null;
  providerMessageId: string | null;
  frozenAt: string | null;
}

export interface FrozenMailWithHtml extends FrozenMail {
  html: string | null;
}
