import { expect, test } from 'vitest';
import { wantsPage } from './wants-page.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

test.each([
  ['a browser', 'GET', '/nonsense', browser, true],
  ['a browser that asks for the headers alone', 'HEAD', '/nonsense', browser, true],
  ['a browser with a form', 'POST', '/nonsense', browser, false],
  ['a browser at the API', 'GET', '/api/v1/nonsense', browser, false],
  ['a browser at the API itself', 'GET', '/api?x=1', browser, false],
  ['a browser at what only begins so', 'GET', '/apiary', browser, true],
  ['whoever takes any text', 'GET', '/nonsense', 'text/*', true],
  ['whoever takes anything', 'GET', '/nonsense', '*/*', false],
  ['whoever says nothing', 'GET', '/nonsense', undefined, false],
  ['a program', 'GET', '/nonsense', 'application/json', false],
  ['who likes JSON better', 'GET', '/nonsense', 'text/html;q=0.5, application/json', false],
  ['who likes HTML better', 'GET', '/nonsense', 'application/json;q=0.5, Text/HTML', true],
  ['who wants no HTML', 'GET', '/nonsense', 'text/html;q=0', false],
])('%s', (_, method, url, accept, wants) => {
  expect(wantsPage({ method, url, headers: { accept } })).toBe(wants);
});
