import { type Address, parseAddress } from '../domain/address.ts';
import type { EvidenceEvent } from '../domain/evidence.ts';
import type { DeliveryError } from '../domain/transition.ts';
import { isUuid } from '../std/ids.ts';
import { withoutAddresses } from '../std/without-addresses.ts';

/** A webhook of Resend, read: which mail it is about, and what it is evidence of. */
export interface ResendEvent {
  type: string;
  /** By Resend's clock; null where it says none. */
  at: number | null;
  messageId: string | null;
  /** From the tags that we put on the mail. */
  deliveryId: string | null;
  round: number | null;
  environment: string | null;
  /** To whom it went, if to one alone: our mails have no other recipients. */
  to: Address | null;
  /** Null for what is only kept: types that say nothing about a delivery, and those that are not known yet. */
  evidence: EvidenceEvent | null;
  error: DeliveryError | null;
}

/** The type of what was signed and is no event. It is kept all the same: telling it again would not make it one. */
export const unreadable = 'unreadable';

/** What is signed is Resend's, and is still read as a stranger's: own fields only, each of the kind and length that it may have. */
export function readResendEvent(text: string): ResendEvent {
  const event = parsed(text);
  const type = textIn(event, 'type', 100);
  const data = fieldOf(event, 'data');
  const tags = fieldOf(data, 'tags');
  const deliveryId = tagIn(tags, 'delivery_id');
  const round = tagIn(tags, 'round');
  return {
    type: type ?? unreadable,
    at: instantOf(textIn(event, 'created_at', 40)),
    messageId: textIn(data, 'email_id', 200),
    deliveryId: deliveryId !== null && isUuid(deliveryId) ? deliveryId : null,
    round: round !== null && /^[1-9]\d{0,2}$/.test(round) ? Number(round) : null,
    environment: tagIn(tags, 'env'),
    to: onlyAddressIn(fieldOf(data, 'to')),
    ...(meanings.get(type ?? unreadable)?.(data) ?? { evidence: null, error: null }),
  };
}

type Meaning = Pick<ResendEvent, 'evidence' | 'error'>;

const says = (evidence: EvidenceEvent) => (): Meaning => ({ evidence, error: null });

/** A map, not an object: a type may have any name, `constructor` too. */
const meanings: ReadonlyMap<string, (data: unknown) => Meaning> = new Map<string, (data: unknown) => Meaning>(
  [
    ['email.sent', says('accepted')],
    // It tries on; what becomes of it is told later.
    ['email.delivery_delayed', says('accepted')],
    ['email.delivered', says('confirmed')],
    ['email.opened', says('confirmed')],
    ['email.clicked', says('confirmed')],
    ['email.bounced', bounced],
    ['email.complained', complained],
    ['email.suppressed', suppressed],
    ['email.failed', failed],
    ['email.scheduled', () => ({ evidence: null, error: null })],
  ],
);

export const knownTypes: readonly string[] = [...meanings.keys()];

function bounced(data: unknown): Meaning {
  const bounce = fieldOf(data, 'bounce');
  // Only `Permanent` is for good; Transient, Temporary, Undetermined and whatever else there may be is not.
  const isForGood = fieldOf(bounce, 'type') === 'Permanent';
  // 002-P7-12, word for word. Not the bounce's message: mail servers quote the address in it.
  const message = `bounced: ${reasonIn(bounce, 'subType')}`;
  return {
    evidence: isForGood ? 'bounced_for_good' : 'bounced_for_now',
    error: { code: 'bounced', provider: 'resend', message },
  };
}

function complained(data: unknown): Meaning {
  return { evidence: 'complained', error: errorOf('complained', reasonIn(data, 'reason')) };
}

function suppressed(data: unknown): Meaning {
  const reason = reasonIn(fieldOf(data, 'suppressed'), 'message');
  return { evidence: 'provider_suppressed', error: errorOf('suppressed', reason) };
}

function failed(data: unknown): Meaning {
  const reason = reasonIn(fieldOf(data, 'failed'), 'reason');
  // Tomorrow there is a new quota; every other reason is about this mail.
  const evidence = reason === 'reached_daily_quota' ? 'over_quota' : 'provider_failed';
  return { evidence, error: errorOf('failed', reason) };
}

/** 002-P7-16: `{type}: {reason}`. */
const errorOf = (code: string, reason: string): DeliveryError => ({
  ...{ code, provider: 'resend', message: `email.${code}: ${reason}` },
});

const reasonIn = (value: unknown, name: string) =>
  withoutAddresses(textIn(value, name, 300) ?? 'no reason given');

/** Webhooks have tags as an object; the REST API, and who knows when a webhook, as a list of names and values. */
function tagIn(tags: unknown, name: string): string | null {
  if (!Array.isArray(tags)) return textIn(tags, name, 256);
  const tag = tags.slice(0, 100).find((one) => fieldOf(one, 'name') === name);
  return textIn(tag, 'value', 256);
}

function onlyAddressIn(to: unknown): Address | null {
  const parsed = parseAddress(Array.isArray(to) && to.length === 1 ? to[0] : to);
  return parsed.ok ? parsed.address : null;
}

/** Own fields only: what a prototype has, nobody sent. */
function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** PostgreSQL stores no NUL and no half of a character, and a row no novel. */
function textIn(value: unknown, name: string, lengthMax: number): string | null {
  const text = fieldOf(value, name);
  if (typeof text !== 'string') return null;
  return text.slice(0, lengthMax).replaceAll('\0', '').toWellFormed() || null;
}

const instantForm = /^(20\d\d-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** Resend writes times in more than one way. Without a zone it is UTC: `Date.parse` would take this machine's. */
function instantOf(text: string | null): number | null {
  const [, date, time, zone = 'Z'] = instantForm.exec(text ?? '') ?? [];
  if (date === undefined || time === undefined) return null;
  const hours = zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const at = Date.parse(`${date}T${time}${hours}`);
  return Number.isNaN(at) ? null : at;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
