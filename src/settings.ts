import { dialectOf } from './db/dialect.ts';
import { parseSender, type Sender } from './domain/message.ts';
import { type JobsConfig, jobsVariables } from './jobs-settings.ts';
import { type NewslettersConfig, newslettersVariables } from './newsletters-settings.ts';
import { type ProviderConfig, providerVariables } from './provider-settings.ts';
import { type QuotaConfig, quotaVariables } from './quota-settings.ts';
import { type SeatsConfig, seatsVariables } from './seats-settings.ts';
import { type LogLevel, logLevels } from './std/log.ts';
import { parseUrl } from './std/url.ts';
import { type TracingConfig, tracingVariables } from './tracing-settings.ts';
import { keys, oneOf, type Variable } from './variable.ts';

/** Every setting: its name, what it is for, what it is by default and what it may be. `docs/configuration.md` is made from this. */
export interface Config
  extends ProviderConfig,
    QuotaConfig,
    SeatsConfig,
    NewslettersConfig,
    JobsConfig,
    TracingConfig {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly role: 'api' | 'worker' | 'both';
  readonly from: Sender;
  /** Without a slash at its end; empty where it is not set. */
  readonly platformBaseUrl: string;
  /** The first signs, all are accepted; none where it is not set. */
  readonly tokenSecrets: readonly string[];
  readonly unsubscribeOnGet: boolean;
  readonly retentionMs: number;
  readonly doubtAfterMs: number;
  readonly healAfterMs: number;
  /** Each may hold several; none at all opens the API to this machine. */
  readonly operatorApiKeys: readonly string[];
  readonly readApiKeys: readonly string[];
  readonly serviceApiKeys: readonly string[];
  /** For commands that ask a server; empty where it is not set. */
  readonly apiKey: string;
  readonly environment: string;
  readonly logLevel: LogLevel;
}

export const variables = {
  host: {
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'Address that the server listens on.',
    read: (text) =>
      /^[A-Za-z0-9.:_-]+$/.test(text) ? { value: text } : { mustBe: 'a host name or an IP address' },
  } as Variable<string>,
  port: {
    name: 'PORT',
    default: '3000',
    meaning: 'Port that the server listens on; 0 takes a free one.',
    read: (text) =>
      /^\d{1,5}$/.test(text) && Number(text) <= 65_535
        ? { value: Number(text) }
        : { mustBe: 'a number from 0 to 65535' },
  } as Variable<number>,
  databaseUrl: {
    name: 'DATABASE_URL',
    default: 'sqlite:./data/tidings.db',
    meaning:
      'Where everything is kept: `sqlite:<path>`, from the folder in which the command runs, or `postgres://…`.',
    read: (text) => {
      try {
        dialectOf(text);
        return { value: text };
      } catch {
        return {
          mustBe:
            'sqlite:./path/to/file.db or postgres://user:password@host:5432/name, with special characters of the password percent-encoded',
        };
      }
    },
  } as Variable<string>,
  role: {
    name: 'PROCESS_ROLE',
    default: 'both',
    meaning: 'What this process does: `api` answers requests, `worker` sends, `both` does both.',
    read: oneOf('api', 'worker', 'both'),
  } as Variable<Config['role']>,
  ...providerVariables,
  ...quotaVariables,
  from: {
    name: 'EMAIL_FROM_ADDRESS',
    default: 'noreply@transparenta.eu', // spec 002's default (002-P2-02)
    meaning:
      'Sender of every mail: an address, or `Name <address>`. Every provider but `capture` needs it set: the default is not yours.',
    read: (text) => {
      const parsed = parseSender(text);
      return parsed.ok
        ? { value: parsed.sender }
        : { mustBe: `an address or Name <address>. ${parsed.sentence.replace(/\.$/, '')}` };
    },
  } as Variable<Sender>,
  platformBaseUrl: {
    name: 'PLATFORM_BASE_URL',
    default: '',
    meaning:
      'Where people reach this server, for the links in mails: `https://mail.example.org`. Every provider but `capture` needs it; without it links lead to this machine.',
    read: (text) => {
      if (text === '') return { value: '' };
      if (!parseUrl(text) || !/^https?:\/\/[^/\s?#@\\][^\s?#@\\]*$/.test(text)) {
        return { mustBe: 'a URL that begins with https://, without spaces, ? and #' };
      }
      // As a browser would write it: it stands in links, which are checked.
      return { value: new URL(text).href.replace(/\/+$/, '') };
    },
  } as Variable<string>,
  tokenSecrets: {
    name: 'TOKEN_SECRET',
    default: '',
    meaning:
      'Signs the links in mails, so that nobody can make one up; every provider but `capture` needs it. To replace it put the new one first and keep the old one behind a comma for as long as old mails are about.',
    isSecret: true,
    read: keys,
  } as Variable<readonly string[]>,
  unsubscribeOnGet: {
    name: 'UNSUBSCRIBE_ON_GET',
    default: 'false',
    meaning:
      'With `true`, following the link in a mail unsubscribes at once. Programs that check links follow them, too, and would unsubscribe people who never asked.',
    read: (text) =>
      text === 'true' || text === 'false' ? { value: text === 'true' } : { mustBe: 'true or false' },
  } as Variable<boolean>,
  retentionMs: {
    name: 'MAIL_RETENTION_DAYS',
    default: '90', // Longer than anybody asks "what did that mail say", shorter than a year's worth of addresses.
    meaning:
      'How long the content and the address of a mail are kept after the last that was heard of it, and with it what a review found; from `7` to `36500`. What was told to whom, and what became of it, is kept for ever.',
    read: (text) => {
      const days = Number(text);
      return days >= 7 && days <= 36_500
        ? { value: days * 86_400_000 }
        : { mustBe: 'a number of days from 7 to 36500: a mail may bounce and be sent again for days' };
    },
  } as Variable<number>,
  doubtAfterMs: {
    name: 'DOUBT_AFTER_MINUTES',
    default: '60', // Long enough for whoever imports rows to add what proves them.
    meaning:
      'How long a delivery may say that it was sent with nothing to prove it, as only imported ones do, before the provider is asked and an alert is logged.',
    read: (text) => {
      const minutes = Number(text);
      return minutes >= 1 && minutes <= 525_600
        ? { value: Math.round(minutes * 60_000) }
        : { mustBe: 'a number of minutes from 1 to 525600' };
    },
  } as Variable<number>,
  healAfterMs: {
    name: 'HEAL_AFTER_HOURS',
    default: '6', // Webhooks that fail are told again after 2 and 5 hours: most that come at all have come by then.
    meaning:
      'How long after a mail was accepted the provider is asked what became of it, if no webhook has said so; from `0.05` to `72`, and `0.5` is half an hour. A mail server cannot be asked, and Resend only with a key that has full access.',
    read: (text) => {
      const hours = Number(text);
      return hours >= 0.05 && hours <= 72
        ? { value: Math.round(hours * 3_600_000) }
        : { mustBe: 'a number of hours from 0.05 to 72' };
    },
  } as Variable<number>,
  operatorApiKeys: {
    name: 'OPERATOR_API_KEY',
    default: '',
    meaning:
      'Opens the whole API; several keys are separated by commas, as in the next two. Without any key only this machine is answered, and `HOST` must be a loopback address.',
    isSecret: true,
    read: keys,
  } as Variable<readonly string[]>,
  readApiKeys: {
    name: 'READ_API_KEY',
    default: '',
    meaning: 'Opens what only reads, `/metrics` included.',
    isSecret: true,
    read: keys,
  } as Variable<readonly string[]>,
  serviceApiKeys: {
    name: 'SERVICE_API_KEY',
    default: '',
    meaning:
      'For the services that ask for mail: opens the making of intents and of review jobs; of course seats to search and to subscribe; newsletters and alerts of the user that `X-User-Id` names.',
    isSecret: true,
    read: keys,
  } as Variable<readonly string[]>,
  apiKey: {
    name: 'TIDINGS_API_KEY',
    default: '',
    meaning: 'Key that commands with `--server` show to that server: one of those it was given.',
    isSecret: true,
    read: (text) => (/^[\x21-\x7e]*$/.test(text) ? { value: text } : { mustBe: 'one key, without spaces' }),
  } as Variable<string>,
  ...seatsVariables,
  ...newslettersVariables,
  ...jobsVariables,
  environment: {
    name: 'TIDINGS_ENV',
    default: 'development',
    meaning: 'Name of this deployment; a tag on every mail.',
    read: (text) =>
      /^[A-Za-z0-9_-]{1,64}$/.test(text) ? { value: text } : { mustBe: 'letters, digits, _ and - only' },
  } as Variable<string>,
  logLevel: {
    name: 'LOG_LEVEL',
    default: 'info',
    meaning:
      'How much is logged to standard error: a JSON object a line, or words on a screen. Commands other than `serve` leave `info` out: they say what they have done; so does `serve` on a screen, unless this is set or `TIDINGS_ENV` is `production`.',
    read: oneOf(...logLevels),
  } as Variable<LogLevel>,
  ...tracingVariables,
} satisfies { [Key in keyof Config]: Variable<Config[Key]> };
