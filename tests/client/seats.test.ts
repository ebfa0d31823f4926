import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keys } from '../http/api-world.ts';
import { createSeatsApiWorld, type SeatsApiWorld, term } from '../http/seats-api-world.ts';
import { onBothDatabases } from '../support/world.ts';
import { type LossyClient, lossyClient } from './lossy-client.ts';

const wish = { term, campus: 'NB', index: '09214', email: 'ana@example.org', locale: 'en' } as const;

onBothDatabases('course seats by the client', (dialect) => {
  let world: SeatsApiWorld;
  let lossy: LossyClient;
  const watches = async () => (await world.db.read.selectFrom('subscriptions').selectAll().execute()).length;
  beforeAll(async () => {
    world = await createSeatsApiWorld(dialect);
    lossy = await lossyClient((await world.serveSeats()).url, keys.service[0]);
  });
  afterAll(async () => {
    await lossy.close();
    await world.close();
  });

  test('a course is found with its sections, and a section by its index', async () => {
    const { seats } = lossy.client;
    const [course] = await seats.search({ q: '198:111', term, campus: 'NB', limit: 5 });
    expect(course).toMatchObject({ courseId: world.courseId, term, campus: 'NB' });
    expect(course?.sections.map(({ index }) => index)).toEqual(expect.arrayContaining(['09214', '09215']));
    expect(await seats.section(term, '09214')).toMatchObject({ index: '09214', status: 'Closed' });
    await expect(seats.section(term, '99999')).rejects.toMatchObject({
      ...{ status: 404, code: 'section_not_found', tries: 1 },
      sentence: expect.stringContaining('There is no such section.'),
    });
  });

  test('a watch whose answer is lost twice is one watch', async () => {
    const made = await lossy.lose(2, () => lossy.client.seats.watch(wish));
    expect(made).toMatchObject({ status: 'pending', sectionStatus: 'Closed' });
    expect(lossy.wire.asked.map(({ status, isLost }) => [status, isLost])).toEqual([
      ...[
        [201, true],
        [200, true],
        [200, false],
      ],
    ]);
    expect(await watches()).toBe(1);
    expect(await lossy.client.seats.watch(wish)).toEqual({ ...made, existing: true });
  });

  test('a whole course', async () => {
    const { index: _, ...rest } = wish;
    const made = await lossy.client.seats.watchCourse({ ...rest, courseId: world.courseId });
    expect(made.watches.map(({ existing }) => existing).sort()).toEqual([false, true]);
    expect(made.leftOut).toBe(0);
  });

  test('what is refused says what to do', async () => {
    await expect(lossy.client.seats.watch({ ...wish, index: '21000' })).rejects.toMatchObject({
      ...{ status: 409, code: 'section_conflict', details: { campus: 'NK' } },
    });
    await expect(lossy.client.seats.watch({ ...wish, email: 'nobody' })).rejects.toMatchObject({
      ...{ status: 400, code: 'invalid_contact', isInDoubt: false },
    });
  });

  describe('a watch by its token', () => {
    const token = () => world.tokenOf();

    test.each([
      ['confirm', 'active'],
      ['pause', 'paused'],
      ['resume', 'active'],
      ['cancel', 'unsubscribed'],
      ['undo', 'active'],
    ] as const)('%s, also where the answer is lost', async (verb, status) => {
      const { seats } = lossy.client;
      const given = await token();
      expect(await lossy.lose(1, () => seats[verb](given))).toMatchObject({ status });
      expect(lossy.wire.asked).toHaveLength(2);
      expect(await seats[verb](given)).toMatchObject({ status });
    });

    test('its hours, its number of mails, its pause for a while', async () => {
      const { seats } = lossy.client;
      const given = await token();
      const until = new Date(world.clock.now() + 86_400_000);
      const window = { startMinutes: 480, endMinutes: 1320 };
      expect((await seats.snooze(given, until)).preferences.snoozeUntil).toBe(until.toISOString());
      expect((await seats.snooze(given, null)).preferences.snoozeUntil).toBeNull();
      expect((await seats.setWindow(given, window)).preferences.deliveryWindow).toEqual(window);
      expect((await seats.setMax(given, 5)).preferences.maxNotifications).toBe(5);
      expect(await seats.get(given)).toMatchObject({
        preferences: { maxNotifications: 5, deliveryWindow: window, snoozeUntil: null },
      });
      expect((await seats.siblings(given)).map(({ index }) => index).sort()).toEqual(['09214', '09215']);
      const stranger = seats.get('x'.repeat(22));
      await expect(stranger).rejects.toMatchObject({ status: 404, code: 'subscription_not_found' });
    });
  });

  test('what is for operators needs their key', async () => {
    const refused = lossy.client.seats.lists();
    await expect(refused).rejects.toMatchObject({ status: 403, code: 'role_required' });
    const { seats } = lossy.with({ apiKey: keys.operator[0] });
    await world.poll();
    expect(await seats.lists()).toMatchObject([{ term, campus: 'NB', isStale: false }]);
    const opening = () => seats.reportOpening({ term, index: '09214' });
    expect(await lossy.lose(1, opening)).toEqual({ isNew: false, openEventId: null });
    expect(lossy.wire.asked.map(({ status }) => status)).toEqual([201, 200]);
  });
});
