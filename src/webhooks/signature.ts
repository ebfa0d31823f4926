import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Verdict } from './informant.ts';
import { utf8 } from './utf8.ts';

/**
 * Did this come from the provider? Resend signs as Svix does: HMAC-SHA256 over id, time and the bytes as they came, checked
 * before anything of them is read. Formats are strict, so that what is understood here is exactly what was signed.
 */
export interface SignedRequest {
  id: string | undefined;
  timestamp: string | undefined;
  signature: string | undefined;
  body: Buffer;
}

const toleranceMs = 5 * 60_000;

/** Any of the secrets may have signed, and any of the signatures may be by one of ours: that is how they are replaced. */
export function verify(
  { id, timestamp, signature, body }: SignedRequest,
  secrets: readonly Buffer[],
  now: number,
): Verdict {
  if (!id || !timestamp || !signature) return { ok: false, problem: 'missing headers' };
  if (!idForm.test(id) || !timestampForm.test(timestamp)) return invalid;
  // Two headers, which Node has joined: which of them was meant is not guessed at.
  if (signature.includes(', ')) return invalid;
  if (Math.abs(now - Number(timestamp) * 1000) > toleranceMs) return invalid;
  const text = utf8(body);
  if (text === undefined) return invalid;
  const given = signature
    .split(' ')
    // As text, because four texts decode to the same bytes: a signature has one spelling.
    .flatMap((one) => (signatureForm.test(one) ? [Buffer.from(one.slice(3))] : []));
  const isOurs = secrets.some((secret) => {
    const mac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body);
    const expected = Buffer.from(mac.digest('base64'));
    return given.some((one) => timingSafeEqual(one, expected));
  });
  return isOurs ? { ok: true, id, text } : invalid;
}

const invalid = { ok: false, problem: 'invalid signature' } as const;

/** Whatever can be seen but a dot: it parts what is signed. */
const idForm = /^[\x21-\x2d\x2f-\x7e]{1,128}$/;
const timestampForm = /^\d{10}$/;
/** 32 bytes, no more and no less: others would be of another length. Other versions are passed over, as the scheme asks. */
const signatureForm = /^v1,[A-Za-z0-9+/]{43}=$/;

/** `whsec_…`, as Resend shows it; that it is one was checked with the other settings. */
export function secretBytes(text: string): Buffer {
  return Buffer.from(text.replace(/^whsec_/, ''), 'base64');
}
