import type { Mail } from '../domain/message.ts';

/** A mail as Postmark takes it. The same mail is the same bytes, however its headers and tags were put together. */
export function bodyOf(
  { from, to, replyTo, subject, html, text, headers, tags }: Mail,
  stream: string,
): string {
  return JSON.stringify({
    From: from,
    To: to,
    Subject: subject,
    HtmlBody: html,
    TextBody: text,
    ...(replyTo !== undefined && { ReplyTo: replyTo }),
    Headers: sorted(headers).map(([Name, Value]) => ({ Name, Value })),
    Metadata: Object.fromEntries(metadataOf(tags)),
    MessageStream: stream,
    // Whatever the server's own setting: links are followed as they were written, and nobody is watched.
    TrackOpens: false,
    TrackLinks: 'None',
  });
}

const fieldsMax = 10;
const nameCharactersMax = 20;
const valueCharactersMax = 80;

/** What webhooks and look-ups find a delivery by; they come first, and always fit. */
const needed = ['delivery_id', 'round', 'env'];

/** Postmark refuses a mail with more: what does not fit is for people who filter, and is left out. */
function metadataOf(tags: Mail['tags']): [string, string][] {
  const fitting = sorted(tags).filter(
    ([name, value]) => name.length <= nameCharactersMax && value.length <= valueCharactersMax,
  );
  const isNeeded = ([name]: [string, string]) => needed.includes(name);
  const others = fitting.filter((tag) => !isNeeded(tag));
  return [...fitting.filter(isNeeded), ...others].slice(0, fieldsMax);
}

function sorted(record: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
