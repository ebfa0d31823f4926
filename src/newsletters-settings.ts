import { parseUrl } from './std/url.ts';
import { keys, oneOf, type Variable } from './variable.ts';

/** The settings of newsletters and alerts: where budgets and users are known, who may start a run, and where links lead. */
export interface NewslettersConfig {
  /** Empty for the local store. */
  readonly budgetApiUrl: string;
  readonly budgetDatasets: string;
  readonly clerkSecretKey: string;
  readonly clerkApiUrl: string;
  /** Empty where nobody comes with a session of Clerk's. */
  readonly clerkJwtKey: string;
  readonly triggerApiKeys: readonly string[];
  readonly newslettersLocale: 'ro' | 'en';
  /** With `{cui}` in it; empty for none. */
  readonly entityUrl: string;
  readonly preferencesUrl: string;
  readonly emailPreviewEnabled: boolean;
}

const urlOrEmpty = (text: string) =>
  text === '' || (parseUrl(text) && /^https?:\/\/[^\s#]+$/.test(text))
    ? { value: text.replace(/\/+$/, '') }
    : { mustBe: 'a URL that begins with https:// or http://' };

export const newslettersVariables = {
  budgetApiUrl: {
    name: 'BUDGET_API_URL',
    default: '',
    meaning:
      'The GraphQL API that knows the budgets for newsletters and alerts. Without it they are read from what `tidings budget import` has put into the database.',
    read: urlOrEmpty,
  } as Variable<string>,
  budgetDatasets: {
    name: 'BUDGET_DATASETS',
    default: './datasets',
    meaning:
      'Folder of the static datasets that alerts may watch, one YAML or JSON file each, named after its id.',
    read: (text) => ({ value: text }),
  } as Variable<string>,
  clerkSecretKey: {
    name: 'CLERK_SECRET_KEY',
    default: '',
    meaning:
      "Key of the Clerk account that knows the users' addresses. Without it they are read from the database, where `tidings users import` puts them.",
    isSecret: true,
    read: (text) =>
      text === '' || /^sk_[\x21-\x7e]{17,}$/.test(text)
        ? { value: text }
        : { mustBe: 'a secret key of Clerk, which begins with sk_' },
  } as Variable<string>,
  clerkApiUrl: {
    name: 'CLERK_API_URL',
    default: 'https://api.clerk.com',
    meaning: 'Where the Clerk API is.',
    read: urlOrEmpty,
  } as Variable<string>,
  clerkJwtKey: {
    name: 'CLERK_JWT_KEY',
    default: '',
    meaning:
      "Public key (PEM) that Clerk's session tokens are checked with, so that people manage their own notifications; line breaks may be written as `\\n`. Nothing is asked of Clerk for it.",
    read: (text) => {
      const value = text.replaceAll('\\n', '\n').trim();
      return value === '' ||
        /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+\n-----END PUBLIC KEY-----$/.test(value)
        ? { value }
        : { mustBe: 'a public key that begins with -----BEGIN PUBLIC KEY-----' };
    },
  } as Variable<string>,
  triggerApiKeys: {
    name: 'NOTIFICATION_TRIGGER_API_KEY',
    default: '',
    meaning:
      'Opens the trigger of newsletters and alerts, sent as `X-Notification-API-Key`; several are separated by commas. An operator key opens it, too.',
    isSecret: true,
    read: keys, // 002-P2-08
  } as Variable<readonly string[]>,
  newslettersLocale: {
    name: 'NEWSLETTERS_LOCALE',
    default: 'ro',
    meaning: 'Language of newsletters and alerts for who has chosen none: `ro` or `en`.',
    read: oneOf('ro', 'en'),
  } as Variable<'ro' | 'en'>,
  entityUrl: {
    name: 'ENTITY_URL',
    default: '',
    meaning:
      'Where an entity has its page, for the link in a newsletter: `https://transparenta.eu/entities/{cui}`. Without it there is no link.',
    read: (text) => {
      const read = urlOrEmpty(text.replaceAll('{cui}', 'cui'));
      if ('mustBe' in read || (text !== '' && !text.includes('{cui}')))
        return { mustBe: 'a URL that begins with https:// and holds {cui}' };
      return { value: text };
    },
  } as Variable<string>,
  preferencesUrl: {
    name: 'PREFERENCES_URL',
    default: '',
    meaning:
      'Where people manage what they have asked for, for the link in a newsletter. Without it there is none.',
    read: urlOrEmpty,
  } as Variable<string>,
  emailPreviewEnabled: {
    name: 'EMAIL_PREVIEW_ENABLED',
    default: 'false', // 002-P2-03
    meaning:
      'With `true`, templates can be looked at under `/api/v1/emails` with an operator key. Never where `TIDINGS_ENV` is `production`.',
    read: (text) =>
      text === 'true' || text === 'false' ? { value: text === 'true' } : { mustBe: 'true or false' },
  } as Variable<boolean>,
} satisfies { [Key in keyof NewslettersConfig]: Variable<NewslettersConfig[Key]> };
