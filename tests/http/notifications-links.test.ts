import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeOverLinks } from '../../src/consent/taken-over.ts';
import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Api, type ApiWorld, createApiWorld } from './api-world.ts';

/** A mail of the older system lies in somebody's inbox: its link leads to our page, and works. */
onBothDatabases('the link in a mail of an older system', (dialect) => {
  let world: ApiWorld;
  let api: Api;
  const token = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
  beforeAll(async () => {
    world = await createApiWorld(dialect);
    api = await world.serve();
    await world.db.transaction((tx) =>
      takeOverLinks(tx, dialect, [{ source: 'newsletters', recipient: 'user_ana:7', token }], 1),
    );
  });
  afterAll(() => world.close());

  const left = () => world.parts.api.consent.unsubscribe.leftBy('user_ana:7');

  test('shows the page, and its button does what it says', async () => {
    const { status, text } = await api.ask('GET', `${unsubscribePath}/${token}`, { key: null });
    expect([status, await left()]).toEqual([200, []]);
    const [, action] = /action="([^"]+)"/.exec(text) ?? [];
    expect(action).toBe(`${token}/stop`);
    await api.ask('POST', `${unsubscribePath}/${action}`, { key: null });
    expect(await left()).toHaveLength(1);
    await api.ask('POST', `${unsubscribePath}/${token}/undo`, { key: null });
    expect(await left()).toEqual([]);
  });

  test('and one click, as mail programs do it', async () => {
    const { status, text } = await api.ask('POST', `${unsubscribePath}/${token}`, { key: null });
    expect([status, text, (await left()).length]).toEqual([200, '', 1]);
  });

  test('one that nobody gave out looks and answers the same', async () => {
    const unknown = token.replace('7c', '8c');
    const [known, made] = await Promise.all(
      [token, unknown].map((one) => api.ask('GET', `${unsubscribePath}/${one}`, { key: null })),
    );
    expect(made?.text.replaceAll(unknown, token)).toBe(known?.text);
    expect((await api.ask('POST', `${unsubscribePath}/${unknown}`, { key: null })).status).toBe(200);
  });
});
