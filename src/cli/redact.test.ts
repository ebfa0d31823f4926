import { expect, test } from 'vitest';
import { withoutCredentials, withoutPasswords } from './redact.ts';

test.each([
  ['postgres://ana:s3cret@db.example.org:5432/tidings', 'postgres://db.example.org:5432/tidings'],
  ['postgresql://ana:s3c%40ret@db/tidings?sslpassword=s3cret', 'postgres://db/tidings'],
  ['postgres://ana:s3cret@/tidings?host=/var/run', 'postgres://…'],
  ['sqlite:./data/tidings.db', 'sqlite:./data/tidings.db'],
  ['redis://:s3cret@cache.example.org:6379/2?password=s3cret', 'redis://cache.example.org:6379/2'],
  ['rediss://ana:s3c%40ret@cache', 'rediss://cache'],
  ['redis://ana:s3cret@[cache', 'redis://…'],
])('%s is shown as %s', (url, shown) => {
  expect(withoutCredentials(url)).toBe(shown);
});

test('withoutPasswords: an error message that quotes an address loses what stands before the @', () => {
  expect(withoutPasswords('cannot reach postgres://ana:p@ss/w@db:5432/x now')).toBe(
    'cannot reach postgres://…@db:5432/x now',
  );
  expect(withoutPasswords('no such table: deliveries')).toBe('no such table: deliveries');
});
