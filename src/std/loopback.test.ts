import { expect, test } from 'vitest';
import { isLoopback } from './loopback.ts';

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.9.9.9', '::1'])('%s is this machine', (host) => {
  expect(isLoopback(host)).toBe(true);
});

test.each(['0.0.0.0', '::', '10.0.0.1', 'example.org', 'localhost.example.org', '127.0.0.1.example.org', ''])(
  '%j is not',
  (host) => expect(isLoopback(host)).toBe(false),
);
