import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Api, type ApiWorld, createApiWorld } from './api-world.ts';

let world: ApiWorld;
let api: Api;
beforeEach(async () => {
  world = await createApiWorld();
  api = await world.serve();
});
afterEach(() => world.close());

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
