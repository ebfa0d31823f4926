import type { Answered, Api, ApiWorld, AskOptions } from './api-world.ts';

/** The walk through the document, as far as it is about the built-in inbox. */
const path = '/api/v1/inbox';
const unknownId = '00000000-0000-4000-8000-000000000000';
const capturedId = '11111111-1111-4111-8111-111111111111';

export const inboxExamples: Record<string, [path: string, options?: AskOptions]> = {
  [`GET ${path}`]: [path],
  [`POST ${path}/clear`]: [`${path}/clear`, { body: {} }],
  [`GET ${path}/switches`]: [`${path}/switches`],
  [`POST ${path}/switches/{name}`]: [`${path}/switches/bounce`, { body: { minutes: 1 } }],
  [`DELETE ${path}/switches/{name}`]: [`${path}/switches/bounce`],
  [`GET ${path}/{id}`]: [`${path}/${unknownId}`],
  [`GET ${path}/{id}/links`]: [`${path}/${unknownId}/links`],
};

/** One mail in the inbox, which also is when the list was cleared. */
export async function captured({ db }: ApiWorld): Promise<string> {
  const mail = {
    ...{ from: 'a@example.org', to: 'b@example.org', subject: 's', html: 'h', text: 't' },
    ...{ headers: {}, tags: {} },
  };
  await db.write.deleteFrom('inbox_clearings').execute();
  await db.write
    .insertInto('captured_mails')
    .values({
      ...{ message_id: capturedId, idempotency_key: 'k', body_hash: 'h', received_at: 1 },
      mail: JSON.stringify(mail),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return capturedId;
}

/** Answers that need something of their own. */
export function inboxParticular(parts: {
  world: () => ApiWorld;
  api: () => Api;
}): Record<string, () => Promise<Answered>> {
  const ask = (name: string, server: Api = parts.api()) => {
    const [method = ''] = name.split(' ');
    const [address, options] = inboxExamples[name] ?? ['no example'];
    return server.ask(method, address, options);
  };
  const withResend = () =>
    parts.world().serve({ api: { provider: { ...parts.world().parts.api.provider, name: 'resend' } } });
  const inProduction = () => parts.world().serve({ api: { environment: 'production' } });
  const notFound = [`GET ${path}`, `POST ${path}/clear`, `GET ${path}/switches`];
  const switching = [`POST ${path}/switches/{name}`, `DELETE ${path}/switches/{name}`];
  return {
    [`GET ${path} 200`]: async () => {
      await captured(parts.world());
      return ask(`GET ${path}`);
    },
    [`GET ${path}/{id} 200`]: async () => parts.api().ask('GET', `${path}/${await captured(parts.world())}`),
    [`GET ${path}/{id}/links 200`]: async () =>
      parts.api().ask('GET', `${path}/${await captured(parts.world())}/links`),
    [`GET ${path}/{id} 404`]: () => ask(`GET ${path}/{id}`),
    [`GET ${path}/{id}/links 404`]: () => ask(`GET ${path}/{id}/links`),
    ...Object.fromEntries(
      [...notFound, ...switching].map((name) => [`${name} 404`, async () => ask(name, await withResend())]),
    ),
    ...Object.fromEntries(
      switching.map((name) => [`${name} 409`, async () => ask(name, await inProduction())]),
    ),
  };
}
