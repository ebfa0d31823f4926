import { verifyPassword } from './basic-auth.ts';
import type { Informant } from './informant.ts';
import { knownTypes as postmarkTypes, readPostmarkEvent } from './postmark-event.ts';
import { readResendEvent, knownTypes as resendTypes } from './resend-event.ts';
import { secretBytes, verify } from './signature.ts';

/** Those who tell us of mails. Each has a door of its own, `/api/v1/webhooks/<provider>`, for as long as its secret is set. */
export const informants: readonly Informant[] = [
  {
    provider: 'resend',
    scheme: 'svix',
    knownTypes: resendTypes,
    verify: ({ headers, body }, secrets, now) => {
      const { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': signature } = headers;
      return verify({ id, timestamp, signature, body }, secrets.map(secretBytes), now);
    },
    read: (text) => readResendEvent(text),
  },
  {
    provider: 'postmark',
    scheme: 'basic',
    knownTypes: postmarkTypes,
    verify: (request, passwords) => verifyPassword(request, passwords),
    read: readPostmarkEvent,
  },
  {
    // The built-in inbox speaks Resend's language, and is heard where it stands.
    provider: 'capture',
    scheme: 'in-process',
    knownTypes: resendTypes,
    verify: () => ({ ok: false, problem: 'wrong credentials' }),
    read: (text) => readResendEvent(text, 'capture'),
  },
];

export const informantNamed = (provider: string) => informants.find((one) => one.provider === provider);
