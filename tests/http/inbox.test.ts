import { afterEach, beforeEach, expect, test } from 'vitest';
import { linksIn } from '../../src/inbox/mail-links.ts';
import { createCapture } from '../../src/providers/capture.ts';
import { systemIds } from '../../src/std/ids.ts';
import { baseUrl } from '../support/consent.ts';
import { mailTo } from '../support/mails.ts';
import { rowIn } from '../support/rows.ts';
import { onBothDatabases } from '../support/world.ts';
import { type Api, type ApiWorld, createApiWorld, keys, operatorKey } from './api-world.ts';

const path = '/api/v1/inbox';

onBothDatabases('the inbox over HTTP', (dialect) => {
  let world: ApiWorld;
  let api: Api;
  beforeEach(async () => {
    world = await createApiWorld(dialect);
    api = await world.serve({ api: { baseUrl: () => baseUrl } });
  });
  afterEach(() => world.close());

  async function take(number: number, more: Parameters<typeof mailTo>[1] = {}): Promise<string> {
    const capture = createCapture({ db: world.db, clock: world.clock, ids: systemIds });
    const mail = mailTo(number, more);
    const sent = await capture.send({ key: `${number}`, mail, startBefore: Infinity, leaseEndsAt: Infinity });
    return sent.kind === 'accepted' ? sent.messageId : 'not accepted';
  }
  const read = async (rest: string) => (await api.ask('GET', `${path}${rest}`, { key: keys.read[0] })).json;
  const to = async (rest: string) => (await read(rest)).mails.map((one: { to: string }) => one.to);

  test('lists mails with how their deliveries stand, and finds them by how they begin', async () => {
    const seq = await rowIn(world, 'sent', 1);
    const row = await world.queries.find(String(seq));
    await take(1, { tags: { delivery_id: row?.id ?? '', round: '1', env: 'test' } });
    await take(2, { tags: { delivery_id: 'no uuid' } });
    expect((await read('')).mails).toMatchObject([
      { to: 'person-2@example.org', delivery: null },
      { to: 'person-1@example.org', delivery: { seq, status: 'sent' } },
    ]);
    expect(await to('?to=PERSON-1')).toEqual(['person-1@example.org']);
    expect(await to('?subject=subject')).toHaveLength(2);
    expect(await to('?subject=subject&to=person-2@example.org')).toEqual(['person-2@example.org']);
    expect(await to('?subject=ubject')).toEqual([]);
    const first = await read('?limit=1');
    expect(await to(`?limit=1&below=${first.next.below}`)).toEqual(['person-1@example.org']);
  });

  test('is cleared by an operator, who is in the audit log; a mail is still shown by its id', async () => {
    const id = await take(1);
    expect((await api.ask('POST', `${path}/clear`, { key: keys.read[0], body: {} })).status).toBe(403);
    expect(await to('')).toHaveLength(1);
    const { status, json } = await api.ask('POST', `${path}/clear`, { body: { by: 'ana' } });
    expect([status, json]).toEqual([200, { isCleared: true }]);
    expect(await read('')).toEqual({ mails: [], next: null });
    expect(await read(`/${id}`)).toMatchObject({ to: 'person-1@example.org' });
    await take(2);
    expect(await to('')).toEqual(['person-2@example.org']);
    const { lines } = (await api.ask('GET', '/api/v1/audit')).json;
    expect(lines).toMatchObject([{ verb: `POST ${path}/clear`, who: 'ana (operator key 1)', answer: '200' }]);
  });

  test('its switches are an operator’s, end by themselves, and are in the audit log', async () => {
    const off = await read('/switches');
    expect(off.isAllowed).toBe(true);
    expect(off.switches.filter((one: { onUntil: string | null }) => one.onUntil !== null)).toEqual([]);
    const on = (key: string, name: string, body: object = {}) =>
      api.ask('POST', `${path}/switches/${name}`, { key, body });
    expect((await on(keys.read[0], 'bounce')).status).toBe(403);
    expect((await on(operatorKey, 'bonce')).json.error).toContain('bounce');
    expect((await on(operatorKey, 'bounce', { minutes: 1441 })).status).toBe(400);
    const answer = await on(operatorKey, 'bounce', { minutes: 5, by: 'ana' });
    expect(answer.json.switches).toContainEqual({
      ...{ name: 'bounce', by: 'ana (operator key 1)', meaning: expect.stringContaining('bounce') },
      onUntil: new Date(world.clock.now() + 300_000).toISOString(),
    });
    await world.clock.advance(300_000);
    expect((await read('/switches')).switches).toEqual(off.switches);
    await on(operatorKey, 'refuse');
    const gone = await api.ask('DELETE', `${path}/switches/refuse`);
    expect(gone.json.switches).toEqual(off.switches);
    const { lines } = (await api.ask('GET', '/api/v1/audit')).json;
    expect(lines.map((one: { verb: string; details: string }) => `${one.verb} ${one.details}`)).toEqual([
      `DELETE ${path}/switches/:name {"name":"refuse"}`,
      `POST ${path}/switches/:name {"name":"refuse"}`,
      `POST ${path}/switches/:name {"name":"bounce","minutes":5}`,
    ]);
  });

  test('in production nothing can be switched on, and what was on does not count', async () => {
    await api.ask('POST', `${path}/switches/bounce`, { body: {} });
    const production = await world.serve({ api: { environment: 'production' } });
    const { status, json } = await production.ask('POST', `${path}/switches/refuse`, { body: {} });
    expect([status, json.code]).toEqual([409, 'chaos_not_here']);
    const seen = (await production.ask('GET', `${path}/switches`)).json;
    expect(seen.isAllowed).toBe(false);
    expect(seen.switches.filter((one: { onUntil: string | null }) => one.onUntil !== null)).toEqual([]);
  });

  test('where another provider sends, there is nothing of it', async () => {
    const provider = { ...world.parts.api.provider, name: 'resend' };
    const other = await world.serve({ api: { provider } });
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['GET', '/switches', undefined],
      ['POST', '/switches/bounce', {}],
      ['POST', '/clear', {}],
    ] as const) {
      const { status, json } = await other.ask(method, `${path}${rest}`, { ...(body && { body }) });
      expect([method, rest, status, json.code]).toEqual([method, rest, 404, 'inbox_not_here']);
    }
  });

  test('checks links, and changes nothing by it', async () => {
    const [owner] = await world.outbox.enqueue([
      { source: 'plain', occasion: 'o', recipient: 'r', lane: 'normal', toEmail: 'r@example.org' },
    ]);
    const seq = owner?.seq ?? 0;
    const links = await world.parts.api.consent.unsubscribe.linksFor([
      { seq, source: 'plain', recipient: 'r' },
    ]);
    const good = links.get(seq) ?? '';
    const made = `${good.slice(0, -4)}AAAA`;
    const id = await take(1, {
      html: `<a href="${good}">1</a> <a href='${baseUrl}/docs'>2</a> <a href=${baseUrl}/nowhere?a=1&amp;b=2>3</a>
        <a href="javascript:alert(1)">4</a> <a href="https://example.com/a">5</a> <a href="#top">6</a>`,
      text: `See ${good}. Or (http://example.com/b), or ${made}`,
      headers: {
        'List-Unsubscribe': `<mailto:a@example.org>, <${good}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
    const { links: judged, oneClick } = await read(`/${id}/links`);
    expect(
      judged.map((one: { href: string; verdict: string; in: string[] }) => [
        one.href,
        one.verdict,
        one.in.join(),
      ]),
    ).toEqual([
      [good, 'works', 'html,text,headers'],
      [`${baseUrl}/docs`, 'works', 'html'],
      [`${baseUrl}/nowhere?a=1&b=2`, 'no_page', 'html'],
      ['javascript:alert(1)', 'unsafe', 'html'],
      ['https://example.com/a', 'elsewhere', 'html'],
      ['http://example.com/b', 'not_encrypted', 'text'],
      [made, 'unknown_token', 'text'],
      ['mailto:a@example.org', 'mailbox', 'headers'],
    ]);
    expect(oneClick).toMatchObject({ verdict: 'works', path: good.slice(baseUrl.length) });
    const before = await world.db.read.selectFrom('unsubscribe_tokens').selectAll().execute();
    expect(before).toMatchObject([{ unsubscribed_at: null }]);
    // What the button then sends is the real thing.
    const response = await fetch(`${api.url}${oneClick.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect(response.status).toBe(200);
    const after = await world.db.read.selectFrom('unsubscribe_tokens').selectAll().execute();
    expect(after).toMatchObject([{ unsubscribed_via: 'one-click' }]);
  });

  test('a one-click address of somebody else’s is named, and has no path here', async () => {
    const id = await take(1, {
      headers: {
        'List-Unsubscribe': '<https://elsewhere.example/u/1>',
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    });
    expect((await read(`/${id}/links`)).oneClick).toMatchObject({ verdict: 'elsewhere', path: null });
    const plain = await take(2);
    expect((await read(`/${plain}/links`)).oneClick).toBeNull();
  });
});

test('the links of a hostile mail are read in no time', () => {
  const startedAt = performance.now();
  const html = `${'<a href='.repeat(50_000)}${'href="'.repeat(50_000)}${'&#'.repeat(50_000)}`;
  const links = linksIn({
    html,
    text: `http://${'a'.repeat(500_000)}`,
    headers: { 'List-X': '<'.repeat(100_000) },
  });
  expect(links.length).toBeLessThanOrEqual(200);
  expect(Math.max(...links.map(({ href }) => href.length))).toBeLessThanOrEqual(2_000);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
