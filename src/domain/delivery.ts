import { uuidV5 } from '../std/ids.ts';
import { Refusal } from '../std/refusal.ts';
import type { RefusalCode } from '../std/refusals.ts';

/**
 * What a delivery is: one occasion of one source, told to one recipient, once. The three together are its
 * identity for ever; everything else about it may change.
 */
export interface Identity {
  source: string;
  occasion: string;
  recipient: string;
}

/** Urgent never waits behind bulk, and bulk always keeps a share. */
export const lanes = ['urgent', 'normal', 'bulk'] as const;
export type Lane = (typeof lanes)[number];

/** What a source asks for. Asking again with the same identity is answered, never repeated. */
export interface Intent extends Identity {
  lane: Lane;
  /** The address, where the source knows it already; otherwise it is fetched at the first attempt. */
  toEmail?: string;
  locale?: string;
  templateName?: string;
  templateVersion?: string;
  /** What the template needs and only this intent knows. */
  variables?: Readonly<Record<string, unknown>>;
  dueAt?: number;
  expiresAt?: number;
  traceId?: string;
  /** Spec 000: the open event's key, carried for tracing. It is not the provider's key. */
  dedupeKey?: string;
}

/**
 * When a delivery is due that is held back, until somebody composes it or lets it go: never, as people count. All that waits is
 * moved when a clock is set back, so it is known by its age and not by the instant.
 */
export const heldAt = Date.UTC(9999, 0, 1);
export const heldFrom = Date.UTC(9000, 0, 1);
export const isHeldBack = (dueAt: number | null | undefined) => (dueAt ?? 0) >= heldFrom;

const limits = { source: 40, occasion: 300, recipient: 320 } as const;

/**
 * The delivery's UUID, which is also its provider key: derived, so that a crash between two writes or a restore
 * from a back-up finds the same one again; under this instance's own namespace, so that staging and production
 * never use each other's keys.
 */
export function deliveryId(namespace: string, { source, occasion, recipient }: Identity): string {
  return uuidV5(namespace, JSON.stringify([source, occasion, recipient]));
}

/** For people: logs, lists and the specs' `delivery_key`. The parts themselves are what is unique. */
export function deliveryKey({ source, occasion, recipient }: Identity): string {
  return `${source}:${occasion}:${recipient}`;
}

/** Keys end up in logs, addresses of pages and mail tags: short, one line, and nothing that cannot be seen. */
export function requireIntent(intent: Intent): void {
  for (const part of ['source', 'occasion', 'recipient'] as const) {
    requireLine('invalid_identity', part, intent[part], limits[part]);
  }
  for (const part of ['locale', 'templateName', 'templateVersion', 'traceId', 'dedupeKey'] as const) {
    if (intent[part] !== undefined) requireLine('invalid_intent', part, intent[part], lineLengthMax);
  }
  for (const part of ['dueAt', 'expiresAt'] as const) {
    const at = intent[part];
    if (at !== undefined && !Number.isSafeInteger(at)) {
      throw new Refusal('invalid_intent', `The ${part} must be a time in whole milliseconds since 1970.`, {
        part,
      });
    }
  }
  if (!lanes.includes(intent.lane)) {
    throw new Refusal('invalid_lane', `The lane must be one of ${lanes.join(', ')}.`);
  }
}

const lineLengthMax = 200;
/** Nearly all are, and it is seen at a third of the cost of the rest. */
const isPlain = /^[ -~]+$/;

function requireLine(code: RefusalCode, part: string, text: unknown, lengthMax: number): void {
  if (typeof text !== 'string' || text.length === 0 || text.length > lengthMax) {
    throw new Refusal(code, `The ${part} must be a text of 1 to ${lengthMax} characters.`, { part });
  }
  if (isPlain.test(text)) return;
  if (!text.isWellFormed() || /\p{Cc}/u.test(text)) {
    throw new Refusal(code, `The ${part} contains control characters; leave them out.`, { part });
  }
}
