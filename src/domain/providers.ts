/**
 * Who can take mail: all that the rest of Tidings says about a provider without loading it. What it promises is its own to say
 * (`providers/provider.ts`); this is what people are told, and which settings belong to it.
 */
export interface KnownProvider {
  /** In a sentence, as its makers write it. */
  title: string;
  /** Behind "MAIL_PROVIDER is …,". */
  means: string;
  /** The setting without which it cannot be chosen; null for one that needs none. */
  credential: { name: string; example?: string } | null;
  /** Word of a mail's fate comes later: it tells by itself, or can be asked. */
  hearsLater: boolean;
  /** The webhook that somebody has to make there; null where it tells nothing by itself, or is told nothing. */
  webhook: { secretName: string; how: string } | null;
}

export const providers = {
  capture: {
    title: 'The built-in inbox',
    means: 'the built-in inbox; no mail leaves this machine',
    credential: null,
    hearsLater: true,
    webhook: null,
  },
  resend: {
    title: 'Resend',
    means: 'mail goes out through Resend',
    credential: { name: 'RESEND_API_KEY' },
    hearsLater: true,
    webhook: {
      secretName: 'RESEND_WEBHOOK_SECRET',
      how: 'Make a webhook there to PLATFORM_BASE_URL/api/v1/webhooks/resend for all email.* events, and set RESEND_WEBHOOK_SECRET.',
    },
  },
  postmark: {
    title: 'Postmark',
    means: 'mail goes out through Postmark',
    credential: { name: 'POSTMARK_SERVER_TOKEN' },
    hearsLater: true,
    webhook: {
      secretName: 'POSTMARK_WEBHOOK_PASSWORD',
      how: 'Set POSTMARK_WEBHOOK_PASSWORD, and make a webhook there for delivery, bounces, spam complaints and subscription changes to PLATFORM_BASE_URL/api/v1/webhooks/postmark, with tidings and that password for basic authentication.',
    },
  },
  smtp: {
    title: 'SMTP',
    means: 'mail goes out through the mail server of SMTP_URL',
    credential: { name: 'SMTP_URL', example: 'smtp://user:password@host:587' },
    // Nobody can ask a mail server what became of a mail, and it sends no word of its own.
    hearsLater: false,
    webhook: null,
  },
} as const satisfies Record<string, KnownProvider>;

export type ProviderName = keyof typeof providers;

export const providerNames = Object.keys(providers) as ProviderName[];

/** Undefined for an account of a provider that is not known, any more or yet. */
export const providerNamed = (name: string): KnownProvider | undefined =>
  Object.hasOwn(providers, name) ? providers[name as ProviderName] : undefined;

/** How somebody who has none gets a real one: "MAIL_PROVIDER=x with X_KEY, or …". */
export const realProviders: string = providerNames
  .flatMap((name) => {
    const { credential } = providers[name];
    return credential ? [`MAIL_PROVIDER=${name} with ${credential.name}`] : [];
  })
  .join(', or ');
