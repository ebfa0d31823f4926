import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAudit } from '../../src/audit/audit.ts';
import { silentLog } from '../../src/std/log.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Api, type ApiWorld, createApiWorld, keys, operatorKey } from './api-world.ts';

onBothDatabases('what operators have changed', (dialect) => {
  let world: ApiWorld;
  let api: Api;
  beforeEach(async () => {
    world = await createApiWorld(dialect);
    api = await world.serve();
  });
  afterEach(() => world.close());

  const lines = async (query = '') =>
    (await api.ask('GET', `/api/v1/audit${query}`, { key: keys.read[0] })).json;
  const pause = (body: object) => api.ask('POST', '/api/v1/pauses', { key: operatorKey, body });

  test('is written down with who, what and why, and what came of it; the newest first', async () => {
    await pause({ scope: '*', reason: 'a figure is wrong', by: 'ana' });
    await pause({ scope: 'plane', reason: 'told by bob@example.org' });
    await api.ask('DELETE', '/api/v1/pauses/*', { key: keys.operator[1] });
    expect(await lines()).toEqual({
      lines: [
        {
          ...{ seq: expect.any(Number), at: expect.any(String), traceId: expect.any(String) },
          ...{ who: 'the API (operator key 2)', verb: 'DELETE /api/v1/pauses/:scope' },
          ...{ details: '{"scope":"*"}', reason: null, answer: '200' },
        },
        expect.objectContaining({ answer: 'unknown_source', reason: 'told by [address]' }),
        expect.objectContaining({ who: 'ana (operator key 1)', reason: 'a figure is wrong', answer: '201' }),
      ],
      next: null,
    });
  });

  test('what is said in the address is a reason too, and what only asks in a body is no change', async () => {
    const because = { addresses: ['ana@example.org'], because: 'she asked' };
    await api.ask('POST', '/api/v1/suppressions', { body: because });
    await api.ask('DELETE', '/api/v1/suppressions/ana@example.org?because=she+is+back&by=bob');
    const body = { template: 'plain', props: { subject: 'Hello', text: 'It works.' } };
    expect((await api.ask('POST', '/api/v1/emails/preview', { body })).status).toBe(200);
    expect((await lines()).lines).toMatchObject([
      {
        ...{ who: 'bob (operator key 1)', reason: 'she is back', answer: '200' },
        details: '{"address":"[address]"}',
      },
      { reason: 'she asked', details: '{"addresses":["[address]"]}' },
    ]);
  });

  test('whoever lets it go on, plays with the inbox or clears it may say why, and need not', async () => {
    await pause({ scope: '*', reason: 'why' });
    await api.ask('DELETE', '/api/v1/pauses/*?reason=it+is+mended&by=ana');
    const switched = '/api/v1/inbox/switches/bounce';
    await api.ask('POST', switched, { body: { minutes: 1, reason: 'we try it out', by: 'bob' } });
    await api.ask('DELETE', `${switched}?reason=seen+enough&by=bob`);
    await api.ask('DELETE', switched);
    await api.ask('POST', '/api/v1/inbox/clear', { body: { reason: 'the trial is over', by: 'eve' } });
    await api.ask('POST', '/api/v1/inbox/clear', { body: {} });
    expect(
      (await lines()).lines.map(({ who, reason, answer }: Record<string, string>) => [who, reason, answer]),
    ).toEqual([
      ['the API (operator key 1)', null, '200'],
      ['eve (operator key 1)', 'the trial is over', '200'],
      ['the API (operator key 1)', null, '200'],
      ['bob (operator key 1)', 'seen enough', '200'],
      ['bob (operator key 1)', 'we try it out', '200'],
      ['ana (operator key 1)', 'it is mended', '200'],
      ['the API (operator key 1)', 'why', '201'],
    ]);
  });

  test('page by page', async () => {
    for (const scope of ['a', 'b', 'c']) await pause({ scope, reason: 'why' });
    const first = await lines('?limit=2');
    expect(first.lines.map(({ details }: { details: string }) => details)).toEqual([
      '{"scope":"c"}',
      '{"scope":"b"}',
    ]);
    const second = await lines(`?limit=2&below=${first.next.below}`);
    expect([second.lines.length, second.next]).toEqual([1, null]);
  });

  test('who only looks, who is refused at the door and what services ask for is not in it', async () => {
    await api.ask('GET', '/api/v1/pauses', { key: operatorKey });
    await api.ask('POST', '/api/v1/pauses', { key: keys.read[0], body: { scope: '*', reason: 'why' } });
    await api.ask('POST', '/api/v1/pauses', { key: operatorKey, body: { scope: 7 } });
    await api.ask('POST', '/api/v1/intents', { key: keys.service[0], body: {} });
    expect((await lines()).lines).toEqual([]);
  });

  test('a line without an answer is what a crash leaves, and no change is without a line', async () => {
    const audit = createAudit({ db: world.db, clock: world.clock, log: silentLog });
    const asked = { who: 'ana', verb: 'tidings pause', details: {}, reason: 'why', traceId: 't' };
    let isSeen = false;
    const change = async () => {
      isSeen = (await audit.list({ limit: 1 }))[0]?.answer === null;
    };
    await audit.changing(asked, change, () => 'done');
    expect([isSeen, (await audit.list({ limit: 1 }))[0]?.answer]).toEqual([true, 'done']);
  });
});
