import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readBudgetFile } from '../src/sources/newsletters/budget/budget-file.ts';
import { readDataset } from '../src/sources/newsletters/budget/dataset-text.ts';
import { localSeriesOf } from '../src/sources/newsletters/budget/local-series.ts';
import { filterNames } from '../src/sources/newsletters/budget/series-filter.ts';
import { notificationTypes } from '../src/sources/newsletters/notification-type.ts';
import { readWish } from '../src/sources/newsletters/notifications/notification.ts';

/** What the pages say of newsletters, tried with the code that reads it. */
const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string) => readFileSync(root + path, 'utf8');
const [api, operations] = [read('docs/api.md'), read('docs/operations.md')];

describe('docs/api.md', () => {
  const wishes = [...api.matchAll(/notifications -H 'X-User-Id[^\n]*\\\n {2}-d '(\{[^']*\})'/g)].map(
    ([, json = '']) => JSON.parse(json),
  );

  test('has an example of a newsletter and of both kinds of alerts, and each is taken', () => {
    expect(wishes.map(({ notificationType }) => notificationType)).toEqual([
      'newsletter_entity_monthly',
      'alert_series_static',
      'alert_series_analytics',
    ]);
    for (const { notificationType: type, entityCui, config } of wishes) {
      const wish = readWish({ type, entityCui, config });
      if (wish.config?.filter) expect(localSeriesOf(wish.config.filter)).not.toHaveProperty('problem');
    }
  });

  test('names every type, and every field of a filter', () => {
    const isNamed = (name: string) => api.includes(`\`${name}\``);
    expect([...notificationTypes, ...filterNames].filter((name) => !isNamed(name))).toEqual([]);
  });

  test('shows the trigger, a plan, its application with a canary, runs, and the key for them', () => {
    const bodies = [
      ...api.matchAll(
        /\/api\/v1\/notifications\/([a-z$A-Z/]+) -H "X-Notification[^'\n]*'[^'\n]*' \\\n {2}-d '(\{[^']*\})'/g,
      ),
    ];
    expect(bodies.map(([, path]) => path)).toEqual([
      'trigger',
      'plans',
      'plans/$RUN/apply',
      'runs/$RUN/pause',
    ]);
    for (const [, , json = ''] of bodies) expect(JSON.parse(json)).toBeTypeOf('object');
    expect(api).toMatch(/\| `NOTIFICATION_TRIGGER_API_KEY` \|/);
  });
});

describe('docs/operations.md', () => {
  const blocks = [...operations.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, kind, text = '']) => ({
    ...{ kind, text },
  }));
  const entriesIn = async (text: string) => {
    const entries = [];
    for await (const record of readBudgetFile(chunksOf(text), {}, new Set())) entries.push(record);
    return entries;
  };

  test('its static dataset is one', () => {
    const [dataset] = blocks.filter(({ kind }) => kind === 'yaml');
    const id = 'ro.economics.inflation.yearly';
    expect(readDataset(dataset?.text ?? '', 'yaml', id)).toMatchObject({
      dataset: { id, frequency: 'yearly', unit: '%', titles: { en: 'Inflation rate' } },
    });
  });

  test('its budgets, as CSV and as JSON, have both sides', async () => {
    const budgets = blocks.filter(({ text }) => /^(?:cui,period|\{ "entities")/.test(text));
    expect(budgets).toHaveLength(2);
    for (const { text } of budgets) {
      const entries = await entriesIn(text);
      expect(entries.filter((one) => 'problem' in one)).toEqual([]);
      const sides = entries.flatMap((one) =>
        'entry' in one && one.entry.kind === 'amount' ? one.entry.side : [],
      );
      expect(new Set(sides)).toEqual(new Set(['income', 'expenses']));
    }
  });

  test('every log event and every metric of newsletters is in it', () => {
    const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const code = files.map((name) => read(`src/${name}`)).join('\n');
    const events = [...code.matchAll(/log\.\w+\(\s*'((?:newsletters|budget|users)\.\w+)'/g)].map(
      ([, name = '']) => name,
    );
    expect(events.length).toBeGreaterThan(10);
    const metrics = [...code.matchAll(/name: '(newsletter_\w+)'/g)].map(([, name]) => `tidings_${name}`);
    expect(metrics).toHaveLength(3);
    expect([...events, ...metrics].filter((name) => !operations.includes(`\`${name}\``))).toEqual([]);
  });

  test('every column of an older system that is read is in it', () => {
    const code = read('src/sources/newsletters/notifications/import/old-tables.ts');
    const [, columns = ''] = /const columns = \{([\s\S]*?)\} as const/.exec(code) ?? [];
    const names = [...columns.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !operations.includes(`\`${name}\``))).toEqual([]);
  });
});

async function* chunksOf(text: string) {
  yield text;
}
