import { Resend } from 'resend';
import type { Provider } from '../../src/providers/provider.ts';
import { createResend } from '../../src/providers/resend.ts';
import { systemClock } from '../../src/std/clock.ts';
import { systemIds } from '../../src/std/ids.ts';
import { mailTo } from '../support/mails.ts';
import { fullKey, otherKey } from './two-resends.ts';

/** What a Resend is asked, by its official client, by ours, or in plain HTTP where a client would not let us. */
export interface Question {
  ask(of: Clients): Promise<unknown>;
  /** Of both; where they disagree it stands in `differences.ts` instead. */
  answer?: unknown;
}

export interface Clients {
  official(apiKey?: string): Resend;
  ours(apiKey?: string): Provider;
  plain(method: string, path: string, more?: PlainRequest): Promise<PlainAnswer>;
  close(): Promise<void>;
}

interface PlainRequest {
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}
interface PlainAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

export function clientsOf(url: string): Clients {
  const providers: Provider[] = [];
  return {
    official: (apiKey = fullKey) => new Resend(apiKey, { baseUrl: url }),
    ours(apiKey = fullKey) {
      const parts = { apiKey, baseUrl: url, clock: systemClock, ratePerSecond: 4000 };
      const provider = createResend(parts);
      providers.push(provider);
      return provider;
    },
    async plain(method, path, { body, headers = { authorization: `Bearer ${fullKey}` } } = {}) {
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
      const response = await fetch(`${url}${path}`, {
        ...{ method, headers: { 'content-type': 'application/json', ...headers } },
        ...(text !== undefined && { body: text }),
      });
      const answer = (await response.json()) as Record<string, unknown>;
      return { status: response.status, headers: response.headers, body: answer };
    },
    async close() {
      for (const provider of providers) await provider.close?.();
    },
  };
}

const letter = {
  from: 'Tidings <noreply@example.org>',
  to: ['ana@example.org'],
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  replyTo: 'office@example.org',
  headers: { 'List-Unsubscribe': '<https://example.org/u/1>' },
  tags: [{ name: 'delivery_id', value: 'd-1' }],
};

const idForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const newKey = () => systemIds.uuid();
const namesIn = (value: unknown) => Object.keys(value ?? {}).sort();

/** A mail with something wrong in it: the name and status that refuse it, or the word accepted. */
const sentWith =
  (wrong: object) =>
  async ({ official }: Clients) => {
    const { data, error } = await official().emails.send({ ...letter, ...wrong });
    return error ? `${error.statusCode} ${error.name}` : data && 'accepted';
  };

const saidTo = async (answer: Promise<PlainAnswer>) => {
  const { status, body } = await answer;
  return `${status} ${body.name ?? (body.id ? 'accepted' : 'without a name')}`;
};

async function retrieved({ official, plain }: Clients): Promise<Record<string, unknown>> {
  const { data } = await official().emails.send(letter);
  return (await plain('GET', `/emails/${data?.id}`)).body;
}

const parcel = (key: string, more: Parameters<typeof mailTo>[1] = {}) => ({
  ...{ key, mail: mailTo(1, more), startBefore: Infinity, leaseEndsAt: Infinity },
});

export const questions = {
  'a mail is accepted with an id': {
    async ask({ official }) {
      const { data, error } = await official().emails.send(letter);
      return { hasId: idForm.test(data?.id ?? ''), error };
    },
    answer: { hasId: true, error: null },
  },
  'the same key and body again is the same mail': {
    async ask({ official }) {
      const options = { idempotencyKey: newKey() };
      const [first, second] = [
        await official().emails.send(letter, options),
        await official().emails.send(letter, options),
      ];
      const listed = await official().emails.list({ limit: 100 });
      const known = listed.data?.data.filter(({ id }) => id === first.data?.id) ?? [];
      return { isSame: first.data?.id === second.data?.id, listed: known.length };
    },
    answer: { isSame: true, listed: 1 },
  },
  'the same key with another body': {
    async ask({ official }) {
      const options = { idempotencyKey: newKey() };
      await official().emails.send(letter, options);
      const { error } = await official().emails.send({ ...letter, subject: 'Other' }, options);
      return `${error?.statusCode} ${error?.name}`;
    },
    answer: '409 invalid_idempotent_request',
  },
  'the same key with the fields of the body in another order': {
    async ask({ plain }) {
      const headers = { authorization: `Bearer ${fullKey}`, 'idempotency-key': newKey() };
      const { from, to, subject, text } = letter;
      await plain('POST', '/emails', { headers, body: { from, to, subject, text } });
      return saidTo(plain('POST', '/emails', { headers, body: { text, subject, to, from } }));
    },
  },
  'the same key in another account is another mail': {
    async ask({ official }) {
      const options = { idempotencyKey: newKey() };
      const one = await official().emails.send(letter, options);
      const other = await official(otherKey).emails.send(letter, options);
      return one.data?.id !== other.data?.id;
    },
  },
  'without a key every submission is a mail': {
    async ask({ official }) {
      const [one, other] = [await official().emails.send(letter), await official().emails.send(letter)];
      return one.data?.id !== other.data?.id;
    },
    answer: true,
  },
  'a key of 256 characters': {
    ask: ({ official }) =>
      official()
        .emails.send(letter, { idempotencyKey: newKey().padEnd(256, 'x') })
        .then(({ error }) => error),
    answer: null,
  },
  'a key of 257 characters': {
    async ask({ official }) {
      const { error } = await official().emails.send(letter, { idempotencyKey: 'x'.repeat(257) });
      return `${error?.statusCode} ${error?.name}`;
    },
    answer: '400 invalid_idempotency_key',
  },
  'an empty key': {
    ask: ({ plain }) =>
      saidTo(
        plain('POST', '/emails', {
          ...{ body: letter, headers: { authorization: `Bearer ${fullKey}`, 'idempotency-key': '' } },
        }),
      ),
    answer: '400 invalid_idempotency_key',
  },
  'what an error is made of': {
    async ask({ plain }) {
      const { body, status } = await plain('POST', '/emails', { body: { ...letter, to: undefined } });
      return { names: namesIn(body), isSameStatus: body.statusCode === status, message: typeof body.message };
    },
    answer: { names: ['message', 'name', 'statusCode'], isSameStatus: true, message: 'string' },
  },
  'no sender': { ask: sentWith({ from: '' }) },
  'no recipient': { ask: sentWith({ to: undefined }) },
  'no subject': { ask: sentWith({ subject: '' }) },
  'neither html nor text': { ask: sentWith({ html: undefined, text: undefined }) },
  'a recipient that is no address': { ask: sentWith({ to: ['nobody'] }) },
  'a line break in a header': { ask: sentWith({ headers: { 'X-A': 'b\r\nBcc: eve@example.org' } }) },
  'a tag with a space': { ask: sentWith({ tags: [{ name: 'a', value: 'b c' }] }) },
  '76 tags': {
    ask: sentWith({ tags: Array.from({ length: 76 }, (_, at) => ({ name: `t${at}`, value: 'v' })) }),
  },
  '75 tags': {
    ask: sentWith({ tags: Array.from({ length: 75 }, (_, at) => ({ name: `t${at}`, value: 'v' })) }),
    answer: 'accepted',
  },
  'a body that is no JSON': { ask: ({ plain }) => saidTo(plain('POST', '/emails', { body: '{"from":' })) },
  'no API key': { ask: ({ plain }) => saidTo(plain('POST', '/emails', { body: letter, headers: {} })) },
  'an API key of nobody': {
    async ask({ official }) {
      const { data, error } = await official('re_nobody').emails.send(letter);
      return error ? `${error.statusCode} ${error.name}` : data && 'accepted';
    },
  },

  'a mail that is asked for': {
    async ask(of) {
      const { object, from, to, subject, html, text, reply_to, tags, scheduled_at } = await retrieved(of);
      return { object, from, to, subject, html, text, reply_to, tags, scheduled_at };
    },
    answer: {
      object: 'email',
      ...{ from: letter.from, to: letter.to, subject: letter.subject, html: letter.html, text: letter.text },
      ...{ reply_to: [letter.replyTo], tags: letter.tags, scheduled_at: null },
    },
  },
  'what else is told of a mail': {
    async ask(of) {
      const { bcc, cc, headers, status, last_event } = await retrieved(of);
      return { bcc, cc, headers, status, last_event };
    },
  },
  'how the time of a mail is written': {
    async ask(of) {
      const { created_at: at } = await retrieved(of);
      return String(at).replaceAll(/\d/g, '9');
    },
  },
  'a mail that nobody sent': {
    ask: ({ plain }) => saidTo(plain('GET', `/emails/${newKey()}`)),
    answer: '404 not_found',
  },
  'the list of mails': {
    async ask({ official, plain }) {
      const older = await official().emails.send(letter);
      const newer = await official().emails.send(letter);
      const { body } = await plain('GET', '/emails?limit=2');
      const mails = body.data as Record<string, unknown>[];
      const ids = [newer.data?.id, older.data?.id];
      return {
        ...{ object: body.object, has_more: body.has_more, isOfTwo: mails.length === 2 },
        isNewestFirst: mails[0]?.id === ids[0] && mails[1]?.id === ids[1],
        hasBodies: 'html' in (mails[0] ?? {}),
      };
    },
  },
  'the log of requests': { ask: async ({ plain }) => (await plain('GET', '/logs?limit=1')).status },
  'a path that is nowhere': { ask: ({ plain }) => saidTo(plain('GET', '/nowhere')) },
  'a batch': {
    ask: async ({ plain }) => (await plain('POST', '/emails/batch', { body: [letter] })).status,
  },
  'in which headers the rate is told': {
    async ask({ plain }) {
      const { headers } = await plain('GET', '/domains');
      return [...headers.keys()].filter((name) => name.includes('ratelimit')).sort();
    },
  },

  'our client: a mail is accepted, and its key is known again': {
    async ask({ ours }) {
      const [key, provider] = [newKey(), ours()];
      const [first, second] = [await provider.send(parcel(key)), await provider.send(parcel(key))];
      const ids = [first, second].map((sent) => sent.kind === 'accepted' && sent.messageId);
      return { kinds: [first.kind, second.kind], isSame: ids[0] === ids[1] };
    },
    answer: { kinds: ['accepted', 'accepted'], isSame: true },
  },
  'our client: the same key with another mail is a conflict, never a refusal': {
    async ask({ ours }) {
      const [key, provider] = [newKey(), ours()];
      await provider.send(parcel(key));
      return (await provider.send(parcel(key, { subject: 'Other' }))).kind;
    },
    answer: 'key_conflict',
  },
  'our client: headers, tags and both bodies arrive as they were frozen': {
    async ask({ ours, plain }) {
      const more = { subject: 'Știri „azi” 😀', html: '<p>ș & "</p>', text: 'ș\n.\nFrom x' };
      const sent = await ours().send(parcel(newKey(), more));
      const { body } = await plain('GET', `/emails/${sent.kind === 'accepted' && sent.messageId}`);
      const { from, to, subject, html, text, tags } = body;
      return { from, to, subject, html, text, tags };
    },
    answer: {
      ...{ from: 'Tidings <noreply@example.org>', to: ['person-1@example.org'] },
      ...{ subject: 'Știri „azi” 😀', html: '<p>ș & "</p>', text: 'ș\n.\nFrom x' },
      tags: [
        { name: 'delivery_id', value: '00000000-0000-5000-8000-000000000000' },
        { name: 'env', value: 'test' },
        { name: 'round', value: '1' },
      ],
    },
  },
  'our client: a mail is found by its id': {
    async ask({ ours }) {
      const [key, provider] = [newKey(), ours()];
      const sent = await provider.send(parcel(key));
      const messageId = sent.kind === 'accepted' ? sent.messageId : null;
      const found = await provider.lookUp?.({ key, messageId, sentAfter: systemClock.now() - 1000 });
      return found?.kind === 'found' && found.messageId === messageId;
    },
    answer: true,
  },
  'our client: a mail is found by its key alone': {
    async ask({ ours }) {
      const [key, provider] = [newKey(), ours()];
      const tags = { delivery_id: key, round: '1', env: 'test' };
      await provider.send(parcel(key, { tags }));
      return (await provider.lookUp?.({ key, messageId: null, sentAfter: systemClock.now() - 1000 }))?.kind;
    },
  },
  'our client: what is known of a mail that just left': {
    async ask({ ours }) {
      const provider = ours();
      const sent = await provider.send(parcel(newKey()));
      const messageId = sent.kind === 'accepted' ? sent.messageId : '';
      const mails = [{ messageId, leftAt: systemClock.now() }];
      const report = await provider.progress?.(mails, async () => true);
      return { progress: report?.answers.get(messageId), isRefused: report?.isRefused };
    },
    answer: { progress: null, isRefused: false },
  },
  'our client: is it up': { ask: ({ ours }) => ours().probe(), answer: { isUp: true } },
  'our client: the rate that it learns': {
    async ask({ ours }) {
      const provider = ours();
      await provider.send(parcel(newKey()));
      return provider.seenRatePerSecond?.();
    },
  },
  'our client: an API key of nobody is the trouble of the account': {
    async ask({ ours }) {
      const sent = await ours('re_nobody').send(parcel(newKey()));
      return sent.kind === 'deferred' ? sent.trouble : sent.kind;
    },
  },
} as const satisfies Record<string, Question>;

export type QuestionName = keyof typeof questions;
