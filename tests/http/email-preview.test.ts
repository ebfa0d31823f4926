import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { templateNames } from '../../src/emails/render.ts';
import { startProcess } from '../../src/main.ts';
import { notificationTypes } from '../../src/sources/newsletters/notification-type.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { emptyDatabase } from '../support/world.ts';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { createApiWorld, keys } from './api-world.ts';

const world = worldForEach(() => createApiWorld());
const api = madeForEach(() => world.serve());

const path = '/api/v1/emails';
const preview = (template: string, props: object, more: object = {}) =>
  api.ask('POST', `${path}/preview`, { body: { template, props, ...more } });

/** As spec 002 has it, to the letter. */
const newsletter = {
  ...{ templateType: 'newsletter_entity', lang: 'ro', unsubscribeUrl: 'https://example.org/u/1' },
  ...{ platformBaseUrl: 'https://example.org', isPreview: true, entityName: 'Orașul Lunca Mare' },
  ...{ entityCui: '12345678', periodType: 'yearly', periodLabel: '2025' },
  summary: {
    ...{
      totalIncome: 1971234567.89,
      totalExpenses: '1519254567.89',
      budgetBalance: 451980000,
      currency: 'RON',
    },
  },
};
const alert = {
  ...{ templateType: 'alert_series', lang: 'en', unsubscribeUrl: 'https://example.org/u/1' },
  ...{ platformBaseUrl: 'https://example.org', title: 'Spending on roads' },
  triggeredConditions: [{ operator: 'gt', threshold: 20000, actualValue: 20500.5, unit: 'RON' }],
};

describe('where previews are', () => {
  const paths = [`${path}/templates`, `${path}/preview/newsletter_entity_monthly`];

  test.each([
    ['off by default', {}, 404],
    ['not asked for', { emailPreviewEnabled: false }, 404],
    ['never in production', { emailPreviewEnabled: true, environment: 'production' }, 404],
    ['nor under another spelling of it', { emailPreviewEnabled: true, environment: 'Production' }, 404],
    ['asked for', { emailPreviewEnabled: true, environment: 'staging' }, 200],
  ])('002-P10-06 %s', async (_, changes, status) => {
    const { emailPreviewEnabled: __, ...rest } = world.parts.api;
    const server = await world.serve({ server: { api: { ...rest, ...changes } } });
    for (const one of paths) expect((await server.ask('GET', one)).status).toBe(status);
    const { json } = await server.ask('GET', '/docs/openapi.json');
    expect(Object.keys(json.paths).some((one) => one.startsWith(path))).toBe(status === 200);
    // Where they are not, nothing tells them from any other address.
    const unknown = await server.ask('GET', '/api/v1/nothing');
    const there = await server.ask('GET', paths[0] ?? '', { key: null });
    if (status === 404) expect({ ...there.json, traceId: '' }).toEqual({ ...unknown.json, traceId: '' });
  });

  test('whoever could open one is told that they are off, and how they come on; but not in production', async () => {
    const { emailPreviewEnabled: _, ...rest } = world.parts.api;
    const off = await world.serve({ server: { api: rest } });
    for (const one of paths)
      expect((await off.ask('GET', one)).json).toMatchObject({
        ...{ code: 'preview_not_found', error: expect.stringContaining('Set EMAIL_PREVIEW_ENABLED=true') },
      });
    expect((await off.ask('GET', paths[0] ?? '', { key: keys.read[0] })).json.code).toBe('not_found');
    const production = await world.serve({ server: { api: { ...rest, environment: 'production' } } });
    expect((await production.ask('GET', paths[0] ?? '')).json.code).toBe('not_found');
  });

  test.each([
    [{ EMAIL_PREVIEW_ENABLED: 'true' }, 200],
    [{ EMAIL_PREVIEW_ENABLED: 'true', TIDINGS_ENV: 'production' }, 404],
    [{}, 404],
  ])('as a process is told: %j', async (environment, status) => {
    const database = await emptyDatabase('sqlite');
    const settings = { DATABASE_URL: database.url, PORT: '0', PROCESS_ROLE: 'api', ...environment };
    const running = await startProcess(readConfig(settings, 'no such file'), { log: createRecordingLog() });
    const answers = await Promise.all(paths.map((one) => fetch(`${running.url}${one}`)));
    await running.stop();
    await database.drop();
    expect(answers.map((answer) => answer.status)).toEqual(paths.map(() => status));
  });

  test('002-P3-14 they need the key of an operator', async () => {
    for (const one of paths) {
      expect((await api.ask('GET', one, { key: null })).status).toBe(401);
      expect((await api.ask('GET', one, { key: keys.read[0] })).status).toBe(403);
      expect((await api.ask('GET', one, { key: keys.service[0] })).status).toBe(403);
    }
    const { status } = await api.ask('POST', `${path}/preview`, { key: keys.read[0], body: {} });
    expect(status).toBe(403);
  });
});

test('002-P3-11 the list names every template, and each of its previews answers', async () => {
  const { json } = await api.ask('GET', `${path}/templates`);
  const { templates } = json;
  expect(templates.map(({ name }: { name: string }) => name)).toEqual(templateNames);
  expect(
    templates.find(({ template }: { template: string }) => template === 'newsletter_entity'),
  ).toMatchObject({
    ...{ name: 'newsletter-entity', version: 'v1', locales: ['en', 'ro'] },
    samples: ['monthly', 'quarterly', 'yearly', 'short'],
    previews: [`${path}/preview/newsletter_entity_monthly`, expect.any(String), expect.any(String)],
    props: { required: expect.arrayContaining(['entityName', 'unsubscribeUrl']) },
  });
  for (const { previews } of templates) {
    expect(previews.length).toBeGreaterThan(0);
    for (const address of previews) expect((await api.ask('GET', address)).status).toBe(200);
  }
});

describe('002-P3-13 002-V-02 a preview with sample data', () => {
  test.each(notificationTypes)('%s: a page in each language, its text, and the whole', async (type) => {
    for (const lang of ['ro', 'en']) {
      const page = await api.ask('GET', `${path}/preview/${type}?lang=${lang}`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.text).toMatch(new RegExp(`^<!DOCTYPE html><html [^>]*lang="${lang}"`));
      const text = await api.ask('GET', `${path}/preview/${type}?lang=${lang}&part=text`);
      expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      const whole = await api.ask('GET', `${path}/preview/${type}?lang=${lang}&part=json`);
      expect(whole.json).toEqual({
        ...{ subject: expect.any(String), html: page.text, text: text.text, templateVersion: 'v1' },
        templateName: type.startsWith('news') ? 'newsletter-entity' : 'alert-series',
      });
      expect(text.text).toMatch(lang === 'ro' ? /^Previzualizare\./ : /^Preview\./);
    }
  });

  test('its language is the browser’s, as far as there is one', async () => {
    const languageOf = async (liked: string, type = 'newsletter_entity_monthly') => {
      const headers = { 'accept-language': liked };
      const { text } = await api.ask('GET', `${path}/preview/${type}`, { headers });
      return /<html [^>]*lang="([\w-]+)"/.exec(text)?.[1];
    };
    expect(await languageOf('ro-RO,ro;q=0.9')).toBe('ro');
    expect(await languageOf('zh-CN')).toBe('en');
    expect(await languageOf('zh-CN', 'plain')).toBe('zh-CN');
  });

  test('nothing of it may run, load or be framed', async () => {
    for (const part of ['html', 'text']) {
      const { headers } = await api.ask('GET', `${path}/preview/alert_series?part=${part}`);
      const policy = headers.get('content-security-policy')?.split(';');
      expect(policy).toEqual([
        ...["default-src 'none'", "style-src 'unsafe-inline'", "base-uri 'none'", "form-action 'none'"],
        ...["frame-ancestors 'none'", 'sandbox'],
      ]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  test.each([
    ['none', 404, /^There is no such preview\. There are: newsletter_entity_monthly, /],
    ['toString', 404, /no such preview/],
    ['newsletter-entity', 404, /no such preview/],
    ['newsletter_entity_monthly?lang=fr', 400, /written in en, ro, and not in "fr"/],
    [
      'newsletter_entity?sample=weekly',
      400,
      /has no sample "weekly"\. There are: monthly, quarterly, yearly, short\./,
    ],
    ['newsletter_entity?part=pdf', 400, /part must be one of html, text, json/],
  ])('%s is answered with what there is', async (rest, status, sentence) => {
    const answer = await api.ask('GET', `${path}/preview/${rest}`);
    expect(answer.status).toBe(status);
    expect(answer.json.error).toMatch(sentence);
  });
});

describe('002-P3-12 a preview with data of one’s own', () => {
  test('in our own shape: amounts as they are to be read', async () => {
    const { status, json } = await preview(
      'alert-series',
      {
        ...{
          title: '<b>Roads</b>',
          periodLabel: '2025',
          actualValue: '5',
          unsubscribeUrl: 'https://example.org/u',
        },
        conditions: [{ operator: 'gte', threshold: '4', actualValue: '5', isMet: 'true' }],
      },
      { locale: 'ro' },
    );
    expect(status).toBe(200);
    expect(json.subject).toBe('Alertă: <b>Roads</b>, 2025');
    expect(json.html).toContain('&lt;b&gt;Roads&lt;/b&gt;');
    expect(json.text).toContain('Valoarea este cel puțin 4: este 5.');
    expect([json.templateName, json.templateVersion]).toEqual(['alert-series', 'v1']);
  });

  test('002-P3-03 a newsletter in the shape of the spec, whose amounts are numbers or decimals', async () => {
    const { status, json } = await preview('newsletter_entity', newsletter);
    expect(status).toBe(200);
    expect(json.subject).toBe('Bugetul pe 2025: Orașul Lunca Mare');
    expect(json.text).toContain(
      ['Venituri: 1,97 mld. RON', 'Cheltuieli: 1,52 mld. RON', 'Sold (excedent): 451,98 mil. RON'].join('\n'),
    );
    expect(json.text).toMatch(/^Previzualizare\./);
    expect(json.html).toContain('width="77%"');
    const english = await preview('newsletter_entity', { ...newsletter, isPreview: false }, { locale: 'en' });
    expect(english.json.text).toMatch(/^Orașul/);
    expect(english.json.text).toContain(
      'Income: 1.97B RON\nExpenses: 1.52B RON\nBalance (surplus): 451.98M RON',
    );
  });

  test('002-P3-04 an alert in the shape of the spec', async () => {
    const { status, json } = await preview('alert_series', alert);
    expect([status, json.subject]).toEqual([200, 'Alert: Spending on roads, …']);
    expect(json.text).toContain('The value is above 20K RON: it is 20.5K RON.');
    const romanian = await preview('alert_series', { ...alert, lang: 'ro', periodLabel: '2025' });
    expect(romanian.json.text).toContain('Valoarea este peste 20 mii RON: este 20,5 mii RON.');
    const none = await preview('alert_series', { ...alert, triggeredConditions: [] });
    expect(none.json.text).toContain('You set no condition');
  });

  test('an amount is rounded from its digits, not from a float', async () => {
    const summary = { ...newsletter.summary, totalIncome: '9007199254740993005000', budgetBalance: '-0.5' };
    const { json } = await preview('newsletter_entity', { ...newsletter, summary });
    expect(json.text).toContain('Sold (deficit): −0,5 RON');
    expect(json.text).toMatch(/Venituri: 9\.007\.199\.254,74 tril\. RON/);
  });

  test.each([
    ['none', {}, 'missing_template', /no template "none"\. There are: plain, /],
    ['newsletter_entity', {}, 'missing_variable', /needs the variable entityName/],
    [
      'newsletter_entity',
      { ...newsletter, entityNmae: 'x' },
      'invalid_variable',
      /Did you mean entityName\?/,
    ],
    ['newsletter_entity', { ...newsletter, summary: 7 }, 'invalid_variable', /summary must be an object/],
    [
      'newsletter_entity',
      { ...newsletter, summary: { ...newsletter.summary, totalIncome: '1e9' } },
      'invalid_variable',
      /summary\.totalIncome must be a number, or a text such as "1234\.56"/,
    ],
    [
      'newsletter_entity',
      { ...newsletter, templateType: 'alert_series' },
      'invalid_variable',
      /templateType must be/,
    ],
    ['newsletter_entity', { ...newsletter, lang: 'fr' }, 'missing_locale', /written in en, ro/],
    ['newsletter_entity', { ...newsletter, lang: 7 }, 'invalid_variable', /lang must be a text/],
    ['newsletter_entity', { ...newsletter, entityUrl: 'javascript:x' }, 'invalid_variable', /no link/],
    ['alert_series', { ...alert, triggeredConditions: {} }, 'invalid_variable', /must be a list/],
    [
      'alert_series',
      { ...alert, triggeredConditions: [null] },
      'invalid_variable',
      /\[0\] must be an object/,
    ],
    [
      'alert_series',
      { ...alert, triggeredConditions: [{ ...alert.triggeredConditions[0], operator: 'ne' }] },
      'invalid_variable',
      /conditions\[0\]\.operator .* must be one of gt, gte, lt, lte, eq/,
    ],
    [
      'alert_series',
      { ...alert, triggeredConditions: Array(21).fill(alert.triggeredConditions[0]) },
      'variable_too_long',
      /more than 20 entries/,
    ],
  ])('%s with %j is refused with what to do', async (template, props, code, sentence) => {
    const { status, json } = await preview(template, props);
    expect([status, json.code]).toEqual([400, code]);
    expect(json.error).toMatch(sentence);
  });

  test('nothing is stored or sent', async () => {
    await preview('newsletter_entity', newsletter);
    const rows = await world.db.read.selectFrom('deliveries').selectAll().execute();
    expect(rows).toEqual([]);
  });
});
