import type { SeenRequest } from '../lies.ts';
import { createSeenRequests, type SeenRequests } from '../lying-server.ts';

/** The truth: every mail that was accepted, and every request that arrived. */
export interface PostmarkLedger extends SeenRequests {
  accepted: AcceptedMail[];
  /** Requests for a mail to be sent, accepted or not. */
  submissions(): SeenRequest[];
  acceptedBy(deliveryId: string): AcceptedMail[];
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
  const seen = createSeenRequests();
  return {
    ...seen,
    accepted,
    submissions: () => seen.requests.filter(({ method, path }) => method === 'POST' && path === '/email'),
    acceptedBy: (deliveryId) => accepted.filter(({ body }) => body.Metadata?.delivery_id === deliveryId),
  };
}

/** As Postmark writes times: seven digits, and the zone of its office. */
export function easternTime(at: number): string {
  return new Date(at - 4 * 3_600_000).toISOString().replace('Z', '0000-04:00');
}
