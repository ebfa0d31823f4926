import type { SeenRequest } from '../lies.ts';

/** The truth: every mail that was accepted, and every request that arrived. */
export interface PostmarkLedger {
  accepted: AcceptedMail[];
  requests: SeenRequest[];
  /** Requests for a mail to be sent, accepted or not. */
  submissions(): SeenRequest[];
  acceptedBy(deliveryId: string): AcceptedMail[];
  /** Resolves when so many requests have arrived in all. */
  seen(count: number): Promise<void>;
  arrived(request: SeenRequest): void;
}

export interface AcceptedMail {
  id: string;
  at: number;
  body: MailBody;
  bodyText: string;
  events: { Recipient: string; Type: string; ReceivedAt: string; Details: object }[];
}

export interface MailBody {
  From: string;
  To: string;
  Subject?: string;
  HtmlBody?: string;
  TextBody?: string;
  ReplyTo?: string;
  Headers?: { Name: string; Value: string }[];
  Metadata?: Record<string, string>;
  MessageStream?: string;
  TrackOpens?: boolean;
  TrackLinks?: string;
}

export function createPostmarkLedger(): PostmarkLedger {
  const accepted: AcceptedMail[] = [];
  const requests: SeenRequest[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];
  return {
    accepted,
    requests,
    submissions: () => requests.filter(({ method, path }) => method === 'POST' && path === '/email'),
    acceptedBy: (deliveryId) => accepted.filter(({ body }) => body.Metadata?.delivery_id === deliveryId),
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

/** As Postmark writes times: seven digits, and the zone of its office. */
export function easternTime(at: number): string {
  return new Date(at - 4 * 3_600_000).toISOString().replace('Z', '0000-04:00');
}
