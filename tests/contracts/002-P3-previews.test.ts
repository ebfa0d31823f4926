import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { templateNames } from '../../src/emails/render.ts';
import { notificationTypes } from '../../src/sources/newsletters/notification-type.ts';
import { createCommandLine } from '../cli/command-line.ts';
import { pageOf } from '../emails/mails.ts';
import { type Api, createApiWorld, keys } from '../http/api-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { madeForAll, worldForAll } from '../support/world-for-each.ts';
import { createCivicContract } from './civic-contract-world.ts';

/** Spec 002, phase 3 and its verification: previews, by the props that the specification has. */
const base = {
  ...{ lang: 'ro', unsubscribeUrl: 'https://example.org/stop', platformBaseUrl: 'https://example.org' },
  ...{ preferencesUrl: 'https://example.org/choose' },
};
const newsletter = {
  ...{ ...base, templateType: 'newsletter_entity', entityName: 'Orașul Lunca Mare', entityCui: '12345678' },
  ...{ periodType: 'monthly', periodLabel: 'octombrie 2026' },
  summary: { totalIncome: 1500, totalExpenses: 2000, budgetBalance: -500, currency: 'RON' },
};
const alert = {
  ...{ ...base, templateType: 'alert_series', title: 'Drumuri', description: 'Plăți pentru drumuri.' },
  triggeredConditions: [{ operator: 'gte', threshold: 10, actualValue: 12.5, unit: 'RON' }],
};

const languageOf = (html: string) => /<html [^>]*lang="([\w-]+)"/.exec(html)?.[1];
const path = '/api/v1/emails';

onBothDatabases('002 phase 3: previews', (dialect) => {
  const world = worldForAll(() => createApiWorld(dialect));
  const api = madeForAll(() => world.serve());

  const preview = async (template: string, props: object) =>
    (await api.ask('POST', `${path}/preview`, { body: { template, props } })).json;

  it('002-P3-03 The props of `newsletter_entity` make a mail that shows the budget summary', async () => {
    const { text, html } = await preview('newsletter_entity', newsletter);
    const page = pageOf(html).texts.join('\n');
    for (const said of [
      'Orașul Lunca Mare',
      '12345678',
      'octombrie 2026',
      '1,5 mii RON',
      '2 mii RON',
      '−500 RON',
    ]) {
      expect(text).toContain(said);
      expect(page).toContain(said);
    }
    for (const [periodType, word] of Object.entries({
      monthly: 'lunar',
      quarterly: 'trimestrial',
      yearly: 'anual',
    }))
      expect((await preview('newsletter_entity', { ...newsletter, periodType })).text).toContain(word);
    expect(await preview('newsletter_entity', { ...newsletter, periodType: 'daily' })).toMatchObject({
      error: expect.stringContaining('must be one of monthly, quarterly, yearly'),
    });
  });

  it('002-P3-04 The props of `alert_series` make a mail that shows the conditions', async () => {
    const { text, html } = await preview('alert_series', alert);
    const sentence = 'Valoarea este cel puțin 10 RON: este 12,5 RON.';
    for (const said of ['Drumuri', 'Plăți pentru drumuri.', sentence]) {
      expect(text).toContain(said);
      expect(html).toContain(said);
    }
    for (const operator of ['gt', 'gte', 'lt', 'lte', 'eq']) {
      const triggeredConditions = [{ ...alert.triggeredConditions[0], operator }];
      expect((await preview('alert_series', { ...alert, triggeredConditions })).subject).toMatch(/^Alertă: /);
    }
  });

  it('002-P3-11 `GET /api/v1/emails/templates` lists the available templates', async () => {
    const { status, json } = await api.ask('GET', `${path}/templates`);
    expect(status).toBe(200);
    const listed = json.templates.map(({ template }: { template: string }) => template);
    expect(listed).toEqual(templateNames.map((name) => name.replaceAll('-', '_')));
    expect(listed).toEqual(expect.arrayContaining(['newsletter_entity', 'alert_series']));
  });

  it('002-P3-12 `POST /api/v1/emails/preview` renders with custom data', async () => {
    // In the specification's own shape, too: amounts as numbers in a `summary`, and with `lang` among the props.
    const summary = { totalIncome: 1974051153.44, totalExpenses: 1522071111.01, budgetBalance: 451980042.43 };
    const { status, json } = await api.ask('POST', `${path}/preview`, {
      body: {
        template: 'newsletter_entity',
        props: {
          ...{
            ...base,
            templateType: 'newsletter_entity',
            lang: 'ro',
            entityName: 'Sibiu',
            entityCui: '4305857',
          },
          ...{ periodType: 'yearly', periodLabel: '2023', summary: { ...summary, currency: 'RON' } },
        },
      },
    });
    expect([status, json.templateName, json.templateVersion]).toEqual([200, 'newsletter-entity', 'v1']);
    expect(json.subject).toContain('Sibiu');
    expect(json.text).toContain('Venituri: 1,97 mld. RON\nCheltuieli: 1,52 mld. RON');
    expect(json.text).toContain('451,98 mil. RON');
  });

  it('002-P3-13 `GET /api/v1/emails/preview/:type` renders a quick preview with sample data', async () => {
    for (const type of [...notificationTypes, 'newsletter_entity', 'alert_series']) {
      const { status, headers, text } = await api.ask('GET', `${path}/preview/${type}?lang=ro`);
      expect([type, status, headers.get('content-type')]).toEqual([type, 200, 'text/html; charset=utf-8']);
      expect(languageOf(text)).toBe('ro');
    }
    expect((await api.ask('GET', `${path}/preview/weather`)).status).toBe(404);
  });

  it('002-V-02 `GET /api/v1/emails/preview/newsletter_entity_monthly` answers a preview', async () => {
    const { status, text } = await api.ask('GET', `${path}/preview/newsletter_entity_monthly`);
    expect([status, languageOf(text)]).toEqual([200, 'en']);
    expect(pageOf(text).texts.join(' ')).toMatch(/Preview.*Monthly budget newsletter/s);
  });

  it('002-O-05 Developer tooling: an email preview server and a REST preview API', async () => {
    const { json } = await api.ask('GET', '/docs/openapi.json');
    const paths = Object.keys(json.paths).filter((one) => one.startsWith(path));
    expect(paths.sort()).toEqual([`${path}/preview`, `${path}/preview/{type}`, `${path}/templates`]);
  });

  const previews = [
    ['GET', `${path}/templates`],
    ['GET', `${path}/preview/newsletter_entity_monthly`],
    ['POST', `${path}/preview`],
  ] as const;
  const body = { template: 'plain', props: { subject: 'S', text: 'T' } };
  const statusesOf = async (server: Api, key: string | null) => {
    const statuses: number[] = [];
    for (const [method, where] of previews)
      statuses.push((await server.ask(method, where, { key, ...(method === 'POST' && { body }) })).status);
    return statuses;
  };

  it('002-P3-14 Preview routes are for development only and protected', async () => {
    expect(await statusesOf(api, keys.operator[0])).toEqual([200, 200, 200]);
    expect(await statusesOf(api, null)).toEqual([401, 401, 401]);
    expect(await statusesOf(api, keys.read[0])).toEqual([403, 403, 403]);
    const before = await world.db.read.selectFrom('deliveries').select('seq').execute();
    expect(before).toEqual([]);
  });

  it('002-P10-06 Preview routes are registered only when `EMAIL_PREVIEW_ENABLED` and not in production', async () => {
    for (const [environment, emailPreviewEnabled, status] of [
      ['development', true, 200],
      ['development', false, 404],
      ['production', true, 404],
      ['production', false, 404],
    ] as const) {
      const server = await world.serve({ api: { environment, emailPreviewEnabled } });
      expect(await statusesOf(server, keys.operator[0])).toEqual([status, status, status]);
    }
  });

  it('002-P3-02 A mail of the source’s own has the base props as they are configured, in the language that was chosen', async () => {
    const civic = await createCivicContract(dialect);
    try {
      const order = {
        userId: 'user-1',
        type: 'newsletter_entity_monthly',
        entityCui: '4305857',
        locale: 'ro',
      };
      await civic.newsletters.notifications.subscribe(order);
      await civic.trigger();
      await civic.settle();
      const [mail] = civic.provider.ledger.map((parcel) => parcel.mail);
      const [link = ''] = /<(.*)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.slice(1) ?? [];
      expect(languageOf(mail?.html ?? '')).toBe('ro');
      expect(mail?.html).toContain(`href="${link}"`);
      expect(mail?.text).toContain('https://mail.example.org');
      expect(mail?.text).toContain('https://budget.example.org/4305857');
    } finally {
      await civic.close();
    }
  });
});

describe('002 the dev server of mails', () => {
  it('002-V-01 An email dev server starts on port 3001 (`email:dev`)', { timeout: 90_000 }, async () => {
    const shell = createCommandLine();
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const program = join(root, 'scripts/email-dev.mjs');
    // An empty PORT is none: by itself it is 3001.
    const env = { TSX_TSCONFIG_PATH: join(root, 'tsconfig.json'), PORT: '' };
    try {
      // Whoever has the port already will do as well.
      const other = createServer().listen(3001, '127.0.0.1');
      await Promise.race([once(other, 'listening'), once(other, 'error')]).catch(() => {});
      const server = shell.start([], { program, env, boundMs: 60_000 });
      // And then the next free one is taken.
      await server.until(/Port 3001 is taken; /);
      const [, url = ''] = await server.until(/Mails at (\S+)/);
      other.close();
      expect(await (await fetch(url)).text()).toContain('newsletter-entity');
      server.signal('SIGINT');
      expect((await server.ended).code).toBe(0);
    } finally {
      await shell.close();
    }
  });
});
