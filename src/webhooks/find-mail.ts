import type { ProviderEvent } from './provider-event.ts';
import type { KnownDelivery, WebhookPage } from './webhook-log.ts';

/** The mail that an event is about. */
export interface FoundMail {
  delivery: KnownDelivery;
  round: number;
  /**
   * Its message id is another mail's, or an earlier mail is known under another one. Of the latest mail the outbox knows that
   * itself, and tells it in the story.
   */
  isContradicted: boolean;
}

/**
 * By our own tags, else by the provider's id of the latest or an earlier round's mail. Undefined while nobody can say: there
 * is no such delivery yet, or one with several rounds, of which the event names none.
 */
export async function findMail(
  { deliveryId, messageId, round: tagged }: ProviderEvent,
  page: Pick<WebhookPage, 'deliveryById' | 'deliveryByMessageId'>,
): Promise<FoundMail | undefined> {
  const own = deliveryId === null ? undefined : await page.deliveryById(deliveryId);
  const isKnown = messageId !== null && own !== undefined && roundOf(own, messageId) !== undefined;
  const named = messageId === null || isKnown ? own : await page.deliveryByMessageId(messageId);
  const delivery = own ?? named;
  if (!delivery) return undefined;
  const byName = messageId === null ? undefined : roundOf(delivery, messageId);
  const round = tagged ?? byName ?? (delivery.round <= 1 ? 1 : undefined);
  if (round === undefined) return undefined;
  const isOfAnotherDelivery = named !== undefined && named.seq !== delivery.seq;
  const isOfAnotherRound = byName !== undefined && byName !== round;
  const knownAs = round === delivery.round ? undefined : delivery.messageIds.get(round);
  const isOtherwiseKnown = messageId !== null && knownAs !== undefined && knownAs !== messageId;
  return { delivery, round, isContradicted: isOfAnotherDelivery || isOfAnotherRound || isOtherwiseKnown };
}

function roundOf({ messageIds }: KnownDelivery, messageId: string): number | undefined {
  return [...messageIds].find(([, id]) => id === messageId)?.[0];
}
