import { onlyAddressIn } from '../domain/address.ts';
import type { EvidenceEvent } from '../domain/evidence.ts';
import type { DeliveryError } from '../domain/transition.ts';
import { instantOf, namedBy, type ProviderEvent, unreadable } from './provider-event.ts';
import { fieldOf, parsed, reasonIn, textIn } from './stranger-json.ts';

/**
 * What is signed is Resend's, and is still read as a stranger's: own fields only, each of the kind and length that it may have. Who else
 * speaks so is named with what went wrong.
 */
export function readResendEvent(text: string, provider = 'resend'): ProviderEvent {
  const event = parsed(text);
  const type = textIn(event, 'type', 100) ?? unreadable;
  const data = fieldOf(event, 'data');
  const tags = fieldOf(data, 'tags');
  const { evidence, error } = meanings.get(type)?.(data) ?? { evidence: null, error: null };
  return {
    type,
    at: instantOf(textIn(event, 'created_at', 40)),
    messageId: textIn(data, 'email_id', 200),
    ...namedBy((name) => tagIn(tags, name)),
    to: onlyAddressIn(fieldOf(data, 'to')),
    evidence,
    error: error && { ...error, provider },
    isDelayed: type === 'email.delivery_delayed',
  };
}

type Meaning = Pick<ProviderEvent, 'evidence' | 'error'>;

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
    error: { code: 'bounced', message },
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
  ...{ code, message: `email.${code}: ${reason}` },
});

/** Webhooks have tags as an object; the REST API, and who knows when a webhook, as a list of names and values. */
function tagIn(tags: unknown, name: string): string | null {
  if (!Array.isArray(tags)) return textIn(tags, name, 256);
  const tag = tags.slice(0, 100).find((one) => fieldOf(one, 'name') === name);
  return textIn(tag, 'value', 256);
}
