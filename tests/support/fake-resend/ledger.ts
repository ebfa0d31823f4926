import type { SeenRequest } from '../lies.ts';
import { createSeenRequests, type SeenRequests } from '../lying-server.ts';

/** The truth: every mail that was accepted, once each, and every request that arrived. */
export interface Ledger extends SeenRequests {
  accepted: AcceptedMail[];
  /** Requests for a mail to be sent, accepted or not. */
  submissions(): SeenRequest[];
  acceptedBy(deliveryId: string): AcceptedMail[];
}

export interface AcceptedMail {
  id: string;
  key: string | null;
  account: string;
  body: MailBody;
  bodyText: string;
  at: number;
  /** How often it was handed in and answered with this id; more than one means that the key was recognised. */
  submissions: number;
  lastEvent: string;
}

export interface MailBody {
  from: string;
  to: string | string[];
  subject: string;
  html?: string;
  text?: string;
  reply_to?: string | string[];
  headers?: Record<string, string>;
  tags?: { name: string; value: string }[];
}

export function createLedger(): Ledger {
  const accepted: AcceptedMail[] = [];
  const seen = createSeenRequests();
  return {
    ...seen,
    accepted,
    submissions: () => seen.requests.filter(({ method, path }) => method === 'POST' && path === '/emails'),
    acceptedBy: (deliveryId) => accepted.filter(({ body }) => tagsOf(body).delivery_id === deliveryId),
  };
}

/** Tags as an object, the way webhooks carry them. */
export function tagsOf({ tags = [] }: MailBody): Record<string, string> {
  return Object.fromEntries(tags.map(({ name, value }) => [name, value]));
}
