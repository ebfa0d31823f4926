import type { OwnNotifications } from '../../src/http/routes/notifications-json.ts';
import type { Answered, Api, AskOptions } from './api-world.ts';
import { broken } from './broken-database.ts';
import { alert, asUser, newsletter, path } from './notifications-world.ts';

/** The walk through the document, as far as it is about newsletters and alerts. */
const unknownId = '00000000-0000-4000-8000-000000000000';
const headers = { 'x-user-id': 'user_walker' };

export const notificationExamples: Record<string, [path: string, options?: AskOptions]> = {
  [`POST ${path}`]: [path, { headers, body: newsletter }],
  [`GET ${path}`]: [path, { headers }],
  [`GET ${path}/entity/{cui}`]: [`${path}/entity/4305857`, { headers }],
  [`GET ${path}/{id}`]: [`${path}/${unknownId}`, { headers }],
  [`PATCH ${path}/{id}`]: [`${path}/${unknownId}`, { headers, body: { isActive: true } }],
  [`DELETE ${path}/{id}`]: [`${path}/${unknownId}`, { headers }],
  [`GET ${path}/deliveries`]: [`${path}/deliveries`, { headers }],
  [`GET ${path}/opt-out`]: [`${path}/opt-out`, { headers }],
  [`POST ${path}/opt-out`]: [`${path}/opt-out`, { headers }],
  [`DELETE ${path}/opt-out`]: [`${path}/opt-out`, { headers }],
};

interface Walk {
  api: () => Api;
  /** A server whose users have room for one. */
  full: () => Promise<Api>;
}

/** Answers that need something of their own. */
export function notificationParticular({ api, full }: Walk): Record<string, () => Promise<Answered>> {
  let people = 0;
  const somebody = (server = api()) => {
    people += 1;
    return asUser(server, `user_${people}`);
  };
  /** Somebody new, who has one. */
  async function owner(server?: Api) {
    const ask = somebody(server);
    const { json } = await ask('POST', '', alert());
    return { ask, at: `/${json.notification.id}` };
  }
  return {
    [`POST ${path} 201`]: () => somebody()('POST', '', alert()),
    [`POST ${path} 200`]: async () => (await owner()).ask('POST', '', alert()),
    [`POST ${path} 409`]: async () => (await owner(await full())).ask('POST', '', newsletter),
    [`GET ${path} 200`]: async () => (await owner()).ask('GET'),
    [`GET ${path}/entity/{cui} 200`]: async () => {
      const ask = somebody();
      await ask('POST', '', newsletter);
      return ask('GET', '/entity/4305857');
    },
    ...Object.fromEntries(
      ['GET', 'PATCH', 'DELETE'].flatMap((method) => {
        const body = method === 'PATCH' ? { locale: 'ro' } : undefined;
        return [
          [
            `${method} ${path}/{id} 200`,
            async () => {
              const { ask, at } = await owner();
              return ask(method, at, body);
            },
          ],
          [`${method} ${path}/{id} 404`, () => somebody()(method, `/${unknownId}`, body)],
        ];
      }),
    ),
    [`PATCH ${path}/{id} 409`]: async () => {
      const { ask, at } = await owner();
      const { config } = alert({ title: 'Another' });
      await ask('POST', '', { ...alert(), config });
      return ask('PATCH', at, { config });
    },
  };
}

/** A source whose database cannot be asked. */
export const brokenNotifications: OwnNotifications = {
  ...{ subscribe: broken, list: broken, ofEntity: broken, find: broken, update: broken, remove: broken },
  ...{ deliveries: broken, optOutOf: broken, optOut: broken, optIn: broken },
};
