import { expect, test } from 'vitest';
import { readWishesFile } from './wishes-file.ts';

async function read(text: string) {
  async function* chunks() {
    yield text;
  }
  const ignored = new Set<string>();
  const records = [];
  for await (const record of readWishesFile(chunks(), ignored)) records.push(record);
  return { records, ignored: [...ignored] };
}

const newsletter = { userId: 'ana', type: 'newsletter_entity_yearly', entityCui: '4305857' };
const config = { datasetId: 'a.b', conditions: [] };
const alert = { userId: '5', type: 'alert_series_static', config, locale: 'en' };

test('as CSV, as a JSON list, in an object, and an object a line: all the same', async () => {
  const csv = [
    'User;Notification Type;Entity;Config;Locale;Note',
    'ana;newsletter_entity_yearly;RO4305857;;;x',
    '5;alert_series_static;;"{""datasetId"":""a.b"",""conditions"":[]}";en;',
  ].join('\n');
  const objects = [
    { user: 'ana', type: 'newsletter_entity_yearly', cui: 4305857 },
    { userId: 5, notificationType: 'alert_series_static', config, locale: 'en' },
  ];
  const inCsv = await read(csv);
  expect(inCsv).toEqual({
    records: [
      { line: 2, order: newsletter },
      { line: 3, order: alert },
    ],
    ignored: ['Note'],
  });
  for (const text of [JSON.stringify(objects), JSON.stringify({ notifications: objects })])
    expect((await read(text)).records).toEqual([
      { line: 1, number: 1, order: newsletter },
      { line: 1, number: 2, order: alert },
    ]);
  const lines = await read(objects.map((one) => JSON.stringify(one)).join('\n'));
  expect(lines.records).toEqual(inCsv.records.map((one) => ({ ...one, line: one.line - 1 })));
});

test('what cannot be read is told, and the next goes on', async () => {
  const { records } = await read('user,type,config\n,x,\nana,,\nana,x,{\nana,newsletter_entity_yearly,\n');
  expect(records).toEqual([
    { line: 2, problem: 'The user is missing.' },
    { line: 3, problem: 'The type is missing.' },
    { line: 4, problem: expect.stringMatching(/^The config is no JSON/) },
    { line: 5, order: { userId: 'ana', type: 'newsletter_entity_yearly' } },
  ]);
  await expect(read('who,what\nana,x\n')).rejects.toMatchObject({ code: 'unknown_columns' });
});
