import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import { rowIn } from '../support/rows.ts';
import { webhookPassword, webhooksOf } from '../support/webhooks.ts';
import { headersOf } from '../webhooks/served.ts';
import { signed } from '../webhooks/signed.ts';
import { basic } from '../webhooks/tongues.ts';
import { type Answered, type Api, type ApiWorld, type AskOptions, intentBody } from './api-world.ts';

/** The walk through the document, as far as it is about the engine itself: all that is of no source and not of the console. */
type Request = [path: string, options?: AskOptions];

export const engineExamples: Record<string, Request> = {
  'GET /health': ['/health'],
  'GET /ready': ['/ready'],
  'GET /': ['/'],
  'GET /docs': ['/docs'],
  'GET /docs/openapi.json': ['/docs/openapi.json'],
  'GET /metrics': ['/metrics'],
  'POST /api/v1/intents': ['/api/v1/intents', { body: intentBody(1) }],
  'GET /api/v1/deliveries': ['/api/v1/deliveries'],
  'GET /api/v1/deliveries/{reference}': ['/api/v1/deliveries/1'],
  'GET /api/v1/deliveries/{reference}/mail/{round}': ['/api/v1/deliveries/1/mail/1'],
  'POST /api/v1/deliveries/requeue': [
    '/api/v1/deliveries/requeue',
    { body: { references: ['1'], reason: 'why' } },
  ],
  'POST /api/v1/deliveries/resolve': [
    '/api/v1/deliveries/resolve',
    { body: { references: ['1'], as: 'sent', reason: 'why' } },
  ],
  'GET /api/v1/pauses': ['/api/v1/pauses'],
  'POST /api/v1/pauses': ['/api/v1/pauses', { body: { scope: '*', reason: 'why' } }],
  'DELETE /api/v1/pauses/{scope}': ['/api/v1/pauses/*'],
  'GET /api/v1/suppressions': ['/api/v1/suppressions'],
  'POST /api/v1/suppressions': [
    '/api/v1/suppressions',
    { body: { addresses: ['person-1@example.org'], because: 'why' } },
  ],
  'DELETE /api/v1/suppressions/{address}': ['/api/v1/suppressions/person-1@example.org?because=why'],
  'GET /api/v1/suppressions/export': ['/api/v1/suppressions/export'],
  'POST /api/v1/suppressions/import': [
    '/api/v1/suppressions/import',
    { body: { entries: [{ address: 'person-2@example.org' }, { address: 'none' }] } },
  ],
  'POST /api/v1/suppressions/import/check': [
    '/api/v1/suppressions/import/check',
    { body: 'person-3@example.org\nnone' },
  ],
  'POST /api/v1/suppressions/import/file': [
    '/api/v1/suppressions/import/file?because=why',
    { body: 'person-3@example.org\nnone' },
  ],
  'GET /api/v1/templates': ['/api/v1/templates'],
  'GET /api/v1/templates/{name}/samples/{sample}': ['/api/v1/templates/verification/samples/short?locale=en'],
  'POST /api/v1/templates/{name}/render': [
    '/api/v1/templates/plain/render',
    { body: { locale: 'en', props: { subject: 'Hello', text: 'It works.' } } },
  ],
  'GET /api/v1/notifications/unsubscribe/{token}': [`${unsubscribePath}/some-token`],
  'POST /api/v1/notifications/unsubscribe/{token}': [`${unsubscribePath}/some-token`],
  'GET /api/v1/notifications/unsubscribe/{token}/{step}': [`${unsubscribePath}/some-token/stop`],
  'POST /api/v1/notifications/unsubscribe/{token}/{step}': [`${unsubscribePath}/some-token/stop`],
  'GET /api/v1/emails/templates': ['/api/v1/emails/templates'],
  'POST /api/v1/emails/preview': [
    '/api/v1/emails/preview',
    { body: { template: 'plain', props: { subject: 'Hello', text: 'It works.' } } },
  ],
  'GET /api/v1/emails/preview/{type}': ['/api/v1/emails/preview/newsletter_entity_monthly'],
  'POST /api/v1/webhooks/resend': ['/api/v1/webhooks/resend', { body: '{"type":"contact.created"}' }],
  'POST /api/v1/webhooks/postmark': ['/api/v1/webhooks/postmark', { body: '{"RecordType":"Open"}' }],
};

/** Answers that need something of their own. */
export function engineParticular({
  world,
  api,
  brokenApi,
}: {
  world: () => ApiWorld;
  api: () => Api;
  brokenApi: () => Api;
}): Record<string, () => Promise<Answered>> {
  const exampleOf = (name: string): Request => engineExamples[name] ?? ['no example'];
  const ask = (name: string, [path, options]: Request = exampleOf(name), server = api()) =>
    server.ask(name.split(' ')[0] as string, path, options);

  function webhook(headers: Record<string, string>, server = api()): Promise<Answered> {
    const [path, options] = exampleOf('POST /api/v1/webhooks/resend');
    const request = headersOf(signed('msg_1', String(options?.body), { at: world().clock.now() }));
    return server.ask('POST', path, { ...options, headers: { ...request, ...headers } });
  }

  function postmarkWebhook(password: string, server = api(), bytes?: Uint8Array): Promise<Answered> {
    const [path, options] = exampleOf('POST /api/v1/webhooks/postmark');
    return server.ask('POST', path, { ...options, ...(bytes && { body: bytes }), headers: basic(password) });
  }

  return {
    'GET /ready 503': async () =>
      (await world().serve({ server: { isStopping: () => true } })).ask('GET', '/ready'),
    'POST /api/v1/intents 201': () =>
      ask('POST /api/v1/intents', [
        '/api/v1/intents',
        { body: { intents: [intentBody(900), intentBody(1)] } },
      ]),
    'POST /api/v1/intents 200': async () => {
      await ask('POST /api/v1/intents');
      return ask('POST /api/v1/intents');
    },
    'GET /api/v1/deliveries 200': async () => {
      await withMail(world());
      return ask('GET /api/v1/deliveries');
    },
    'GET /api/v1/deliveries/{reference} 200': async () =>
      ask('GET /api/v1/deliveries/{reference}', [`/api/v1/deliveries/${await withMail(world())}`]),
    'GET /api/v1/deliveries/{reference} 404': () => ask('GET /', ['/api/v1/deliveries/987654']),
    'GET /api/v1/deliveries/{reference}/mail/{round} 200': async () =>
      ask('GET /', [`/api/v1/deliveries/${await withMail(world())}/mail/1`]),
    'GET /api/v1/deliveries/{reference}/mail/{round} 404': async () =>
      ask('GET /', [`/api/v1/deliveries/${await withMail(world())}/mail/9`]),
    'POST /api/v1/pauses 201': async () => {
      await world().db.write.deleteFrom('pauses').execute();
      return ask('POST /api/v1/pauses');
    },
    'POST /api/v1/pauses 200': async () => {
      await ask('POST /api/v1/pauses');
      return ask('POST /api/v1/pauses');
    },
    'GET /api/v1/pauses 200': async () => {
      await ask('POST /api/v1/pauses');
      return ask('GET /api/v1/pauses');
    },
    'DELETE /api/v1/pauses/{scope} 200': async () => {
      await ask('POST /api/v1/pauses');
      return ask('DELETE /api/v1/pauses/{scope}');
    },
    'DELETE /api/v1/pauses/{scope} 404': async () => {
      await ask('DELETE /api/v1/pauses/{scope}');
      return ask('DELETE /api/v1/pauses/{scope}');
    },
    'GET /api/v1/suppressions 200': async () => {
      await ask('POST /api/v1/suppressions');
      return ask('GET /api/v1/suppressions');
    },
    'POST /api/v1/suppressions 201': async () => {
      await ask('DELETE /api/v1/suppressions/{address}');
      return ask('POST /api/v1/suppressions');
    },
    'POST /api/v1/suppressions 200': async () => {
      await ask('POST /api/v1/suppressions');
      return ask('POST /api/v1/suppressions');
    },
    'DELETE /api/v1/suppressions/{address} 200': async () => {
      await ask('POST /api/v1/suppressions');
      return ask('DELETE /api/v1/suppressions/{address}');
    },
    'DELETE /api/v1/suppressions/{address} 404': async () => {
      await ask('DELETE /api/v1/suppressions/{address}');
      return ask('DELETE /api/v1/suppressions/{address}');
    },
    'GET /api/v1/emails/preview/{type} 404': () => ask('GET /', ['/api/v1/emails/preview/none']),
    ...Object.fromEntries(
      ['{token}', '{token}/{step}'].flatMap((rest) =>
        ['GET', 'POST'].map((method) => [
          `${method} ${unsubscribePath}/${rest} 400`,
          () => api().ask(method, `${unsubscribePath}/${rest.replace(/.*}/, '%E0%A4')}`),
        ]),
      ),
    ),
    ...Object.fromEntries(
      ['{token}', '{token}/{step}']
        .map((rest) => `POST ${unsubscribePath}/${rest}`)
        .map((name) => [`${name} 503`, () => ask(name, exampleOf(name), brokenApi())]),
    ),
    'POST /api/v1/webhooks/resend 200': () => webhook({}),
    'POST /api/v1/webhooks/resend 401': () => webhook({ 'svix-id': 'msg_other' }),
    'POST /api/v1/webhooks/resend 503': async () => {
      const webhooks = webhooksOf(world(), { secrets: {} });
      return webhook({}, await world().serve({ api: { webhooks } }));
    },
    'POST /api/v1/webhooks/postmark 200': () => postmarkWebhook(webhookPassword),
    'POST /api/v1/webhooks/postmark 400': () =>
      postmarkWebhook(webhookPassword, api(), new Uint8Array([0xff])),
    'POST /api/v1/webhooks/postmark 401': () => postmarkWebhook('not-the-password'),
    'POST /api/v1/webhooks/postmark 503': async () => {
      const webhooks = webhooksOf(world(), { secrets: {} });
      return postmarkWebhook(webhookPassword, await world().serve({ api: { webhooks } }));
    },
  };
}

async function withMail(world: ApiWorld): Promise<number> {
  const seq = await rowIn(world, 'sent', 500);
  await world.db.write
    .insertInto('delivery_mails')
    .values({
      ...{
        delivery_seq: seq,
        round: 1,
        sender: 'a@example.org',
        to_email: 'b@example.org',
        subject: 'Subject x',
      },
      ...{ html: '<p>Text x</p>', text: 'Text x', headers: '{}', tags: '{}', frozen_at: 1 },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return seq;
}
