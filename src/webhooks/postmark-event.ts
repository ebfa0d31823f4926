import { onlyAddressIn } from '../domain/address.ts';
import type { EvidenceEvent } from '../domain/evidence.ts';
import { instantOf, namedBy, type ProviderEvent, unreadable } from './provider-event.ts';
import { fieldOf, parsed, reasonIn, textIn } from './stranger-json.ts';

/**
 * A webhook of Postmark, read as a stranger's: own fields only, each of the kind and length that it may have. What is not known
 * to have ended a mail's way never asks for another one: a new round begins only when the last mail is known to be lost.
 */
export function readPostmarkEvent(text: string): ProviderEvent {
  const event = parsed(text);
  const type = textIn(event, 'RecordType', 100) ?? unreadable;
  const { timeIn, meaning } = kinds.get(type) ?? kept;
  const { evidence, code, reason, isDelayed = false } = meaning(event);
  const metadata = fieldOf(event, 'Metadata');
  return {
    type: wordOf(type, event),
    at: instantOf(textIn(event, timeIn, 40)),
    messageId: textIn(event, 'MessageID', 200),
    ...namedBy((name) => textIn(metadata, name, 80)),
    // Which of them it has depends on the type.
    to: onlyAddressIn(fieldOf(event, 'Recipient') ?? fieldOf(event, 'Email')),
    evidence,
    error: code === undefined ? null : { code, provider: 'postmark', message: `${code}: ${reason}` },
    isDelayed,
  };
}

interface Meaning {
  evidence: EvidenceEvent | null;
  /** What went wrong, where something did. */
  code?: string;
  reason?: string;
  isDelayed?: boolean;
}

interface Kind {
  timeIn: string;
  meaning: (event: unknown) => Meaning;
}

const only = (evidence: EvidenceEvent | null) => (): Meaning => ({ evidence });
const kept: Kind = { timeIn: 'ReceivedAt', meaning: only(null) };

/** A map, not an object: a type may have any name, `constructor` too. */
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['Delivery', { timeIn: 'DeliveredAt', meaning: only('confirmed') }],
  ['Bounce', { timeIn: 'BouncedAt', meaning: bounced }],
  ['SpamComplaint', { timeIn: 'BouncedAt', meaning: complained }],
  ['SubscriptionChange', { timeIn: 'ChangedAt', meaning: switched }],
  // Programs open mails and follow links, too.
  ['Open', kept],
  ['Click', kept],
]);

/** The types that are counted by name; a bounce is counted by its own. */
const bounces: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  // There is no such mailbox: the address is not written to again.
  ['HardBounce', { evidence: 'bounced_for_good' }],
  ['BadEmailAddress', { evidence: 'bounced_for_good' }],
  ['SpamComplaint', { evidence: 'complained' }],
  ['ManuallyDeactivated', { evidence: 'provider_suppressed' }],
  // They have given up, and it may be otherwise in some hours.
  ['SoftBounce', { evidence: 'bounced_for_now' }],
  ['Blocked', { evidence: 'bounced_for_now' }],
  // It ended, and would again: the mail or its sender is the reason, not the mailbox.
  ['SpamNotification', { evidence: 'provider_failed' }],
  ['VirusNotification', { evidence: 'provider_failed' }],
  ['DMARCPolicy', { evidence: 'provider_failed' }],
  ['SMTPApiError', { evidence: 'provider_failed' }],
  ['TemplateRenderingFailed', { evidence: 'provider_failed' }],
  // "Message delayed", "a temporary DNS error": they try on, and tell later what became of it.
  ['Transient', { evidence: 'accepted', isDelayed: true }],
  ['DnsError', { evidence: 'accepted', isDelayed: true }],
]);

/** What else Postmark calls a bounce is an answer to a mail that arrived, an out-of-office note, or nothing that we know. */
const answered: Meaning = { evidence: 'accepted' };

export const knownTypes: readonly string[] = [
  ...[...kinds.keys()].filter((type) => type !== 'Bounce'),
  ...[...bounces.keys()].map((type) => `Bounce.${type}`),
];

function wordOf(type: string, event: unknown): string {
  return type === 'Bounce' ? `Bounce.${textIn(event, 'Type', 60) ?? 'Unknown'}` : type;
}

function bounced(event: unknown): Meaning {
  const known = bounces.get(textIn(event, 'Type', 60) ?? '') ?? answered;
  // Whatever they call it: to an address that it has switched off, Postmark sends no more.
  const isOff = fieldOf(event, 'Inactive') === true;
  const isMild = known.evidence === 'accepted' || known.evidence === 'bounced_for_now';
  const meaning: Meaning = isOff && isMild ? { evidence: 'provider_suppressed' } : known;
  if (meaning.evidence === 'accepted') return meaning;
  // Not `Details` or `Description`: mail servers quote the address in them.
  return { ...meaning, code: 'bounced', reason: reasonIn(event, 'Type') };
}

function complained(): Meaning {
  return { evidence: 'complained', code: 'complained', reason: 'the recipient called it spam' };
}

const switchedOff: ReadonlyMap<string, EvidenceEvent> = new Map<string, EvidenceEvent>([
  ['HardBounce', 'bounced_for_good'],
  ['SpamComplaint', 'complained'],
  ['ManualSuppression', 'provider_suppressed'],
]);

/** Of an address that is switched on again nothing follows: that is for an operator here. */
function switched(event: unknown): Meaning {
  if (fieldOf(event, 'SuppressSending') !== true) return { evidence: null };
  const evidence = switchedOff.get(textIn(event, 'SuppressionReason', 60) ?? '') ?? 'provider_suppressed';
  return { evidence, code: 'suppressed', reason: reasonIn(event, 'SuppressionReason') };
}
