import type { Address } from '../domain/address.ts';
import type { EvidenceEvent } from '../domain/evidence.ts';
import type { DeliveryError } from '../domain/transition.ts';
import { isUuid } from '../std/ids.ts';

/** A webhook, read: which mail it is about, and what it is evidence of. */
export interface ProviderEvent {
  /** In the provider's own words. */
  type: string;
  /** By the provider's clock; null where it says none. */
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
  /** The provider still tries to deliver it. */
  isDelayed: boolean;
}

/** The type of what was proved to be the provider's and is no event. It is kept all the same: telling it again would not make it one. */
export const unreadable = 'unreadable';

/** The delivery that our tags name, each of them only if it is what we have written. */
export function namedBy(
  tagNamed: (name: string) => string | null,
): Pick<ProviderEvent, 'deliveryId' | 'round' | 'environment'> {
  const deliveryId = tagNamed('delivery_id');
  const round = tagNamed('round');
  return {
    deliveryId: deliveryId !== null && isUuid(deliveryId) ? deliveryId : null,
    round: round !== null && /^[1-9]\d{0,2}$/.test(round) ? Number(round) : null,
    environment: tagNamed('env'),
  };
}

const instantForm = /^(20\d\d-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z|[+-]\d\d(?::?\d\d)?)?$/;

/** Times are written in more than one way. Without a zone it is UTC: `Date.parse` would take this machine's. */
export function instantOf(text: string | null): number | null {
  const [, date, time, zone = 'Z'] = instantForm.exec(text ?? '') ?? [];
  if (date === undefined || time === undefined) return null;
  const hours = zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const at = Date.parse(`${date}T${time}${hours}`);
  return Number.isNaN(at) ? null : at;
}
