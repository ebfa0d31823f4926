import { type ProviderName, providerNames, providers } from './domain/providers.ts';
import { parseUrl } from './std/url.ts';
import { listOf, oneOf, type Variable } from './variable.ts';

/** The settings of who takes the mail. A provider's own begin with its name. */
export interface ProviderConfig {
  readonly provider: ProviderName;
  readonly inboxDelayMs: number;
  /** Empty where it is not set, as the next ones. */
  readonly resendApiKey: string;
  readonly resendBaseUrl: string;
  readonly resendMaxRps: number;
  readonly resendConnections: number;
  readonly resendWebhookSecrets: readonly string[];
  readonly postmarkServerToken: string;
  readonly postmarkMessageStream: string;
  readonly postmarkBaseUrl: string;
  readonly postmarkWebhookPasswords: readonly string[];
  readonly smtpUrl: string;
}

const baseUrl = (text: string) =>
  parseUrl(text) && /^https?:/.test(text)
    ? { value: text }
    : { mustBe: 'a URL that begins with https:// or http://' };

export const providerVariables = {
  provider: {
    name: 'MAIL_PROVIDER',
    default: 'capture',
    meaning: `Who takes the mail: \`capture\` is the built-in inbox (nothing leaves this machine), or ${listed(providerNames.filter((name) => name !== 'capture'))}.`,
    read: oneOf(...providerNames),
  } as Variable<ProviderName>,
  inboxDelayMs: {
    name: 'INBOX_DELAY_MS',
    default: '0',
    meaning:
      'How long the built-in inbox takes to answer, in milliseconds: a real provider takes some hundred, and only then is there a moment at which a mail is on the wire.',
    read: (text) =>
      /^\d{1,4}$/.test(text) && Number(text) <= 5_000
        ? { value: Number(text) }
        : { mustBe: 'a whole number of milliseconds from 0 to 5000' },
  } as Variable<number>,
  resendApiKey: {
    name: 'RESEND_API_KEY',
    default: '',
    meaning:
      'Key of the Resend account. With full access, mails whose outcome is unknown can be looked up there.',
    isSecret: true,
    // 002-P2-01
    read: (text) =>
      text === '' || text.length >= 20 ? { value: text } : { mustBe: 'at least 20 characters long' },
  } as Variable<string>,
  resendBaseUrl: {
    name: 'RESEND_BASE_URL',
    default: 'https://api.resend.com',
    meaning: 'Where the Resend API is.',
    read: baseUrl,
  } as Variable<string>,
  resendMaxRps: {
    name: 'RESEND_MAX_RPS',
    default: '2', // 002-P2-07; what the account's own answers allow may lower it.
    meaning:
      'Mails a second that the Resend account takes, over all processes; what its answers allow may lower it.',
    read: (text) => {
      const value = Number(text);
      return value > 0 && value <= 10_000 ? { value } : { mustBe: 'a number above 0, at most 10000' };
    },
  } as Variable<number>,
  resendConnections: {
    name: 'RESEND_CONNECTIONS',
    default: '64', // At half a second an answer that is 128 a second; only as many are opened as are needed.
    meaning:
      'Mails on their way to Resend at once, of each process. Few accounts need more: 64 are 128 mails a second, where an answer takes half a second.',
    read: (text) => {
      const value = Number(text);
      return Number.isInteger(value) && value >= 1 && value <= 1_024
        ? { value }
        : { mustBe: 'a whole number from 1 to 1024' };
    },
  } as Variable<number>,
  resendWebhookSecrets: {
    name: 'RESEND_WEBHOOK_SECRET',
    default: '',
    meaning:
      'Signing secret of the Resend webhook to `/api/v1/webhooks/resend`, as Resend shows it: `whsec_…`. Two, separated by a comma, while it is being replaced.',
    isSecret: true,
    // 002-P2-04: with its beginning it has at least 32 characters.
    read: listOf(
      /^whsec_(?=.{26})[A-Za-z0-9+/]+={0,2}$/,
      'whsec_ and at least 26 characters, as Resend shows it',
    ),
  } as Variable<readonly string[]>,
  postmarkServerToken: {
    name: 'POSTMARK_SERVER_TOKEN',
    default: '',
    meaning: 'Token of the Postmark server, from its page “API Tokens”; not that of the account.',
    isSecret: true,
    read: (text) =>
      /^([\x21-\x7e]{10,200})?$/.test(text) ? { value: text } : { mustBe: 'one token, without spaces' },
  } as Variable<string>,
  postmarkMessageStream: {
    name: 'POSTMARK_MESSAGE_STREAM',
    default: 'outbound', // Every server has this one.
    meaning:
      'Message stream of that server by which mails go out. One for broadcasts must leave unsubscribing to us: Postmark would put a link of its own into every mail.',
    read: (text) =>
      /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(text)
        ? { value: text }
        : { mustBe: 'the id of a message stream: letters, digits, - and _' },
  } as Variable<string>,
  postmarkBaseUrl: {
    name: 'POSTMARK_BASE_URL',
    default: 'https://api.postmarkapp.com',
    meaning: 'Where the Postmark API is.',
    read: baseUrl,
  } as Variable<string>,
  postmarkWebhookPasswords: {
    name: 'POSTMARK_WEBHOOK_PASSWORD',
    default: '',
    meaning:
      'Password of the Postmark webhook to `/api/v1/webhooks/postmark`, for basic authentication there: Postmark signs nothing, so that whoever has it can tell us anything (`openssl rand -hex 32`). Two, separated by a comma, while it is being replaced.',
    isSecret: true,
    // It stands in a URL, where other signs would have to be written otherwise.
    read: listOf(/^[A-Za-z0-9._~-]{32,200}$/, 'at least 32 of A-Z a-z 0-9 . _ ~ -'),
  } as Variable<readonly string[]>,
  smtpUrl: {
    name: 'SMTP_URL',
    default: '',
    meaning:
      'The mail server: `smtp://user:password@host:587`, or `smtps://…` for TLS from the first byte; special characters of user and password are percent-encoded.',
    isSecret: true,
    read: (text) =>
      text === '' || (parseUrl(text) && /^smtps?:/.test(text))
        ? { value: text }
        : {
            mustBe:
              'smtp://user:password@host:port or smtps://…, with special characters of user and password percent-encoded',
          },
  } as Variable<string>,
} satisfies { [Key in keyof ProviderConfig]: Variable<ProviderConfig[Key]> };

/** What each provider's webhooks are verified with, under the provider's name. */
export function webhookSecretsOf(config: ProviderConfig) {
  return { resend: config.resendWebhookSecrets, postmark: config.postmarkWebhookPasswords } as const;
}

/** The setting that the chosen provider needs and that is missing, in a sentence. */
export function missingCredential(config: Partial<ProviderConfig>): string[] {
  const { provider = 'capture' } = config;
  const { credential }: { credential: { name: string; example?: string } | null } = providers[provider];
  if (!credential) return [];
  const key = Object.entries(providerVariables).find(([, { name }]) => name === credential.name)?.[0];
  if (config[key as keyof ProviderConfig] !== '') return [];
  const example = credential.example === undefined ? '' : `, such as ${credential.example}`;
  return [
    `MAIL_PROVIDER=${provider} needs ${credential.name}${example}. Set it, or leave MAIL_PROVIDER at capture.`,
  ];
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
