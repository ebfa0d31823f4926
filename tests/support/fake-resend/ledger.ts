import type { SeenRequest } from '../lies.ts';

/** The truth: every mail that was accepted, once each, and every request that arrived. */
export interface Ledger {
  accepted: AcceptedMail[];
  requests: SeenRequest[];
  /** Requests for a mail to be sent, accepted or not. */
  submissions(): SeenRequest[];
  acceptedBy(deliveryId: string): AcceptedMail[];
  /** Resolves when so many requests have arrived in all. */
  seen(count: number): Promise<void>;
  /** Whoever waits for requests is told. */
  arrived(request: SeenRequest): void;
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
  const requests: SeenRequest[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];
  return {
    accepted,
    requests,
    submissions: () => requests.filter(({ method, path }) => method === 'POST' && path === '/emails'),
    acceptedBy: (deliveryId) => accepted.filter(({ body }) => tagsOf(body).delivery_id === deliveryId),
    seen(count) {
      if (requests.length >= count) return Promise.resolve();
      return new Promise((resolve) => waiters.push({ count, resolve }));
    },
    arrived(request) {
      requests.push(request);
      for (const { count, resolve } of waiters) if (count <= requests.length) resolve();
      waiters = waiters.filter(({ count }) => count > requests.length);
    },
  };
}

/** Tags as an object, the way webhooks carry them. */
export function tagsOf({ tags = [] }: MailBody): Record<string, string> {
  return Object.fromEntries(tags.map(({ name, value }) => [name, value]));
}
