import type { Call, CallOptions } from './call.ts';
import type { DeliveryStatus, Lane } from './delivery-shapes.ts';

/** Mails whose words you bring yourself. Occasion and recipient are the identity: to ask again makes no second mail. */
export interface Intents {
  send(intent: Intent, options?: CallOptions): Promise<TakenIntent>;
  /** Up to 500: all are taken, or none. Answers come in their order. */
  sendAll(intents: readonly Intent[], options?: CallOptions): Promise<TakenIntent[]>;
}

export interface Intent {
  /** What they are told of: `order-4711-shipped`, not a random one. */
  occasion: string;
  /** The address. */
  to: string;
  /** Who is told; the address in lower case if left out. */
  recipient?: string | undefined;
  lane?: Lane | undefined;
  template?: string | undefined;
  locale?: string | undefined;
  /** For the template; `plain` needs `subject` and `text`. */
  variables: Readonly<Record<string, unknown>>;
  /** A time with its zone: not before this. */
  dueAt?: string | undefined;
  /** A time with its zone: after this it is of no use, and is not sent. */
  expiresAt?: string | undefined;
  /** Carried for tracing; it decides nothing. */
  dedupeKey?: string | undefined;
}

export interface TakenIntent {
  id: string;
  seq: number;
  /** Whether this request made it. After a retry it may be false although this call did. */
  isNew: boolean;
  status: DeliveryStatus;
  /** `source:occasion:recipient` */
  key: string;
}

export function createIntents(call: Call): Intents {
  const post = async (body: unknown, options?: CallOptions) => {
    const order = { method: 'POST', path: '/api/v1/intents', body, isRepeatable: true } as const;
    return (await call<{ deliveries: TakenIntent[] }>(order, options)).deliveries;
  };
  return {
    async send(intent, options) {
      const [taken] = await post(intent, options);
      return taken as TakenIntent;
    },
    sendAll: async (intents, options) => (intents.length === 0 ? [] : post({ intents }, options)),
  };
}
