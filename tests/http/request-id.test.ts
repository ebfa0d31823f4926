import { expect, test } from 'vitest';
import { madeForEach, worldForEach } from '../support/world-for-each.ts';
import { createApiWorld } from './api-world.ts';

const world = worldForEach(() => createApiWorld());
const api = madeForEach(() => world.serve());

test.each([
  ['trace_0001', true],
  ['a'.repeat(64), true],
  ['short', false],
  ['a'.repeat(65), false],
  ['with space in it', false],
  ['<script>alert(1)</script>', false],
])('the request id %s: %s', async (id, isTaken) => {
  const { headers, json } = await api.ask('GET', '/nowhere', { headers: { 'x-request-id': id } });
  expect(headers.get('x-request-id') === id).toBe(isTaken);
  expect(json.traceId).toBe(headers.get('x-request-id'));
  expect(world.logged.at(-1)).toContain(`"traceId":"${json.traceId}"`);
});
