import { afterAll, beforeAll, expect, test } from 'vitest';
import { onBothDatabases } from '../support/world.ts';
import { closeWithoutTokens, noSeatLimits } from './seats-api-world.ts';
import { unknownToken } from './seats-pages-world.ts';
import { createSeatsProgramsWorld, path, type SeatsProgramsWorld } from './seats-programs-world.ts';

/** A watch by its token, for programs: the token is the proof. */
onBothDatabases('a watch by its token', (dialect) => {
  let world: SeatsProgramsWorld;
  beforeAll(async () => {
    world = await createSeatsProgramsWorld(dialect);
  });
  afterAll(() => closeWithoutTokens(world, 5));

  test('is shown, without the address', async () => {
    const token = await world.watched();
    const { status, json, text } = await world.byToken('GET', token);
    expect([status, json.token, json.status, json.section.index]).toEqual([200, token, 'pending', '09214']);
    expect(text).not.toContain('@');
  });

  test('is confirmed, paused, resumed, cancelled and taken back', async () => {
    const token = await world.watched();
    const statusAfter = async (step: string) => (await world.byToken('POST', token, `/${step}`)).json.status;
    expect(await statusAfter('confirm')).toBe('active');
    expect(await statusAfter('confirm')).toBe('active');
    expect(await statusAfter('pause')).toBe('paused');
    expect(await statusAfter('resume')).toBe('active');
    expect(await statusAfter('cancel')).toBe('unsubscribed');
    expect((await world.byToken('GET', token)).json.undoUntil).toBe(
      new Date(world.clock.now() + 24 * 3_600_000).toISOString(),
    );
    expect(await statusAfter('undo')).toBe('active');
  });

  test('what is not possible as it stands is a conflict that says so', async () => {
    const token = await world.watched();
    const { status, json } = await world.byToken('POST', token, '/pause');
    expect([status, json.code]).toEqual([409, 'not_confirmed']);
    const until = new Date(world.clock.now() - 1).toISOString();
    const past = await world.byToken('POST', token, '/snooze', { until });
    expect([past.status, past.json.code]).toEqual([400, 'invalid_snooze']);
    const never = await world.byToken('POST', token, '/snooze', { until: '2026-12-31T23:59:60Z' });
    expect([never.status, never.json.code]).toEqual([400, 'invalid_request']);
  });

  test('snooze, hours and the most mails are set and taken back', async () => {
    const token = await world.watched();
    const until = new Date(world.clock.now() + 3_600_000).toISOString();
    const window = { startMinutes: 480, endMinutes: 1320 };
    await world.byToken('POST', token, '/snooze', { until });
    await world.byToken('POST', token, '/window', { window });
    const set = await world.byToken('POST', token, '/max', { max: 2 });
    expect(set.json.preferences).toMatchObject({
      ...{ snoozeUntil: until, deliveryWindow: window, maxNotifications: 2 },
    });
    await world.byToken('POST', token, '/snooze', { until: null });
    await world.byToken('POST', token, '/window', { window: null });
    const unset = await world.byToken('POST', token, '/max', { max: null });
    expect(unset.json.preferences).toMatchObject({
      ...{ snoozeUntil: null, deliveryWindow: null, maxNotifications: null },
    });
  });

  test('its siblings are those of the same address, and no others', async () => {
    const { email } = world.order();
    const token = await world.watched({ email });
    await world.byToken('POST', token, '/confirm');
    const other = await world.watched({ email, index: '09215' });
    await world.byToken('POST', other, '/confirm');
    await world.watched();
    const { json } = await world.byToken('GET', token, '/siblings');
    expect(json.watches.map((one: { index: string }) => one.index).sort()).toEqual(['09214', '09215']);
  });

  test.each([
    ['GET', '', undefined],
    ['GET', '/siblings', undefined],
    ['POST', '/confirm', undefined],
    ['POST', '/cancel', undefined],
    ['POST', '/undo', undefined],
    ['POST', '/snooze', { until: null }],
  ])(
    'one that nobody gave out gets one answer, whatever is wrong with it: %s …%s',
    async (method, rest, body) => {
      const token = await world.watched();
      const forged = token.slice(0, 22) + unknownToken.slice(22);
      const answers = [];
      for (const wrong of [unknownToken, forged, 'short', encodeURIComponent("' OR 1=1 --")]) {
        const { status, json } = await world.byToken(method, wrong, rest, body);
        answers.push({ status, ...json, traceId: '' });
      }
      expect(answers[0]).toMatchObject({ status: 404, code: 'subscription_not_found' });
      expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    },
  );

  test('is answered from anywhere also where no key is set, and its catalog is not', async () => {
    const token = await world.watched();
    const open = await world.serveSeats({ api: { keys: { operator: [], read: [], service: [] } } });
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const shown = await open.ask('GET', `${path}/subscriptions/${token}`, { key: null, headers });
    const lists = await open.ask('GET', `${path}/lists`, { key: null, headers });
    expect([shown.status, lists.status]).toEqual([200, 403]);
  });

  test('too many questions of one network are put off, behind a proxy each for itself', async () => {
    const token = await world.watched();
    const tight = await world.serveSeats({ api: { seatLimits: { ...noSeatLimits, links: 1 } } });
    const from = async (address: string) =>
      tight.ask('GET', `${path}/subscriptions/${token}`, {
        key: null,
        headers: { 'x-forwarded-for': address },
      });
    expect((await from('203.0.113.7')).status).toBe(200);
    expect((await from('203.0.113.8')).status).toBe(200);
    const { status, json, headers } = await from('203.0.113.7');
    expect([status, json.code]).toEqual([429, 'too_many_requests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
