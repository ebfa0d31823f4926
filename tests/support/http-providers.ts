import type { Provider } from '../../src/providers/provider.ts';
import type { Clock, ManualClock } from '../../src/std/clock.ts';
import type { ByteServers } from './byte-servers.ts';
import { errorBody } from './fake-postmark/postmark-answers.ts';
import { createPostmarkWorld } from './fake-postmark/postmark-world.ts';
import { createResendWorld } from './fake-resend/resend-world.ts';
import type { Lie, Rule, SeenRequest } from './lies.ts';

/**
 * Every provider that is called by HTTP, with a fake of it over a real socket. What all of them must do is tried of each
 * (`tests/providers/every-http-provider*.test.ts`): one that is added is added here.
 */
export interface HttpProvider {
  name: string;
  /** How it says things that all of them say, as a lie that it is told to tell. */
  lies: { forGood: Lie; throttled: Lie; unauthorised: Lie; refusalSaying: (text: string) => Lie };
  start(): Promise<HttpProviderWorld>;
}

export interface HttpProviderWorld {
  clock: ManualClock;
  fake: {
    ledger: {
      accepted: readonly { id: string }[];
      requests: readonly SeenRequest[];
      submissions(): SeenRequest[];
      acceptedBy(deliveryId: string): readonly { id: string }[];
      seen(count: number): Promise<void>;
    };
    rules: Rule[];
    lieOnce(lie: Lie): void;
    dropIdleConnections(): void;
    close(): Promise<void>;
  };
  fakeUrl: string;
  /** A client, closed with the world. */
  connect(more?: ClientParts): Provider;
  listen: ByteServers['listen'];
  close(): Promise<void>;
}

export interface ClientParts {
  credential?: string;
  baseUrl?: string;
  clock?: Clock;
  connections?: number;
  connectTimeoutMs?: number;
  answerTimeoutMs?: number;
}

const refusal = (status: number, more: Partial<Extract<Lie, { kind: 'answer' }>> = {}): Lie => ({
  ...{ kind: 'answer', isAccepted: false, status, ...more },
});

export const httpProviders: readonly HttpProvider[] = [
  {
    name: 'resend',
    lies: {
      forGood: refusal(422, { name: 'validation_error', message: 'Not to ana@example.org' }),
      throttled: refusal(429, { name: 'rate_limit_exceeded', headers: { 'retry-after': '9' } }),
      unauthorised: refusal(403, { name: 'invalid_api_key' }),
      refusalSaying: (message) => refusal(422, { name: 'validation_error', message }),
    },
    async start() {
      const { resend, ...world } = await createResendWorld();
      const connect = ({ credential, ...more }: ClientParts = {}) =>
        resend({ ...more, ...(credential !== undefined && { apiKey: credential }) });
      return { ...world, connect, fakeUrl: world.fake.url };
    },
  },
  {
    name: 'postmark',
    lies: {
      forGood: refusal(422, { body: errorBody(300, 'Not to ana@example.org') }),
      throttled: refusal(429, { body: errorBody(429), headers: { 'retry-after': '9' } }),
      unauthorised: refusal(401, { body: errorBody(10) }),
      refusalSaying: (text) => refusal(422, { body: errorBody(300, text) }),
    },
    async start() {
      const { postmark, ...world } = await createPostmarkWorld();
      const connect = ({ credential, ...more }: ClientParts = {}) =>
        postmark({ ...more, ...(credential !== undefined && { serverToken: credential }) });
      return { ...world, connect, fakeUrl: world.fake.url };
    },
  },
];
