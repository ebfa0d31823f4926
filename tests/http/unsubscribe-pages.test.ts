import { HtmlValidate } from 'html-validate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unsubscribePath } from '../../src/consent/unsubscribe.ts';
import { unknownToken } from '../support/recipients.ts';
import { onBothDatabases } from '../support/world.ts';
import { createUnsubscribeWorld, type UnsubscribeWorld } from './unsubscribe-world.ts';

/** How the pages behind the link look, whoever asks for them: here nobody has a link that was given out. */
onBothDatabases('the unsubscribe link', (dialect) => {
  let world: UnsubscribeWorld;
  beforeAll(async () => {
    world = await createUnsubscribeWorld(dialect);
  });
  afterAll(() => world.close());

  describe('the pages', () => {
    const everyPage = async (headers: Record<string, string> = {}) => [
      await world.api.ask('GET', `${unsubscribePath}/${unknownToken}`, { key: null, headers }),
      await world.post(`${unsubscribePath}/${unknownToken}/stop`, headers),
      await world.post(`${unsubscribePath}/${unknownToken}/everything`, headers),
      await world.post(`${unsubscribePath}/${unknownToken}/undo`, headers),
    ];

    test('are kept, found, framed and told by nobody, and load nothing', async () => {
      for (const { headers, text } of await everyPage()) {
        expect(Object.fromEntries(headers)).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
          'x-robots-tag': 'noindex, nofollow',
          'x-frame-options': 'DENY',
          'content-security-policy':
            "default-src 'none';style-src 'unsafe-inline';base-uri 'none';form-action 'self';frame-ancestors 'none'",
          vary: 'Accept-Language',
        });
        expect(headers.get('set-cookie')).toBeNull();
        expect(text).toContain('<meta name="robots" content="noindex, nofollow">');
        expect(text).not.toMatch(/<script|src=|href=|url\(|https?:/);
      }
    });

    test.each([
      ['en', 'tlh, en;q=0.1', 'Stop these mails?'],
      ['ro', 'ro-RO,ro;q=0.9,en-US;q=0.8', 'Doriți să opriți aceste mesaje?'],
      ['zh-CN', 'zh-CN,zh;q=0.9', '要停止这些邮件吗？'],
    ])('are in the language of their reader: %s', async (lang, asked, heading) => {
      const pages = await everyPage({ 'accept-language': asked });
      expect(pages[0]?.text).toContain(`<h1>${heading}</h1>`);
      const validator = new HtmlValidate({ extends: ['html-validate:standard'] });
      for (const { text } of pages) {
        expect(text).toContain(`<html lang="${lang}">`);
        expect(text).not.toContain('undefined');
        expect(text.replaceAll('<!doctype', '')).not.toMatch(/[!！]/);
        const { results } = await validator.validateString(text);
        expect(results.flatMap(({ messages }) => messages.map(({ message }) => message))).toEqual([]);
      }
    });
  });
});
