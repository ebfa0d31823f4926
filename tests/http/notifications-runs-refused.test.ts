import { afterEach, beforeEach, expect, it } from 'vitest';
import { monthly } from '../newsletters/civic-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { createRunsApi, keys, type RunsApi, triggerKey } from './notifications-runs-world.ts';

const unknownId = '00000000-0000-4000-8000-000000000000';

onBothDatabases('what the API refuses of runs', (dialect) => {
  let api: RunsApi;
  beforeEach(async () => {
    api = await createRunsApi(dialect);
  });
  afterEach(() => api.close());

  const answerOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

  it('who may start a run, who may look at it, and who neither', async () => {
    await api.followAll(1);
    const { runId } = (await api.order()).body;
    const asks = {
      trigger: (key: string | null) => api.ask('POST', '/trigger', { notificationType: monthly }, key),
      plan: (key: string | null) => api.ask('POST', '/plans', { notificationType: monthly }, key),
      list: (key: string | null) => api.ask('GET', '/runs', undefined, key),
      items: (key: string | null) => api.ask('GET', `/runs/${runId}/items`, undefined, key),
      pause: (key: string | null) => api.ask('POST', `/runs/${runId}/pause`, { reason: 'why' }, key),
    };
    const statusesOf = async (key: string | null) => {
      const seen = [];
      for (const ask of Object.values(asks)) seen.push((await ask(key)).status);
      return seen;
    };
    expect(await statusesOf(triggerKey)).toEqual([200, 201, 200, 200, 200]);
    expect(await statusesOf(keys.operator[0])).toEqual([200, 201, 200, 200, 200]);
    expect(await statusesOf(keys.read[0])).toEqual([401, 403, 200, 200, 403]);
    expect(await statusesOf(keys.service[0])).toEqual([401, 403, 403, 403, 403]);
    for (const key of [null, `${triggerKey}x`])
      expect(await statusesOf(key)).toEqual([401, 401, 401, 401, 401]);
    expect((await asks.trigger(keys.read[0])).body).toMatchObject({ error: 'Invalid API key' });
    // Of another one's subscriptions a key for runs opens nothing.
    expect((await api.ask('GET', '', undefined, triggerKey)).status).toBe(403);
  });

  it.each([
    [
      { notificationType: 'newsletter' },
      'invalid_request',
      /^notificationType must be one of newsletter_entity_/,
    ],
    [{ periodKey: '2026-11' }, 'period_not_over', /^The period 2026-11 is not over\. .*: 2026-10\.$/],
    [{ periodKey: '2026-Q3' }, 'invalid_period', /written like 2026-10, not "2026-Q3"\.$/],
    [{ periodkey: '2026-10' }, 'invalid_request', /no field "periodkey"\. Did you mean periodKey\?$/],
    [{ limit: 0 }, 'invalid_request', /^limit must be at least 1\.$/],
    [{ canary: {} }, 'invalid_request', /^canary\.size is missing\.$/],
    [{ canary: { size: 0 } }, 'invalid_request', /^canary\.size must be at least 1\.$/],
    [{ canary: { size: 1, bouncesMax: -1 } }, 'invalid_request', /^canary\.bouncesMax must be at least 0\.$/],
    [
      { canary: { size: 1, waitMinutes: 1e9 } },
      'invalid_request',
      /^canary\.waitMinutes must be at most 10080\.$/,
    ],
    [
      { canary: { size: 1, bounces: 2 } },
      'invalid_request',
      /no field "bounces" in canary\. There are: size, bouncesMax, waitMinutes\.$/,
    ],
  ])('%j is refused with what to do, by trigger and plan alike', async (more, code, sentence) => {
    for (const ask of [api.order, api.plan]) {
      const answer = await ask(more);
      expect(answerOf(answer)).toEqual([400, code]);
      expect(answer.body.error).toMatch(sentence);
    }
    expect((await api.ask('GET', '/runs')).body.runs).toEqual([]);
  });

  it('what is asked for wrongly is told how, and what is not there is not found', async () => {
    const sentenceOf = async (rest: string) => {
      const { status, body } = await api.ask('GET', rest);
      return [status, body.error];
    };
    const time = 'before must be a time with its zone, like 2026-07-01T09:30:00Z.';
    for (const text of ['yesterday', '2026-12-31', '2026-12-31T23:59:60Z', '2026-12-31T23:59:59Z[UTC]'])
      expect([text, ...(await sentenceOf(`/runs?before=${text}`))]).toEqual([text, 400, time]);
    expect(await sentenceOf('/runs?limit=101')).toEqual([400, 'limit must be at most 100.']);
    const id = 'runId must be an id such as 6b1f0c3e-4f0a-4d57-9d0f-0c2f4e9a1b22.';
    expect(await sentenceOf('/runs/17')).toEqual([400, id]);
    const states = 'planned, collected, composed, left_out, excluded';
    expect(await sentenceOf(`/runs/${unknownId}/items?state=sent`)).toEqual([
      400,
      `state must be one of ${states}.`,
    ]);
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['GET', '/items', undefined],
      ...['pause', 'resume', 'cancel'].map((verb) => ['POST', `/${verb}`, { reason: 'why' }] as const),
    ] as const)
      expect(answerOf(await api.ask(method, `/runs/${unknownId}${rest}`, body))).toEqual([
        404,
        'run_not_found',
      ]);
    expect(answerOf(await api.ask('POST', `/plans/${unknownId}/apply`, {}))).toEqual([404, 'run_not_found']);
    const { status, body } = await api.ask('POST', `/runs/${unknownId}/pause`, {});
    expect([status, body.error]).toEqual([400, 'reason is missing.']);
  });
});
