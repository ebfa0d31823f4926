import { describe, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { madeForAll, worldForAll } from '../support/world-for-each.ts';
import { createApiWorld, intentBody, operatorKey, secrets } from './api-world.ts';

/** What strangers send. Whatever it is: an answer in our shape, nothing stored that was refused, and nothing of it in the log. */
onBothDatabases('hostile requests', (dialect) => {
  const world = worldForAll(() => createApiWorld(dialect));
  const api = madeForAll(() => world.serve());

  const post = (body: unknown) => api.ask('POST', '/api/v1/intents', { body });
  const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  describe('a body that is refused', () => {
    test.each([
      ['a key of the prototype', '{"__proto__":{"isAdmin":true}}', 'malformed_json', 'leave it out'],
      [
        'a key of the prototype, further in',
        `{"occasion":"a","variables":{"__proto__":{"x":1}}}`,
        'malformed_json',
        'leave it out',
      ],
      ['constructor.prototype', '{"constructor":{"prototype":{"x":1}}}', 'malformed_json', 'leave it out'],
      ['JSON that breaks', '{"password":"s3cret",\n"x":}', 'malformed_json', 'line 2, column 5'],
      ['a comma left out', '{"a":1,\n "b":2 "c":3}', 'malformed_json', 'line 2, column 8'],
      ['nothing after an opening bracket', '{', 'malformed_json', 'The body is not JSON'],
      ['JSON that ends too early', '{"password":"s3cret', 'malformed_json', 'line 1'],
      ['another word than JSON', 's3cret', 'malformed_json', 'line 1, column 1'],
      ['a list', '[{"occasion":"a"}]', 'invalid_request', 'must be an object'],
      ['a number', '1e999', 'invalid_request', 'must be an object'],
      ['null', 'null', 'body_missing', 'The body is missing'],
      [
        'an unknown key a megabyte long',
        JSON.stringify({ ['s3cret'.repeat(170_000)]: 1 }),
        'invalid_request',
        'There is no field',
      ],
      [
        'a thousand unknown keys',
        JSON.stringify(Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 1]))),
        'invalid_request',
        'more: see details',
      ],
      [
        'toString as a key',
        JSON.stringify(intentBody(1, { toString: 1 })),
        'invalid_request',
        'There is no field "toString"',
      ],
      [
        'an occasion of a megabyte',
        JSON.stringify(intentBody(1, { occasion: 'x'.repeat(1_000_000) })),
        'invalid_request',
        'at most 300',
      ],
      [
        'a subject of a megabyte',
        JSON.stringify(intentBody(1, { variables: { subject: 'x'.repeat(1_000_000), text: 't' } })),
        'variable_too_long',
        'shorten it',
      ],
      [
        'variables nested without end',
        `{"occasion":"a","to":"a@example.org","variables":${deep(50_000)}}`,
        'invalid_variable',
        'nested too deeply',
      ],
      ['intents that are no list', '{"intents":{"0":{}}}', 'invalid_request', 'intents must be a list'],
      [
        'a line break for another header',
        JSON.stringify(intentBody(1, { to: 'a@example.org\r\nBcc: b@example.org' })),
        'invalid_request',
        'one line',
      ],
    ])('%s', async (_, body, code, words) => {
      const { status, json, text } = await post(body);
      expect([status, json.code]).toEqual([400, code]);
      expect(json.error).toContain(words);
      expect(json.error).toMatch(/^[A-Za-z].*\.$/s);
      expect(text.length).toBeLessThan(6_000);
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined();
      expect(await world.queries.search({ limit: 1 })).toEqual([]);
    });

    test('one octet more than fits', async () => {
      const { status, json } = await post(JSON.stringify({ x: 'x'.repeat(4 * 1_048_576) }));
      expect([status, json.error]).toEqual([413, 'The body is too large: at most 4096 KiB are taken here.']);
      const small = await api.ask('POST', '/api/v1/pauses', {
        body: { scope: 'x'.repeat(70_000), reason: 'r' },
      });
      expect([small.status, small.json.error]).toEqual([
        413,
        'The body is too large: at most 64 KiB are taken here.',
      ]);
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense'])(
      'as %s',
      async (type) => {
        const { status, json } = await api.ask('POST', '/api/v1/intents', {
          body: JSON.stringify(intentBody(1)),
          headers: { 'content-type': type },
        });
        expect([status, json.code]).toEqual([415, 'unsupported_media_type']);
        expect(json.error).toContain('application/json');
      },
    );
  });

  describe('an address that is refused or finds nothing', () => {
    test.each([
      ['/api/v1/deliveries?limit=1e2', 400],
      ['/api/v1/deliveries?limit=-1', 400],
      ['/api/v1/deliveries?limit=1&limit=2', 400],
      ['/api/v1/deliveries?below=99999999999999999999', 400],
      ['/api/v1/deliveries?status=', 400],
      ['/api/v1/deliveries?source=%00', 400],
      ['/api/v1/deliveries?__proto__=1', 400],
      ['/api/v1/deliveries?address=s3cret%20OR%201=1', 200],
      ["/api/v1/deliveries/1'%20OR%20'1'='1", 404],
      ['/api/v1/deliveries/%F0%9F%92%8C', 404],
      ['/api/v1/deliveries/99999999999999999999999', 404],
      ['/api/v1/deliveries/..%2f..%2fetc', 404],
      ['/api/v1/deliveries/%E0%A4', 400],
      [`/api/v1/deliveries/${'a'.repeat(1_001)}`, 414],
      ['/api/v1/deliveries/1/mail/0', 400],
      ['/api/v1/deliveries/1/mail/one', 400],
      ['/api/v1/inbox/%25%25%25%25%25%25%25%25', 400],
      ['/api/v1/inbox/________', 400],
    ])('%s', async (path, status) => {
      const answer = await api.ask('GET', path);
      expect(answer.status).toBe(status);
      if (status !== 200)
        expect(answer.json).toMatchObject({ error: expect.stringMatching(/\.$/), code: expect.any(String) });
    });
  });

  test('what is strange but fine is taken as it is', async () => {
    const occasion = 'ocazie ✉ \u{1f48c} — "quoted" \\ <b>';
    const { status, json } = await post(intentBody(7, { occasion }));
    expect(status).toBe(201);
    const found = await api.ask('GET', `/api/v1/deliveries?occasion=${encodeURIComponent(occasion)}`);
    expect(found.json.deliveries).toMatchObject([{ seq: json.deliveries[0].seq, occasion }]);
  });

  test('of all this the log has routes, statuses and trace ids, and nothing that was sent', () => {
    expect(world.logged.length).toBeGreaterThan(40);
    const text = world.logged.join('');
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).toContain('"route":"/api/v1/deliveries/:reference"');
    expect(text).not.toContain(encodeURIComponent('OR 1=1'));
    expect(text).not.toContain(operatorKey);
  });
});

test('the check on the log would notice', async () => {
  const leaking = await createApiWorld();
  // An address would be blanked by the log itself; a subject cannot be told from other words.
  leaking.parts.log.info('careless', { subject: 'Subject 1' });
  await expect(leaking.close()).rejects.toThrow('the log tells a secret');
});
