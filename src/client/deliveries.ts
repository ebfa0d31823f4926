import type { Call, CallOptions } from './call.ts';
import type { Delivery, DeliveryStatus, DeliveryStory, FrozenMailWithHtml } from './delivery-shapes.ts';
import { each } from './each.ts';
import { pathOf } from './request.ts';

/** What became of mails, of every source. Needs a key that reads. */
export interface Deliveries {
  /** Newest first. */
  list(query?: DeliveryQuery, options?: CallOptions): Promise<DeliveryPage>;
  /** The same, page after page. */
  each(query?: DeliveryQuery, options?: CallOptions): AsyncIterable<Delivery>;
  /** By its number, its UUID, its key, or the provider's message id. */
  get(reference: string | number, options?: CallOptions): Promise<DeliveryStory>;
  /** The mail of one round as it was frozen, with its html. */
  mail(reference: string | number, round: number, options?: CallOptions): Promise<FrozenMailWithHtml>;
}

export interface DeliveryQuery {
  status?: readonly DeliveryStatus[] | undefined;
  source?: string | undefined;
  occasion?: string | undefined;
  occasionPrefix?: string | undefined;
  recipient?: string | undefined;
  recipientPrefix?: string | undefined;
  address?: string | undefined;
  addressPrefix?: string | undefined;
  errorCode?: string | undefined;
  below?: number | undefined;
  limit?: number | undefined;
}

export interface DeliveryPage {
  deliveries: Delivery[];
  next: { below: number } | null;
}

export function createDeliveries(call: Call): Deliveries {
  const get = <Answer>(path: string, options?: CallOptions) =>
    call<Answer>({ method: 'GET', path, isRepeatable: true }, options);
  const list: Deliveries['list'] = (query = {}, options) =>
    call({ method: 'GET', path: '/api/v1/deliveries', query: { ...query }, isRepeatable: true }, options);
  return {
    list,
    each: (query = {}, options) =>
      each(async (cursor: { below: number } | undefined) => {
        const { deliveries, next } = await list({ ...query, ...cursor }, options);
        return { items: deliveries, next };
      }),
    get: async (reference, options) => get(pathOf`/api/v1/deliveries/${reference}`, options),
    mail: async (reference, round, options) =>
      get(pathOf`/api/v1/deliveries/${reference}/mail/${round}`, options),
  };
}
