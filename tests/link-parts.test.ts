import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { linkParts } from '../src/link-parts.ts';

const leadsTo = (settings: Record<string, string>, servedAt?: string) =>
  linkParts(
    readConfig({ MAIL_PROVIDER: 'capture', ...settings }, 'no such file'),
    'x',
    () => servedAt,
  ).baseUrl();

test('a command, which serves nothing, writes the links that its server would write', () => {
  expect(leadsTo({}, 'http://127.0.0.1:3000')).toBe('http://127.0.0.1:3000');
  expect(leadsTo({})).toBe('http://127.0.0.1:3000');
  expect(leadsTo({ HOST: '::1', PORT: '4000' })).toBe('http://[::1]:4000');
  expect(leadsTo({ PLATFORM_BASE_URL: 'https://mail.example.org' })).toBe('https://mail.example.org');
});
