import { describe, expect, test } from 'vitest';
import { parseAddress } from '../domain/address.ts';
import { type RenderOrder, render } from './render.ts';
import { checkSendable } from './sendable.ts';
import { locales } from './words.ts';

const letter = { subject: 'News', text: 'One.\nTwo.\n\nThree.' };
const order: RenderOrder = { template: 'plain', locale: null, props: letter };

async function rendered(change: Partial<RenderOrder> = {}) {
  const answer = await render({ ...order, ...change });
  if (!answer.ok) throw new Error(answer.sentence);
  return answer;
}

describe('a plain mail', () => {
  test('002-P3-05 has subject, html, text, and the name and version of its template', async () => {
    expect(await rendered()).toEqual({
      ok: true,
      subject: 'News',
      html: expect.stringMatching(/^<!DOCTYPE html><html.*<\/html>$/s),
      text: letter.text,
      templateName: 'plain',
      templateVersion: 'v1',
    });
  });

  test('blank lines part paragraphs, line breaks stay', async () => {
    const { html } = await rendered();
    expect(html.match(/<p [^>]*>.*?<\/p>/g)?.map((one) => one.replaceAll(/<p [^>]*>|<\/p>/g, ''))).toEqual([
      'One.<br/>Two.',
      'Three.',
    ]);
  });

  test('a link in the text stays text', async () => {
    const { html } = await rendered({ props: { ...letter, text: 'See https://example.org/x' } });
    expect(html).toContain('See https://example.org/x');
    expect(html).not.toContain('href');
  });

  test('its parts come in the order in which they are read', async () => {
    const props = {
      ...letter,
      heading: 'Heading',
      action: { label: 'Open it', url: 'https://example.org/open' },
      reason: 'You asked for it.',
      unsubscribeUrl: 'https://example.org/stop',
      manageUrl: 'https://example.org/choose',
    };
    const { text } = await rendered({ props });
    expect(text.split('\n')).toEqual([
      'Heading',
      '',
      'One.',
      'Two.',
      '',
      'Three.',
      '',
      'Open it:',
      'https://example.org/open',
      '',
      '----',
      'You asked for it.',
      'Unsubscribe: https://example.org/stop',
      'Choose what you receive: https://example.org/choose',
    ]);
  });

  test('the preheader is hidden, and in the html only', async () => {
    const { html, text } = await rendered({ props: { ...letter, preheader: 'In short' } });
    expect(html).toMatch(/<div style="display:none[^>]*>In short/);
    expect(text).not.toContain('In short');
  });
});

describe('the way out', () => {
  test.each([
    ['en', 'Unsubscribe'],
    ['ro-RO', 'Dezabonați-vă'],
    ['zh-Hans', '退订'],
  ])('002-P3-08 The footer is in the language of %s', async (locale, word) => {
    const { html, text } = await rendered({
      locale,
      props: { ...letter, unsubscribeUrl: 'https://example.org/stop' },
    });
    expect(html).toMatch(new RegExp(`<a href="https://example.org/stop"[^>]*>${word}</a>`));
    expect(text).toMatch(new RegExp(`\n${word}(: |：)https://example.org/stop$`));
  });

  test('no footer without something to say', async () => {
    const { html, text } = await rendered();
    expect(html).not.toContain('<hr');
    expect(text).not.toContain('----');
  });
});

describe('what is missing', () => {
  test('000-59 A language that the template is not written in ends the delivery', async () => {
    expect(await render({ ...order, locale: 'tlh' })).toEqual({
      ok: false,
      code: 'missing_locale',
      sentence: `The template plain is written in ${locales.join(', ')}, and not in "tlh".`,
    });
  });

  test('000-74 No language chosen is the default one', async () => {
    expect((await rendered()).html).toContain('lang="en"');
  });

  test.each([[{}], [{ subject: 'News' }], [{ subject: 'News', text: '' }], [{ subject: ' ', text: 'x' }]])(
    '000-59 A missing variable ends the delivery: %j',
    async (props) => {
      expect(await render({ ...order, props })).toMatchObject({ ok: false, code: 'missing_variable' });
    },
  );

  test('000-29 Variables that no template knows are let pass, and do not show', async () => {
    const { html, text } = await rendered({ props: { ...letter, campus: 'Busch <b>' } });
    expect(html + text).not.toContain('Busch');
  });

  test.each([
    [
      { ...letter, html: '<b>' },
      'The template plain has no variable "html". There are: subject, text, heading, preheader, action, reason, unsubscribeUrl, manageUrl.',
    ],
    [{ subjct: 'News', text: 'x' }, /no variable "subjct"\. Did you mean subject\? There are: subject, text/],
    [
      { ...letter, action: { label: 'Open', url: 'https://example.org', lable: 'x' } },
      /no variable "action\.lable"\. Did you mean label\? There are: label, url\.$/,
    ],
    [{ ...letter, toString: 'x' }, /no variable "toString"/],
  ])('At the door they are refused: %j', async (props, sentence) => {
    const answer = await checkSendable({ ...order, props }, []);
    expect(answer).toMatchObject({ ok: false, code: 'invalid_variable' });
    if (!answer.ok) expect(answer.sentence).toMatch(sentence);
    expect((await render({ ...order, props: { ...letter, ...props } })).ok).toBe(true);
  });

  test('What is too large is refused before it is rendered', async () => {
    // Rendering would find the missing template first.
    const props = { ...letter, text: '€'.repeat(180_000) };
    const to = parseAddress('a@example.org');
    if (!to.ok) throw new Error(to.sentence);
    const answer = await checkSendable({ template: 'none', locale: null, props }, [to.address]);
    expect(answer).toMatchObject({ ok: false, code: 'body_too_big' });
  });
});
