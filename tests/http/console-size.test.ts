import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readConsole } from '../../src/http/routes/console.ts';

/** What a browser loads before it shows the first page. */
const octetsMax = 250_000;

test('the console is built, and all of it is small', () => {
  const { page = '', assets } = readConsole();
  expect(page).toContain('/console/assets/');
  const octets = [Buffer.from(page), ...[...assets.values()].map(({ bytes }) => bytes)]
    .map((bytes) => gzipSync(bytes).length)
    .reduce((sum, size) => sum + size, 0);
  expect(octets).toBeLessThan(octetsMax);
});
