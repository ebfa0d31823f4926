import type { Killing } from '../../src/samples/killing.ts';
import type { Samples } from '../../src/samples/samples.ts';
import { Refusal } from '../../src/std/refusal.ts';
import { type Answered, type Api, type ApiWorld, type AskOptions, keys, operatorKey } from './api-world.ts';
import { broken } from './broken-database.ts';

/** The walk through the document, as far as it is about the console and the first minute. */
const ours = { 'sec-fetch-site': 'same-origin' };
const samples = '/api/v1/samples';
const session = '/api/v1/session';

const killing: Killing = {
  ...{
    at: 1,
    killedPid: 7,
    pid: null,
    people: 48,
    onTheWire: 3,
    heard: 7,
    notLeft: 37,
    told: 9,
    twice: 0,
    unheard: 2,
    underWay: 38,
  },
  ...{ notToBeTold: 1, lost: null },
  lookedIntoAt: 120_001,
};

export function samplesOf(): Samples {
  return {
    state: async () => ({ workerPid: 7, killing }),
    openSeat: async () => ({
      termId: '12027',
      campusCode: 'NB',
      indexNumber: '00525',
      title: 'INTRO CALCULUS',
    }),
    sendNewsletter: async () => ({ periodKey: '2026-10', people: 24 }),
    postReview: async () => ({ changelistId: 'cl-1000', title: 'Count each seat once', people: 4 }),
    killWorker: async () => killing,
    begin: () => {},
    stop: async () => {},
  };
}

export const brokenSamples: Samples = {
  ...{ state: broken, openSeat: broken, sendNewsletter: broken, postReview: broken },
  ...{ killWorker: broken, begin: () => {}, stop: broken },
};

const verbs = ['seat', 'newsletter', 'review', 'kill'] as const;

export const consoleExamples: Record<string, [path: string, options?: AskOptions]> = {
  'GET /console': ['/console'],
  'GET /console/{page}': ['/console/deliveries'],
  'GET /console/assets/{name}': ['/console/assets/none.js'],
  'GET /inbox': ['/inbox'],
  'GET /deliveries': ['/deliveries'],
  'GET /api/v1/audit': ['/api/v1/audit'],
  'GET /api/v1/standing': ['/api/v1/standing'],
  'GET /api/v1/live': ['/api/v1/live'],
  [`GET ${session}`]: [session],
  [`POST ${session}`]: [session, { key: null, body: { key: operatorKey }, headers: ours }],
  [`DELETE ${session}`]: [session, { key: null, headers: ours }],
  [`GET ${samples}`]: [samples],
  ...Object.fromEntries(verbs.map((verb) => [`POST ${samples}/${verb}`, [`${samples}/${verb}`]])),
};

interface Walk {
  world: () => ApiWorld;
  api: () => Api;
}

/** Answers that need something of their own. */
export function consoleParticular({ world, api }: Walk): Record<string, () => Promise<Answered>> {
  const none = { page: undefined, assets: new Map() };
  const built = {
    page: '<!doctype html>',
    assets: new Map([['a.js', { type: 'text/javascript; charset=utf-8', bytes: Buffer.from('1') }]]),
  };
  const served = async (path: string, files: typeof none | typeof built) =>
    (await world().serve({ api: { console: files } })).ask('GET', path);
  const signIn = (key: string, headers: Record<string, string> = ours) =>
    api().ask('POST', session, { key: null, body: { key }, headers });
  const stranger = { 'sec-fetch-site': 'cross-site' };
  const refusing = async (verb: string) => {
    const refuse = async () => {
      throw new Refusal('killing_already', 'A worker is being killed already.');
    };
    const others = { openSeat: refuse, sendNewsletter: refuse, postReview: refuse, killWorker: refuse };
    const refused = { ...samplesOf(), ...others } as unknown as Samples;
    return (await world().serve({ api: { samples: refused } })).ask('POST', `${samples}/${verb}`);
  };
  return {
    'GET /console 200': () => served('/console', built),
    'GET /console 503': () => served('/console', none),
    'GET /console/{page} 200': () => served('/console/deliveries', built),
    'GET /console/{page} 503': () => served('/console/deliveries', none),
    'GET /console/assets/{name} 200': () => served('/console/assets/a.js', built),
    'GET /console/assets/{name} 404': () => served('/console/assets/b.js', built),
    'GET /inbox 303': () => unfollowed(`${api().url}/inbox`),
    'GET /deliveries 303': () => unfollowed(`${api().url}/deliveries`),
    'GET /api/v1/live 200': () => firstOf(api().url),
    'GET /api/v1/live 429': async () => {
      const tight = await world().serve({ api: { limits: { reads: 1, writes: 1, failures: 1 } } });
      await firstOf(tight.url);
      return tight.ask('GET', '/api/v1/live');
    },
    [`POST ${session} 401`]: () => signIn('wrong-0123456789abcdefghijklmnopqrstuvw'),
    [`POST ${session} 403`]: () => signIn(keys.service[0]),
    [`POST ${session} 429`]: async () => {
      const { ask } = await world().serve({ api: { limits: { reads: 100, writes: 100, failures: 1 } } });
      const wrong = { key: null, body: { key: 'wrong-0123456789abcdefghijklmnopqrstuvw' }, headers: ours };
      await ask('POST', session, wrong);
      return ask('POST', session, wrong);
    },
    [`DELETE ${session} 403`]: () => api().ask('DELETE', session, { key: null, headers: stranger }),
    [`GET ${samples} 404`]: async () => (await world().serve()).ask('GET', samples),
    ...Object.fromEntries(
      verbs.flatMap((verb) => [
        [
          `POST ${samples}/${verb} 404`,
          async () => (await world().serve()).ask('POST', `${samples}/${verb}`),
        ],
        [`POST ${samples}/${verb} 202`, () => api().ask('POST', `${samples}/${verb}`)],
        [`POST ${samples}/${verb} 409`, () => refusing(verb)],
      ]),
    ),
  };
}

async function unfollowed(url: string): Promise<Answered> {
  const { status, headers } = await fetch(url, { redirect: 'manual' });
  return { status, headers, text: '', json: null };
}

/** It goes on and on: what comes first is enough. */
async function firstOf(url: string): Promise<Answered> {
  const leaving = new AbortController();
  const { status, headers, body } = await fetch(`${url}/api/v1/live`, {
    headers: { authorization: `Bearer ${operatorKey}` },
    signal: leaving.signal,
  });
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  leaving.abort();
  return { status, headers, text: Buffer.from(value ?? []).toString(), json: null };
}
