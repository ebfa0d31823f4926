import { render } from '../../src/emails/render.ts';
import { createNewsletters } from '../../src/sources/newsletters/newsletters.ts';
import type { Runs } from '../../src/sources/newsletters/runs/runs.ts';
import { systemIds } from '../../src/std/ids.ts';
import { createFakeBudget } from '../newsletters/fake-budget.ts';
import { baseUrl } from '../support/consent.ts';
import type { Answered, Api, ApiWorld, AskOptions } from './api-world.ts';
import { broken } from './broken-database.ts';
import { notificationsOf, path } from './notifications-world.ts';

/** The walk through the document, as far as it is about runs of newsletters and alerts. */
const unknownId = '00000000-0000-4000-8000-000000000000';
const notificationType = 'newsletter_entity_monthly';
const why = { reason: 'why' };
const verbs = ['pause', 'resume', 'cancel'] as const;

export const runExamples: Record<string, [path: string, options?: AskOptions]> = {
  [`POST ${path}/trigger`]: [`${path}/trigger`, { body: { notificationType } }],
  [`POST ${path}/plans`]: [`${path}/plans`, { body: { notificationType } }],
  [`POST ${path}/plans/{runId}/apply`]: [`${path}/plans/${unknownId}/apply`, { body: {} }],
  [`GET ${path}/runs`]: [`${path}/runs`],
  [`GET ${path}/runs/{runId}`]: [`${path}/runs/${unknownId}`],
  [`GET ${path}/runs/{runId}/items`]: [`${path}/runs/${unknownId}/items`],
  ...Object.fromEntries(
    verbs.map((verb) => [
      `POST ${path}/runs/{runId}/${verb}`,
      [`${path}/runs/${unknownId}/${verb}`, { body: why }],
    ]),
  ),
};

/** Newsletters whose runs can be asked for, and by nobody worked at. */
export function runsOf(world: ApiWorld): Runs {
  const { db, clock, outbox, parts } = world;
  const { runs } = createNewsletters({
    ...{ db, clock, outbox, render, ids: systemIds, log: parts.log, budget: createFakeBudget() },
    unsubscribe: parts.api.consent.unsubscribe,
    users: { name: 'test', addressesOf: async () => new Map() },
    ...{ defaultLocale: 'en', entityUrl: '', preferencesUrl: '', baseUrl: () => baseUrl },
    ...{ isLeader: async () => true, onComposed: () => {} },
  });
  return runs;
}

/** Answers that need something of their own. */
export function runParticular(parts: {
  api: () => Api;
  world: () => ApiWorld;
}): Record<string, () => Promise<Answered>> {
  const ask = (method: string, rest: string, body?: unknown) =>
    parts.api().ask(method, `${path}${rest}`, body === undefined ? {} : { body });
  async function planned(): Promise<string> {
    // Somebody is on its list, and somebody else is not.
    const order = { type: notificationType, entityCui: '4305857' } as const;
    const notifications = notificationsOf(parts.world());
    await notifications.subscribe({ userId: 'user_planned', ...order });
    const { notification } = await notifications.subscribe({ userId: 'user_not_planned', ...order });
    await notifications.update('user_not_planned', notification.id, { isActive: false });
    return (await ask('POST', '/plans', { notificationType })).json.runId;
  }
  async function running(): Promise<string> {
    return (await ask('POST', '/trigger', { notificationType, force: true })).json.runId;
  }
  async function applied(): Promise<string> {
    const runId = await planned();
    await ask('POST', `/plans/${runId}/apply`, { canary: { size: 1 } });
    return runId;
  }
  return {
    [`POST ${path}/plans 201`]: async () => {
      await planned();
      return ask('POST', '/plans', { notificationType, canary: { size: 1 }, by: 'ana' });
    },
    [`POST ${path}/plans/{runId}/apply 200`]: async () =>
      ask('POST', `/plans/${await planned()}/apply`, { canary: { size: 1 }, by: 'ana' }),
    [`POST ${path}/plans/{runId}/apply 404`]: () => ask('POST', `/plans/${unknownId}/apply`, {}),
    [`POST ${path}/plans/{runId}/apply 409`]: async () => ask('POST', `/plans/${await applied()}/apply`, {}),
    [`GET ${path}/runs 200`]: async () => {
      await applied();
      return ask('GET', '/runs');
    },
    [`GET ${path}/runs/{runId} 200`]: async () => ask('GET', `/runs/${await applied()}`),
    [`GET ${path}/runs/{runId} 404`]: () => ask('GET', `/runs/${unknownId}`),
    [`GET ${path}/runs/{runId}/items 200`]: async () => ask('GET', `/runs/${await planned()}/items`),
    [`GET ${path}/runs/{runId}/items 404`]: () => ask('GET', `/runs/${unknownId}/items`),
    ...Object.fromEntries(
      verbs.flatMap((verb) => {
        const name = `POST ${path}/runs/{runId}/${verb}`;
        const change = async (runId: string) => ask('POST', `/runs/${runId}/${verb}`, why);
        return [
          [`${name} 200`, async () => change(await running())],
          [`${name} 404`, () => change(unknownId)],
        ];
      }),
    ),
    // A plan is not at work, and what is cancelled stays so.
    [`POST ${path}/runs/{runId}/pause 409`]: async () => ask('POST', `/runs/${await planned()}/pause`, why),
    [`POST ${path}/runs/{runId}/resume 409`]: async () => ask('POST', `/runs/${await planned()}/resume`, why),
    [`POST ${path}/runs/{runId}/cancel 409`]: async () => {
      const runId = await running();
      const over = { status: 'finished', ended_at: 1 } as const;
      await parts
        .world()
        .db.write.updateTable('notification_runs')
        .set(over)
        .where('run_id', '=', runId)
        .execute();
      return ask('POST', `/runs/${runId}/cancel`, why);
    },
  };
}

/** Runs whose database cannot be asked. */
export const brokenRuns: Runs = {
  ...{ trigger: broken, plan: broken, apply: broken, pause: broken, resume: broken, cancel: broken },
  ...{ list: broken, get: broken, progress: broken, items: broken, underWay: broken },
  runOnce: broken,
  chore: { name: 'newsletter-runs', pauseMs: 1_000, once: broken },
};
