import type { Status } from '../../src/domain/status.ts';
import type { JudgedLink, LinkVerdict } from '../../src/http/inbox-links.ts';
import type { ChaosSwitch } from '../../src/providers/chaos.ts';

/** The built-in inbox, as the API answers it. */
export interface InboxLine {
  messageId: string;
  receivedAt: string;
  delivery: { seq: number; status: Status } | null;
  from: string;
  to: string;
  subject: string;
  headers: Record<string, string>;
}

export interface InboxPage {
  mails: InboxLine[];
  next: { below: number } | null;
}

export interface InboxMail extends InboxLine {
  html: string;
  text: string;
}

export interface Links {
  links: JudgedLink[];
  oneClick: JudgedLink | null;
}

export interface Switches {
  isAllowed: boolean;
  switches: { name: ChaosSwitch; onUntil: string | null; by: string | null }[];
}

export type { ChaosSwitch, JudgedLink, LinkVerdict };

/** What a mail program sends when somebody presses its own button (RFC 8058): no cookie, no key, and these 26 octets. */
export async function unsubscribeAt(path: string): Promise<number> {
  const response = await fetch(path, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  return response.status;
}
