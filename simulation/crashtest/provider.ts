import { Agent, request } from 'undici';
import { createSeededRandom } from '../../src/std/random.ts';
import { type FakeResend, startFakeResend } from '../../tests/support/fake-resend/fake-resend.ts';
import type { Lie, SeenRequest } from '../../tests/support/lies.ts';

/** The provider of these tests: it outlives every process, keeps its books, forgets no key within a day, and has bad moments. */
export interface Provider extends FakeResend {
  /** The settings of a process that sends through it. */
  readonly env: Readonly<Record<string, string>>;
  /** No bad moments from now on: what is left in doubt can be settled. */
  behave(): void;
}

export interface ProviderOrder {
  seed: number;
  ratePerSecond: number;
  /** The one of a provider before: a mail in doubt is settled with nobody else. */
  port?: number;
  /** What it has accepted already, in another life. */
  books?: Books;
  /** Called as soon as a mail is about to be read: whoever sends it has written that down before. */
  onMail?: () => void;
}

/** What a provider knows of a mail that it has accepted. */
export type Books = readonly { key: string | null; bodyText: string }[];

const apiKey = 're_crashtest_0123456789abcdef';

/** Most answers take their time, before or after the mail is taken, so that a kill finds calls on their way. */
const moments: readonly { chance: number; lie: Lie }[] = [
  { chance: 0.02, lie: { kind: 'reset', at: 'before_answer', isAccepted: true } },
  { chance: 0.01, lie: { kind: 'reset', at: 'mid_answer', isAccepted: true } },
  { chance: 0.01, lie: { kind: 'reset', at: 'before_body', isAccepted: false } },
  { chance: 0.01, lie: { kind: 'answer', status: 500, isAccepted: false } },
  { chance: 0.01, lie: { kind: 'answer', status: 502, isAccepted: true } },
  {
    chance: 0.002,
    lie: {
      ...{ kind: 'answer', status: 429, isAccepted: false, name: 'rate_limit_exceeded' },
      headers: { 'retry-after': '1' },
    },
  },
  { chance: 0.3, lie: { kind: 'slow', ms: 60, at: 'before_accepting' } },
  { chance: 0.4, lie: { kind: 'slow', ms: 120, at: 'before_answering' } },
  { chance: 0.1, lie: { kind: 'slow', ms: 400, at: 'before_answering' } },
];

export async function startProvider(order: ProviderOrder): Promise<Provider> {
  const { seed, ratePerSecond, port, books = [], onMail } = order;
  const random = createSeededRandom(seed);
  const fake = await startFakeResend({
    keys: [{ apiKey, account: 'main' }],
    indexingDelayMs: 200,
    ...(port !== undefined && { port }),
  });
  await carryOver(books, fake.url);
  const isMail = ({ method }: SeenRequest) => method === 'POST';
  fake.rules.push(
    {
      match(seen) {
        if (isMail(seen)) onMail?.();
        return false;
      },
      lie: { kind: 'hang', isAccepted: false },
    },
    ...moments.map(({ chance, lie }) => ({
      lie,
      match: (seen: SeenRequest) => isMail(seen) && random.next() < chance,
    })),
  );
  return {
    ...fake,
    behave: () => void fake.rules.splice(0),
    env: {
      ...{ HOST: '127.0.0.1', MAIL_PROVIDER: 'resend', RESEND_API_KEY: apiKey, RESEND_BASE_URL: fake.url },
      ...{ RESEND_MAX_RPS: String(ratePerSecond), EMAIL_FROM_ADDRESS: 'crash@example.org' },
      PLATFORM_BASE_URL: 'http://127.0.0.1:1',
      TOKEN_SECRET: 'a-secret-for-the-crash-test-alone-0123456789',
    },
  };
}

async function carryOver(books: Books, url: string): Promise<void> {
  // Of its own: connections to a provider that was here before are of no use.
  const dispatcher = new Agent();
  for (const { key, bodyText } of books) {
    const { statusCode, body } = await request(`${url}/emails`, {
      dispatcher,
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: bodyText,
    });
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`the books could not be carried over: ${answer}`);
  }
  await dispatcher.close();
}
