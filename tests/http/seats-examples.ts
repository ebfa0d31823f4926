import type { Seats } from '../../src/http/routes/seats-parts.ts';
import type { Answered, Api, AskOptions } from './api-world.ts';
import { broken } from './broken-database.ts';
import { post, type SeatsApiWorld, term } from './seats-api-world.ts';

/** The walk through the document, as far as it is about course seats. */
const path = '/api/v1/seats';
const unknownToken = 'Z'.repeat(44);
const byToken = `${path}/subscriptions`;
const order = { term, campus: 'NB', index: '09214', email: 'person-1@example.org' };
const bodies: Record<string, object> = {
  snooze: { until: null },
  window: { window: { startMinutes: 480, endMinutes: 1320 } },
  max: { max: 3 },
};
const changes = ['confirm', 'pause', 'resume', 'cancel', 'undo', ...Object.keys(bodies)];

export const seatExamples: Record<string, [path: string, options?: AskOptions]> = {
  [`GET ${path}/courses`]: [`${path}/courses?q=198`],
  [`GET ${path}/sections/{term}/{index}`]: [`${path}/sections/${term}/09214`],
  [`GET ${path}/lists`]: [`${path}/lists`],
  [`POST ${path}/openings`]: [`${path}/openings`, { body: { term, index: '09214' } }],
  [`GET ${path}/overview`]: [`${path}/overview`],
  [`GET ${path}/overview/history`]: [`${path}/overview/history?span=hour`],
  [`GET ${path}/overview/sections`]: [`${path}/overview/sections`],
  [`GET ${path}/overview/sections/{term}/{index}`]: [`${path}/overview/sections/${term}/09214`],
  [`GET ${path}/overview/events`]: [`${path}/overview/events`],
  [`POST ${byToken}`]: [byToken, { body: order }],
  [`GET ${byToken}/{token}`]: [`${byToken}/${unknownToken}`],
  [`GET ${byToken}/{token}/siblings`]: [`${byToken}/${unknownToken}/siblings`],
  ...Object.fromEntries(
    changes.map((name) => [
      `POST ${byToken}/{token}/${name}`,
      [`${byToken}/${unknownToken}/${name}`, bodies[name] ? { body: bodies[name] } : undefined],
    ]),
  ),
  'GET /seats': ['/seats?q=198'],
  'GET /seats/{term}': ['/seats/nothing'],
  'GET /seats/{term}/{index}': [`/seats/${term}/09214`],
  'POST /seats/{term}/{index}': [`/seats/${term}/09214`, { body: 'email=person-2@example.org' }],
  'GET /seats/{term}/{index}/asked': [`/seats/${term}/09214/asked`],
  'GET /seats/confirm/{token}': [`/seats/confirm/${unknownToken}`],
  'POST /seats/confirm/{token}': [`/seats/confirm/${unknownToken}`],
  'GET /seats/manage/{token}': [`/seats/manage/${unknownToken}`],
  'POST /seats/manage/{token}/{step}': [`/seats/manage/${unknownToken}/pause`],
};

/** Without the one that asks no database. */
const pages = Object.keys(seatExamples).filter(
  (name) => name.includes(' /seats') && name !== 'GET /seats/{term}',
);

interface Walk {
  world: () => SeatsApiWorld;
  api: () => Api;
  brokenApi: () => Api;
}

/** Answers that need something of their own. */
export function seatParticular({ world, api, brokenApi }: Walk): Record<string, () => Promise<Answered>> {
  const ask = (name: string, address?: string, server = api()) => {
    const [example = '', options] = seatExamples[name] ?? [];
    return server.ask(name.split(' ')[0] ?? '', address ?? example, options);
  };
  /** Somebody new watches 09214. */
  let people = 1;
  async function watched({ isConfirmed = true } = {}): Promise<string> {
    people += 1;
    const { subscriptions } = world().seats;
    const created = await subscriptions.create({
      ...{ termId: term, campusCode: 'NB', indexNumber: '09214', caller: null },
      email: `person-${people}@example.org`,
    });
    if (!('token' in created)) throw new Error(created.message);
    if (isConfirmed) await subscriptions.confirm(created.token);
    return created.token;
  }
  async function left(): Promise<string> {
    const token = await watched();
    await world().seats.subscriptions.cancel(token);
    return token;
  }
  const of = (name: string, token: string) =>
    ask(name, (seatExamples[name]?.[0] ?? '').replace(unknownToken, token));
  const subscribe = (more: object) => api().ask('POST', byToken, { body: { ...order, ...more } });
  const openings = (index: string) => api().ask('POST', `${path}/openings`, { body: { term, index } });
  const posted = async (address: string, fields?: Record<string, string>): Promise<Answered> => ({
    ...(await post(api(), address, fields)),
    json: null,
  });
  const unfollowed = async (address: string): Promise<Answered> => {
    const response = await fetch(`${api().url}${address}`, { redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text(), json: null };
  };
  const tokenRoutes = ['', '/siblings'].map((rest) => `GET ${byToken}/{token}${rest}`);
  const changeRoutes = changes.map((name) => `POST ${byToken}/{token}/${name}`);

  return {
    [`GET ${path}/sections/{term}/{index} 404`]: () =>
      ask(`GET ${path}/sections/{term}/{index}`, `${path}/sections/${term}/99999`),
    [`GET ${path}/overview/sections 200`]: async () => {
      await watched();
      await watched({ isConfirmed: false });
      return ask(`GET ${path}/overview/sections`);
    },
    [`GET ${path}/overview/sections/{term}/{index} 404`]: () =>
      ask('GET /', `${path}/overview/sections/${term}/99999`),
    [`POST ${path}/openings 201`]: () => openings('21000'),
    [`POST ${path}/openings 200`]: () => openings('09215'),
    [`POST ${path}/openings 404`]: () => openings('99999'),
    [`POST ${byToken} 201`]: () => subscribe({ email: 'person-900@example.org' }),
    [`POST ${byToken} 200`]: async () => {
      await subscribe({});
      return subscribe({});
    },
    [`POST ${byToken} 404`]: () => subscribe({ index: '99999' }),
    [`POST ${byToken} 409`]: () => subscribe({ index: '21000' }),
    ...Object.fromEntries(
      [...tokenRoutes, ...changeRoutes].flatMap((name) => [
        [`${name} 200`, async () => of(name, await (name.endsWith('/undo') ? left() : watched()))],
        [`${name} 404`, () => ask(name)],
      ]),
    ),
    ...Object.fromEntries(
      changeRoutes
        .filter((name) => !name.endsWith('/cancel'))
        .map((name) => [
          `${name} 409`,
          async () => {
            const token = await left();
            // Undo is for a day.
            if (name.endsWith('/undo')) await world().clock.advance(25 * 3_600_000);
            return of(name, token);
          },
        ]),
    ),
    ...Object.fromEntries(
      pages.flatMap((name) => [
        [`${name} 503`, () => ask(name, undefined, brokenApi())],
        [
          `${name} 400`,
          () =>
            ask(
              name,
              name === 'GET /seats'
                ? '/seats?q=one&q=two'
                : (seatExamples[name]?.[0] ?? '').replace(/09214|Z{44}/, '%E0%A4'),
            ),
        ],
        ...(name === 'GET /seats'
          ? []
          : [
              [
                `${name} 404`,
                () => ask(name, (seatExamples[name]?.[0] ?? '').replace('09214', '99999')),
              ] as const,
            ]),
      ]),
    ),
    'POST /seats/{term}/{index} 303': () => posted(`/seats/${term}/09214`, { email: order.email }),
    'POST /seats/{term}/{index} 422': () => posted(`/seats/${term}/09214`, { email: 'nobody' }),
    'POST /seats/{term}/{index} 403': () =>
      api().ask('POST', `/seats/${term}/09214`, { headers: { 'sec-fetch-site': 'cross-site' } }),
    'GET /seats/confirm/{token} 200': async () =>
      of('GET /seats/confirm/{token}', await watched({ isConfirmed: false })),
    'GET /seats/{term} 303': () => unfollowed(`/seats/${term}`),
    'GET /seats/{term} 404': () => ask('GET /seats/{term}'),
    'GET /seats/{term} 400': () => ask('GET /seats/{term}', '/seats/%E0%A4'),
    'GET /seats/confirm/{token} 303': async () => unfollowed(`/seats/confirm/${await watched()}`),
    'POST /seats/confirm/{token} 303': async () => posted(`/seats/confirm/${await watched()}`),
    'GET /seats/manage/{token} 200': async () => of('GET /seats/manage/{token}', await watched()),
    'POST /seats/manage/{token}/{step} 303': async () => posted(`/seats/manage/${await watched()}/pause`),
  };
}

/** A source whose database cannot be asked. */
export function brokenSeats(seats: Seats): Seats {
  const all = { confirm: broken, pause: broken, resume: broken, snooze: broken, setWindow: broken };
  return {
    ...seats,
    catalog: { search: broken, section: broken, terms: broken },
    subscriptions: {
      ...{ ...all, setMaxNotifications: broken, cancel: broken, undoCancel: broken },
      ...{ create: broken, createForCourse: broken, find: broken, siblings: broken },
      ...{ hasStoppedEverything: broken, mailAgain: broken },
    },
    events: { reportOpening: broken },
    poller: { status: broken },
    status: broken,
    overview: { sections: broken, section: broken, events: broken, history: broken },
  };
}
