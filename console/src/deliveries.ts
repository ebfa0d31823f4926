import type { Delivery as AnsweredDelivery } from '../../src/client/delivery-shapes.ts';
import { meanings } from '../../src/domain/meanings.ts';
import { statuses } from '../../src/domain/status.ts';

/** What a list shows of a delivery, as the API answers it. */
export interface Delivery
  extends Pick<
    AnsweredDelivery,
    | ('seq' | 'id' | 'source' | 'occasion' | 'recipient' | 'to' | 'lane')
    | ('status' | 'round' | 'attempts' | 'dueAt')
  > {
  lastError: { code?: string; message?: string } | null;
  createdAt: string;
}

/** Which of the words says why no mail is shown: it is still to be written, never was, or is not kept any more. */
export function whyNoMail({ status, round }: Pick<Delivery, 'status' | 'round'>) {
  if (!statuses[status].isFinal) return 'noMail';
  return round === 0 && meanings[status] !== 'good' ? 'mailNeverWritten' : 'mailNotKept';
}

export interface DeliveryPage {
  deliveries: Delivery[];
  next: { below: number } | null;
}

/**
 * What somebody typed: a UUID, a provider's id in angles, a key of a source that is here, an address, or the beginning of an occasion (a change
 * list, a period). A number may be a delivery's, or that of a section: both are shown beside what begins with it.
 */
export function searchOf(
  text: string,
  sources: readonly string[],
): { reference: string } | { filter: Record<string, string>; number?: string; section?: string } | null {
  const words = text.trim();
  if (words === '') return null;
  const isKey = sources.some((source) => words.startsWith(`${source}:`)) && words.split(':').length > 2;
  if (isKey || /^[0-9a-f-]{36}$/i.test(words) || /^<.+>$/.test(words)) return { reference: words };
  if (/^\d{1,15}$/.test(words))
    return {
      filter: { occasionPrefix: words },
      number: words,
      ...(words.length === 5 && { section: words }),
    };
  if (/^\d{2}:\d{3}(:\w*)*$/.test(words)) return { filter: { occasionPrefix: words }, section: words };
  if (words.includes('@'))
    return { filter: /@[^@]+\.[^@]+$/.test(words) ? { address: words } : { addressPrefix: words } };
  return { filter: { occasionPrefix: words } };
}
