import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Consent } from '../../src/consent/consent.ts';
import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import { type Api, type ApiWorld, createApiWorld } from '../http/api-world.ts';
import { baseUrl } from '../support/consent.ts';
import { createDispatchWorld, signal } from '../support/dispatch-world.ts';
import { recipientIn, unknownToken } from '../support/recipients.ts';
import { onBothDatabases } from '../support/world.ts';

/** Specification 002 on unsubscribing, clause by clause. */
onBothDatabases('002 phase 8: unsubscribe', (dialect) => {
  let world: ApiWorld;
  let consent: Consent;
  let usual: Api;
  let literal: Api;
  let people = 0;
  const somebody = () => {
    people += 1;
    return recipientIn(world, consent, `somebody-${people}`);
  };
  const ask = (api: Api, method: string, path: string) => api.ask(method, path, { key: null });
  const unknown = `${unsubscribePath}/${unknownToken}`;

  beforeAll(async () => {
    world = await createApiWorld(dialect);
    consent = world.parts.api.consent;
    usual = await world.serve();
    literal = await world.serve({ api: { unsubscribeOnGet: true } });
  });
  afterAll(() => world.close());

  test('002-P8-01 Route `GET` and `POST /api/v1/notifications/unsubscribe/:token`', async () => {
    const { token } = await somebody();
    for (const method of ['GET', 'POST']) {
      const { status } = await ask(usual, method, `/api/v1/notifications/unsubscribe/${token}`);
      expect([method, status]).toEqual([method, 200]);
    }
  });

  describe('002-P8-02 GET unsubscribes and answers an HTML success page', () => {
    test('with UNSUBSCRIBE_ON_GET, to the letter', async () => {
      const person = await somebody();
      const { status, headers, text } = await ask(literal, 'GET', person.path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toContain('These mails are stopped');
      expect(await person.statuses()).toEqual(['skipped_unsubscribed']);
    });

    test('otherwise one press of its button later, because link scanners follow links', async () => {
      const person = await somebody();
      const { status, headers, text } = await ask(usual, 'GET', person.path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await person.statuses()).toEqual(['pending']);
      const [, action = ''] = /action="([^"]*)"/.exec(text) ?? [];
      const pressed = await ask(usual, 'POST', new URL(action, `http://localhost${person.path}`).pathname);
      expect(pressed.text).toContain('These mails are stopped');
      expect(await person.statuses()).toEqual(['skipped_unsubscribed']);
    });
  });

  test('002-P8-03 GET with an unknown token answers the same page (no enumeration)', async () => {
    for (const api of [usual, literal]) {
      const person = await somebody();
      const known = await ask(api, 'GET', person.path);
      const other = await ask(api, 'GET', unknown);
      expect([other.status, other.text.replaceAll(unknownToken, person.token)]).toEqual([200, known.text]);
    }
  });

  test('002-P8-04 POST unsubscribes and answers 200 with an empty body', async () => {
    const person = await somebody();
    const { status, text } = await ask(usual, 'POST', person.path);
    expect([status, text]).toEqual([200, '']);
    expect(await person.statuses()).toEqual(['skipped_unsubscribed']);
  });

  test('002-P8-05 POST with an unknown token answers 200 with an empty body', async () => {
    const { status, text } = await ask(usual, 'POST', unknown);
    expect([status, text]).toEqual([200, '']);
  });

  test('002-P11-07 The link shows a page; the button of a mail program gets an empty 200', async () => {
    const { path } = await somebody();
    expect((await ask(usual, 'GET', path)).text).toMatch(/^<!doctype html>/);
    expect(await ask(usual, 'POST', path)).toMatchObject({ status: 200, text: '' });
  });

  test('002-C-07 Unsubscribe POST returns an empty 200, not JSON', async () => {
    const { path } = await somebody();
    const { status, headers, text } = await ask(usual, 'POST', path);
    expect([status, text, headers.get('content-type')]).toEqual([200, '', null]);
    expect(headers.get('content-length')).toBe('0');
  });

  test('002-D6-01 Every email has `List-Unsubscribe: <{base}/api/v1/notifications/unsubscribe/{token}>`, 002-D6-02 and `List-Unsubscribe-Post: List-Unsubscribe=One-Click`', async () => {
    const sending = await createDispatchWorld(dialect);
    try {
      await sending.enqueue(1, 2, 3);
      await sending.dispatch().runOnce(signal());
      const headers = sending.provider.ledger.map(({ mail }) => mail.headers);
      expect(headers).toHaveLength(3);
      for (const one of headers) {
        expect(one['List-Unsubscribe']).toMatch(
          new RegExp(`^<${baseUrl}/api/v1/notifications/unsubscribe/[\\w-]{44}>$`),
        );
        expect(one['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
      }
      expect(new Set(headers.map((one) => one['List-Unsubscribe'])).size).toBe(3);
    } finally {
      await sending.close();
    }
  });
});
