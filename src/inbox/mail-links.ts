import type { Mail } from '../domain/message.ts';

/** Every link of a mail, wherever it stands in it, each once. Read from what strangers may have had a hand in: nothing is followed here. */
export interface MailLink {
  href: string;
  in: ('html' | 'text' | 'headers')[];
}

const linksMax = 200;
const lengthMax = 2_000;

/** Attributes that a reader's program follows when something is pressed. Each part ends at the first sign that cannot belong to it. */
const inHtml = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;
const inText = /\b(?:https?:\/\/|mailto:)[^\s<>"]+/gi;
const inHeaders = /<([^<>\s]+)>/g;

export function linksIn({ html, text, headers }: Pick<Mail, 'html' | 'text' | 'headers'>): MailLink[] {
  const found = new Map<string, MailLink>();
  const add = (href: string, place: MailLink['in'][number]) => {
    if (href === '' || href.startsWith('#')) return;
    const short = href.slice(0, lengthMax);
    const known = found.get(short);
    if (known && !known.in.includes(place)) known.in.push(place);
    if (!known && found.size < linksMax) found.set(short, { href: short, in: [place] });
  };
  for (const [, double, single, bare] of html.matchAll(inHtml))
    add(plain(double ?? single ?? bare ?? '').trim(), 'html');
  // A full stop or a bracket behind an address belongs to the sentence.
  for (const [href] of text.matchAll(inText)) add(href.replace(/[.,;:!?)\]]+$/, ''), 'text');
  for (const value of listHeaders(headers))
    for (const [, href = ''] of value.matchAll(inHeaders)) add(href, 'headers');
  return [...found.values()];
}

/** RFC 2369: headers of a list hold addresses in angle brackets. */
function listHeaders(headers: Mail['headers']): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (/^list-/i.test(name) ? [value] : []));
}

const named: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

/** What a browser reads in an attribute. */
function plain(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,5}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? whole;
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

/** The address to which a mail program posts when somebody presses its own button (RFC 8058); null where the mail has none. */
export function oneClickIn(headers: Mail['headers']): string | null {
  const of = (wanted: string) =>
    Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
  if (!/^List-Unsubscribe=One-Click$/i.test(of('list-unsubscribe-post').trim())) return null;
  const addresses = [...of('list-unsubscribe').matchAll(inHeaders)].map(([, href = '']) => href);
  return addresses.find((href) => /^https?:/i.test(href)) ?? null;
}
