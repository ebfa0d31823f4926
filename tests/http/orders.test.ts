import { describe, expect, test } from 'vitest';
import type { Status } from '../../src/domain/status.ts';
import { rowIn } from '../support/rows.ts';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { createApiWorld, keys } from './api-world.ts';

const world = worldForEach(() => createApiWorld());
const api = madeForEach(() => world.serve());

describe("an operator's word", () => {
  const perform = (verb: string, body: object) => api.ask('POST', `/api/v1/deliveries/${verb}`, { body });
  const statusOf = async (seq: number) => (await world.queries.find(String(seq)))?.status;

  test('requeues what was given up, says why not for the others, and is in the story', async () => {
    const dead = await rowIn(world, 'failed_permanent', 1);
    const sent = await rowIn(world, 'sent', 2);
    const { status, json } = await perform('requeue', {
      references: [String(dead), String(sent), 'nothing'],
      reason: 'mended',
      by: 'ana',
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      isDryRun: false,
      deliveries: [
        {
          ...{ reference: String(dead), seq: dead, isRequeued: true, status: 'pending' },
          sentence: `Delivery ${dead} is put back: it is sent when a worker takes it.`,
        },
        {
          ...{ reference: String(sent), seq: sent, isRequeued: false, status: 'sent' },
          sentence: expect.stringMatching(/is not put back\. .*sent/),
        },
        {
          ...{ reference: 'nothing', seq: null, isRequeued: false, status: null },
          sentence: 'There is no such delivery.',
        },
      ],
    });
    const { events } = await world.queries.story(dead);
    expect(events.at(-1)).toMatchObject({ event: 'requeued', actor: 'operator ana (operator key 1)' });
    expect(events.at(-1)?.detail).toContain('"reason":"mended"');
  });

  test.each([
    ['sent', 'sent'],
    ['not_sent', 'failed_transient'],
    ['closed', 'failed_permanent'],
  ])('resolves as %s', async (as, status) => {
    const seq = await rowIn(world, 'needs_review', 1);
    const { json } = await perform('resolve', { references: [String(seq)], as, reason: 'asked them' });
    expect(json.deliveries).toMatchObject([{ seq, isResolved: true }]);
    expect([await statusOf(seq), json.deliveries[0].status]).toEqual([status, status]);
    const again = await perform('resolve', { references: [String(seq)], as, reason: 'asked them' });
    expect(again.json.deliveries).toMatchObject([
      { isResolved: false, sentence: expect.stringContaining('nothing to decide') },
    ]);
  });

  test('by filter, after a look at what it would be', async () => {
    const rows: [Status, number][] = [
      ['failed_permanent', 1],
      ['failed_permanent', 2],
      ['sent', 3],
    ];
    for (const [status, number] of rows) await rowIn(world, status, number);
    const order = { filter: { status: ['failed_permanent'], source: 'plain' }, limit: 10, reason: 'mended' };
    const dry = (await perform('requeue', { ...order, dryRun: true })).json;
    expect(dry).toMatchObject({ isDryRun: true, deliveries: [{ isRequeued: false }, { isRequeued: false }] });
    expect(await world.queries.search({ status: ['pending'], limit: 9 })).toEqual([]);
    const done = (await perform('requeue', order)).json;
    expect(done).toMatchObject({ isDryRun: false, deliveries: [{ isRequeued: true }, { isRequeued: true }] });
    expect(await world.queries.search({ status: ['pending'], limit: 9 })).toHaveLength(2);
  });

  test.each([
    [{ filter: {}, reason: 'r' }, 'filter.status is missing.'],
    [{ filter: { status: [] }, reason: 'r' }, 'filter.status must have at least one entry.'],
    [{ references: [], reason: 'r' }, 'references must have at least one entry.'],
    [{ references: ['1'] }, 'reason is missing.'],
    [{ references: ['1'], filter: { status: ['sent'] }, reason: 'r' }, 'There is no field "references".'],
    [
      { references: ['1'], reason: '  ' },
      "Say why, in 1 to 500 characters: it is kept in the delivery's story.",
    ],
  ])('is refused where it is not clear: %j', async (body, sentence) => {
    const { status, json } = await perform('requeue', body);
    expect([status, json.error]).toEqual([400, expect.stringContaining(sentence)]);
  });
});

test('the inbox comes newest first, page by page', async () => {
  for (let number = 1; number <= 4; number++) {
    const mail = {
      from: 'a@example.org',
      to: 'b@example.org',
      subject: `Subject ${number}`,
      html: 'h',
      text: 't',
    };
    const values = {
      ...{ message_id: `m-${number}`, idempotency_key: `k-${number}`, body_hash: 'x', received_at: 0 },
      mail: JSON.stringify({ ...mail, headers: {}, tags: {} }),
    };
    await world.db.write.insertInto('captured_mails').values(values).execute();
  }
  const pages: string[][] = [];
  for (let query = '?limit=2'; ; ) {
    const { mails, next } = (await api.ask('GET', `/api/v1/inbox${query}`)).json;
    pages.push(mails.map(({ messageId }: { messageId: string }) => messageId));
    if (!next) break;
    query = `?limit=2&below=${next.below}`;
  }
  expect(pages).toEqual([
    ['m-4', 'm-3'],
    ['m-2', 'm-1'],
  ]);
});

describe('pauses', () => {
  test('are made, listed, kept as they were first, and lifted', async () => {
    const pause = (body: object) => api.ask('POST', '/api/v1/pauses', { body });
    expect((await pause({ scope: 'plain', reason: 'flood', by: 'ana' })).status).toBe(201);
    const again = await pause({ scope: 'plain', reason: 'other' });
    expect([again.status, again.json.reason]).toEqual([200, 'flood']);
    expect((await api.ask('GET', '/api/v1/pauses')).json).toEqual({
      pauses: [
        { scope: 'plain', reason: 'flood', by: 'ana (operator key 1)', at: '2026-01-01T00:00:00.000Z' },
      ],
    });
    expect((await api.ask('DELETE', '/api/v1/pauses/plain')).json).toEqual({
      scope: 'plain',
      isResumed: true,
    });
    expect(await world.parts.api.pauses.list()).toEqual([]);
  });

  test.each([
    [keys.operator[0], 'the API (operator key 1)'],
    [null, 'the API'],
  ])('that nobody has put a name to are by the API', async (key, by) => {
    const nobody = { operator: [], read: [], service: [] };
    const asked = key === null ? await world.serve({ api: { keys: nobody } }) : api;
    const { json } = await asked.ask('POST', '/api/v1/pauses', { key, body: { scope: '*', reason: 'r' } });
    expect(json.by).toBe(by);
  });

  test('of a source that is not there is a mistake', async () => {
    const { status, json } = await api.ask('POST', '/api/v1/pauses', {
      body: { scope: 'plian', reason: 'r' },
    });
    expect([status, json.code, json.error]).toEqual([
      400,
      'unknown_source',
      expect.stringContaining('Did you mean plain?'),
    ]);
  });
});
