import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { templateNames } from '../../src/emails/render.ts';
import { type Api, type ApiWorld, createApiWorld, keys } from './api-world.ts';

/** The templates for the console: rendered for who may look, and nothing else comes of it. */
const path = '/api/v1/templates';

describe('templates', () => {
  let world: ApiWorld;
  let api: Api;
  beforeAll(async () => {
    world = await createApiWorld();
    api = await world.serve();
  });
  afterAll(() => world.close());

  const read = keys.read[0];
  const get = async (where = '') => (await api.ask('GET', `${path}${where}`, { key: read })).json;
  const render = (name: string, body: object) =>
    api.ask('POST', `${path}/${name}/render`, { key: read, body });

  test('every one is listed, and every sample of every language renders as it is', async () => {
    const { templates } = await get();
    expect(templates.map(({ name }: { name: string }) => name)).toEqual([...templateNames]);
    let mails = 0;
    for (const { name, languages } of templates) {
      for (const { locale, samples } of languages) {
        expect(samples.length).toBeGreaterThan(0);
        for (const sample of samples) {
          const { props } = await get(`/${name}/samples/${sample}?locale=${locale}`);
          const { status, json } = await render(name, { locale, props });
          expect([name, locale, sample, status]).toEqual([name, locale, sample, 200]);
          expect(json.html).toMatch(/^<!DOCTYPE html>/);
          expect(json.octets).toEqual({
            html: Buffer.byteLength(json.html),
            text: Buffer.byteLength(json.text),
          });
          mails += 1;
        }
      }
    }
    expect(mails).toBeGreaterThan(20);
  });

  test('in production too, where the previews of the specification are not', async () => {
    const server = await world.serve({ api: { environment: 'production', emailPreviewEnabled: false } });
    expect((await server.ask('GET', path, { key: read })).status).toBe(200);
    expect((await server.ask('GET', '/api/v1/emails/templates')).status).toBe(404);
  });

  test('what is wrong with a value is said by its name; what is no language or sample, with those that there are', async () => {
    const { props } = await get('/verification/samples/short?locale=en');
    const wrong = (changes: object, locale = 'en') =>
      render('verification', { locale, props: { ...props, ...changes } });
    expect((await wrong({ courseTitle: 7 })).json).toMatchObject({
      code: 'invalid_variable',
      error: 'The variable courseTitle of the template verification must be a text.',
    });
    expect((await wrong({ confirmUrl: 'javascript:alert(1)' })).json).toMatchObject({
      code: 'invalid_variable',
    });
    expect((await wrong({ courseTitel: 'x' })).json.error).toContain('Did you mean courseTitle?');
    expect((await wrong({ courseTitle: null })).json).toMatchObject({ code: 'missing_variable' });
    expect((await wrong({}, 'xx')).json).toMatchObject({ code: 'missing_locale' });
    expect((await api.ask('GET', `${path}/verification/samples/none?locale=en`)).json).toMatchObject({
      code: 'missing_sample',
      error: expect.stringContaining('There are: short'),
    });
    expect((await api.ask('GET', `${path}/none/samples/short?locale=en`)).json).toMatchObject({
      code: 'missing_template',
    });
  });

  test('strangers’ words are text in the mail, and a value that is too much is refused', async () => {
    const { props } = await get('/verification/samples/whole?locale=en');
    const { json } = await render('verification', {
      locale: 'en',
      props: { ...props, courseTitle: '<script>alert(1)</script>' },
    });
    expect(json.html).not.toContain('<script');
    expect(json.html).toContain('&lt;script&gt;');
    const long = await render('verification', {
      locale: 'en',
      props: { ...props, courseTitle: 'x'.repeat(9_999) },
    });
    expect(long.json).toMatchObject({ code: 'variable_too_long' });
    expect((await render('verification', { locale: 'en', props: { x: 'x'.repeat(300_000) } })).status).toBe(
      413,
    );
  });

  test('nothing is sent, and nothing is in the audit log; a service has no business here', async () => {
    const { props } = await get('/verification/samples/short?locale=en');
    await render('verification', { locale: 'en', props });
    expect((await api.ask('GET', '/api/v1/audit')).json.lines).toEqual([]);
    expect((await api.ask('GET', '/api/v1/deliveries')).json.deliveries).toEqual([]);
    expect((await api.ask('GET', path, { key: keys.service[0] })).json.code).toBe('role_required');
    expect((await api.ask('GET', path, { key: null })).status).toBe(401);
  });
});
