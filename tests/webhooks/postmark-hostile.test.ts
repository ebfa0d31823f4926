import { afterAll, beforeAll, expect, it } from 'vitest';
import { webhookPassword } from '../support/webhooks.ts';
import { onBothDatabases } from '../support/world.ts';
import { oddBodies } from './odd-bodies.ts';
import { createServedWorld, type ServedWorld, serve } from './served.ts';
import { basic, type Tongue, tongues } from './tongues.ts';

/** What strangers send, and what whoever has the password could: an answer, nothing broken, and nothing of it in the log. */
onBothDatabases('hostile webhooks of Postmark', (dialect) => {
  let world: ServedWorld;
  const postmark = tongues.find(({ provider }) => provider === 'postmark') as Tongue;
  beforeAll(async () => {
    world = await createServedWorld(dialect, postmark);
  });
  afterAll(() => world.close());

  const post = async (headers: Record<string, string>, body: string | Buffer, to = world.served) => {
    const answer = await fetch(`${to.url}/api/v1/webhooks/postmark`, {
      ...{ method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) },
    });
    return { status: answer.status, body: await answer.json(), asks: answer.headers.get('www-authenticate') };
  };
  const body = JSON.stringify({
    RecordType: 'SpamComplaint',
    MessageID: 'x',
    Email: 'person-s3cret@example.org',
  });

  it.each<[string, Record<string, string>]>([
    ['no password', {}],
    ['a wrong one', basic('a-password-of-nobody-0123456789abcdef')],
    ['its beginning', basic(webhookPassword.slice(0, -1))],
    ['it as the user', basic('', webhookPassword)],
    ['another scheme', { authorization: `Bearer ${webhookPassword}` }],
    ['a signature of somebody else', { 'svix-id': 'a', 'svix-timestamp': '1', 'svix-signature': 'v1,x' }],
  ])('%s is refused, so that Postmark tries again', async (_name, headers) => {
    expect(await post(headers, body)).toMatchObject({ status: 401, asks: 'Basic realm="webhooks"' });
    expect(await world.events()).toEqual([]);
  });

  it('bytes that are no text are refused', async () => {
    const answer = await post(basic(webhookPassword), Buffer.from('{"RecordType":"\xff"}', 'latin1'));
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_encoding' } });
    expect(await world.events()).toEqual([]);
  });

  it('a password that is being replaced is good beside the new one', async () => {
    const old = 'the-old-password-of-this-test-s3cret';
    const secrets = { postmark: [webhookPassword, old] };
    const rotating = await serve(world, world.webhooksOn(world.db, { secrets }));
    for (const one of [webhookPassword, old]) {
      expect(await post(basic(one), `{"RecordType":"${one.length}"}`, rotating)).toMatchObject({
        status: 200,
      });
    }
    expect(await post(basic(old), body)).toMatchObject({ status: 401 });
    await rotating.close();
  });

  it.each(oddBodies)(
    'what comes with the password and is odd is kept and answered: %s',
    async (_name, odd) => {
      const before = (await world.events()).length;
      expect(await post(basic(webhookPassword), odd)).toMatchObject({
        status: 200,
        body: { status: 'processed' },
      });
      const events = await world.events();
      expect(events).toHaveLength(before + 1);
      expect(events.at(-1)?.payload).toBe(odd.replaceAll('\0', '\ufffd'));
      // The same bytes are the same event.
      expect(await post(basic(webhookPassword), odd)).toMatchObject({
        body: { status: 'already_processed' },
      });
    },
  );

  it('without a password set here everything is refused with what to do, and the door of Resend is another one', async () => {
    const closed = await serve(world, world.webhooksOn(world.db, { secrets: {} }));
    expect(await post(basic(webhookPassword), body, closed)).toMatchObject({
      status: 503,
      body: { code: 'webhooks_not_set_up', error: expect.stringContaining('POSTMARK_WEBHOOK_PASSWORD') },
    });
    await closed.close();
    expect(await world.served.post(basic(webhookPassword), body)).toMatchObject({ status: 503 });
  });
});
