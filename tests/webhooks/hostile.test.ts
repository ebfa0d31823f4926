import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { webhookSecret } from '../support/webhooks.ts';
import { onBothDatabases } from '../support/world.ts';
import { oddBodies } from './odd-bodies.ts';
import { createServedWorld, headersOf, path, type ServedWorld, serve } from './served.ts';
import { eventBody, signed } from './signed.ts';

/** What strangers send, and what a provider gone mad would sign: an answer, nothing broken, and nothing of it in the log. */
onBothDatabases('hostile webhooks', (dialect) => {
  let world: ServedWorld;
  beforeAll(async () => {
    world = await createServedWorld(dialect);
  });
  afterAll(() => world.close());

  let number = 0;
  const nextId = () => `msg_${number++}`;
  const headers = (body: string, more: { at?: number; secret?: string } = {}) =>
    headersOf(signed(nextId(), body, { at: world.clock.now(), ...more }));
  const body = eventBody({ type: 'email.complained' });
  const minutes = 60_000;

  it.each<[string, () => Record<string, string>, string | Buffer]>([
    ['an altered body', () => headers(body), body.replace('complained', 'delivered')],
    ['a wrong secret', () => headers(body, { secret: `whsec_${'A'.repeat(32)}` }), body],
    ['an old one', () => headers(body, { at: world.clock.now() - 6 * minutes }), body],
    ['one of the future', () => headers(body, { at: world.clock.now() + 6 * minutes }), body],
    ['junk behind the time', () => withHeader(headers(body), 'svix-timestamp', (it) => `${it}x`), body],
    [
      'no signature of version 1',
      () => withHeader(headers(body), 'svix-signature', (it) => `v2${it.slice(2)}`),
      body,
    ],
    ['invalid UTF-8', () => headers('{"type":"\ufffd"}'), Buffer.from('{"type":"\xff"}', 'latin1')],
    ['nothing at all', () => headers(body), ''],
  ])('%s is refused', async (_name, headersNow, sent) => {
    const answer = await world.served.post(headersNow(), sent);
    expect(answer).toMatchObject({ status: 401, body: { error: 'Invalid signature' } });
    expect(await world.events()).toEqual([]);
  });

  it('a secret that is being replaced is good beside the new one', async () => {
    const old = `whsec_${Buffer.from('the old secret of this test').toString('base64')}`;
    const rotating = await serve(
      world,
      world.webhooksOn(world.db, { secrets: { resend: [webhookSecret, old] } }),
    );
    for (const secret of [webhookSecret, old]) {
      expect(await rotating.post(headers(body, { secret }), body)).toMatchObject({ status: 200 });
    }
    // As Svix signs while its side is changing.
    const [one, other] = [
      headers(body, { secret: `whsec_${'A'.repeat(32)}` }),
      headers(body, { secret: old }),
    ];
    const both = { ...other, 'svix-signature': `${one['svix-signature']} ${other['svix-signature']}` };
    expect(await rotating.post(both, body)).toMatchObject({ status: 200 });
    expect(await world.served.post(headers(body, { secret: old }), body)).toMatchObject({ status: 401 });
    await rotating.close();
  });

  it('headers that come twice are not guessed at', async () => {
    const {
      'svix-id': id,
      'svix-timestamp': timestamp,
      'svix-signature': signature,
    } = signed('msg_twice', body, { at: world.clock.now() }).headers;
    const answer = await raw([
      ...[
        'svix-id: msg_twice',
        'svix-id: msg_other',
        `svix-timestamp: ${timestamp}`,
        `svix-signature: ${signature}`,
      ],
    ]);
    expect(answer).toContain('HTTP/1.1 401');
    const times = [`svix-id: ${id}`, `svix-timestamp: ${timestamp}`, `svix-timestamp: ${timestamp}`];
    expect(await raw([...times, `svix-signature: ${signature}`])).toContain('HTTP/1.1 401');
    const wrong = `svix-signature: v1,${'A'.repeat(43)}=`;
    const names = [`svix-id: ${id}`, `svix-timestamp: ${timestamp}`];
    expect(await raw([...names, wrong, `svix-signature: ${signature}`])).toContain('HTTP/1.1 401');
    expect(await raw([...names, `svix-signature: ${signature}`, wrong])).toContain('HTTP/1.1 401');
    expect(await idsKept()).not.toContain('msg_twice');
  });

  async function raw(lines: readonly string[]): Promise<string> {
    const { hostname, port } = new URL(world.served.url);
    const socket = connect(Number(port), hostname);
    const head = [`POST ${path} HTTP/1.1`, 'host: localhost', `content-length: ${Buffer.byteLength(body)}`];
    socket.end(`${[...head, ...lines, 'connection: close'].join('\r\n')}\r\n\r\n${body}`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  }

  const idsKept = async () => (await world.events()).map((event) => event.provider_event_id);

  it('a body of more than 256 KiB is refused before it is read, and one of 256 KiB is taken', async () => {
    const before = (await idsKept()).length;
    const sized = (octets: number) => {
      const frame = JSON.stringify({ type: 'email.something_new', data: { x: '' } });
      return frame.replace('""', `"${'x'.repeat(octets - frame.length)}"`);
    };
    const large = sized(256 * 1024 + 1);
    expect(await world.served.post(headers(large), large)).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', error: 'The body is too large: at most 256 KiB are taken here.' },
    });
    const most = sized(256 * 1024);
    expect(await world.served.post(headers(most), most)).toMatchObject({ status: 200 });
    expect(await idsKept()).toHaveLength(before + 1);
  });

  it.each(oddBodies)('what is signed and odd is kept and answered: %s', async (_name, odd) => {
    const before = (await world.events()).length;
    expect(await world.served.post(headers(odd), odd)).toEqual({
      status: 200,
      body: { status: 'processed' },
    });
    const events = await world.events();
    expect(events).toHaveLength(before + 1);
    expect(events.at(-1)?.payload).toBe(odd.replaceAll('\0', '\ufffd'));
    expect(events.at(-1)?.type.length).toBeLessThanOrEqual(100);
  });

  it('a stranger who knocks all day fills no log', async () => {
    const told = () => world.log.lines.filter(({ event }) => event === 'webhook.refused');
    await world.clock.advance(61_000);
    const before = told().length;
    const missing = world.webhooks.counts.refusals;
    for (let knock = 0; knock < 50; knock++) await world.served.post({}, body);
    await world.clock.advance(61_000);
    await world.served.post({}, body);
    expect(
      told()
        .slice(before)
        .map(({ problem, count }) => [problem, count]),
    ).toEqual([
      ['missing headers', expect.any(Number)],
      ['missing headers', 50],
    ]);
    expect(world.webhooks.counts.refusals).toBe(missing + 51);
  });

  it('other methods, and other content types, are what they are elsewhere', async () => {
    const answer = await fetch(`${world.served.url}${path}`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    const type = { ...headers(body), 'content-type': 'text/plain; charset=latin1' };
    expect(await world.served.post(type, body)).toMatchObject({ status: 200 });
  });

  it('without a secret everything is refused with what to do', async () => {
    const closed = await serve(world, world.webhooksOn(world.db, { secrets: {} }));
    expect(await closed.post(headers(body), body)).toMatchObject({
      status: 503,
      body: { code: 'webhooks_not_set_up', error: expect.stringContaining('RESEND_WEBHOOK_SECRET') },
    });
    await closed.close();
  });
});

function withHeader(headers: Record<string, string>, name: string, change: (value: string) => string) {
  return { ...headers, [name]: change(headers[name] ?? '') };
}
