import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RefusalCode } from '../../src/std/refusals.ts';
import { type Api, type ApiWorld, type AskOptions, createApiWorld, intentBody } from '../http/api-world.ts';
import { mailTo } from '../support/mails.ts';
import { basic } from '../webhooks/tongues.ts';

/** Answers of the API whose code no other test asks for. Which route gives which status is walked by `tests/http/document.test.ts`. */

let world: ApiWorld;
let api: Api;
beforeAll(async () => {
  world = await createApiWorld();
  api = await world.serve({ api: { console: { page: undefined, assets: new Map() } } });
  await api.ask('POST', '/api/v1/intents', { body: intentBody(1) });
  // Two mails in the inbox whose ids begin alike.
  const mail = { mail: JSON.stringify(mailTo(1)), body_hash: 'x', received_at: 1 };
  await world.db.transaction((tx) =>
    tx
      .insertInto('captured_mails')
      .values(
        ['a', 'b'].map((end) => ({
          ...mail,
          message_id: `47110000-0000-4000-8000-00000000000${end}`,
          idempotency_key: end,
        })),
      )
      .execute(),
  );
});
afterAll(() => world.close());

const event = { body: '{"RecordType":"Open"}', key: null };

test.each<[RefusalCode, number, string, string, AskOptions?]>([
  ['address_too_long', 414, 'GET', `/api/v1/deliveries/${'a'.repeat(1_001)}`],
  ['console_file_not_found', 404, 'GET', '/console/assets/none.js'],
  ['console_not_built', 503, 'GET', '/console'],
  ['delivery_not_found', 404, 'GET', '/api/v1/deliveries/4711'],
  ['mail_not_found', 404, 'GET', '/api/v1/deliveries/1/mail/1'],
  ['message_ambiguous', 400, 'GET', '/api/v1/inbox/47110000'],
  ['message_not_found', 404, 'GET', '/api/v1/inbox/47120000'],
  ['missing_password', 401, 'POST', '/api/v1/webhooks/postmark', event],
  ['not_found', 404, 'GET', '/nothing'],
  ['not_paused', 404, 'DELETE', '/api/v1/pauses/plain'],
  ['samples_not_here', 404, 'GET', '/api/v1/samples'],
  [
    'wrong_password',
    401,
    'POST',
    '/api/v1/webhooks/postmark',
    { ...event, headers: basic('not-the-password') },
  ],
])('%s is a %i', async (code, status, method, path, options) => {
  const answer = await api.ask(method, path, options);
  expect([answer.status, answer.json]).toMatchObject([status, { code, error: expect.any(String) }]);
});

test('too_many_requests is a 429', async () => {
  const tight = await world.serve({ api: { limits: { reads: 1, writes: 1, failures: 1 } } });
  await tight.ask('GET', '/api/v1/deliveries');
  const { status, json, headers } = await tight.ask('GET', '/api/v1/deliveries');
  expect([status, json]).toMatchObject([429, { code: 'too_many_requests' }]);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});
